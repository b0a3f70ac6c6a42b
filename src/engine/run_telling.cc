#include "engine/run_telling.h"

#include <nlohmann/json.hpp>

namespace teamster::engine {

hub::TellRun telling(const std::string& run, const workflow::ToldBody& said) {
  return {run, std::string(workflow::kind_of(said)), workflow::fields_of(said)};
}

}  // namespace teamster::engine
