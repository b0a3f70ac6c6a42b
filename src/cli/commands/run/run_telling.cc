#include "cli/commands/run/run_telling.h"

#include <nlohmann/json.hpp>

namespace teamster::cli {

Result<Json> tell_run(const Context& context, const std::string& run, const workflow::ToldBody& body,
                      const WriteOptions& options) {
  Json args = workflow::told_fields(body);
  args["run"] = run;
  return context.write("run.tell", std::move(args), options);
}

}  // namespace teamster::cli
