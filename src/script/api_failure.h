// ApiFailure: how claude words a request to the model that failed, by its HTTP status, as
// measured. A pure function.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "script/step.h"

namespace teamster::script {

struct ApiFailure {
  std::string text;    // what stands in the result
  Json status;         // null: no answer came
  Json type;           // of the error in the API's words, or null
  std::string reason;  // of a retry
};

ApiFailure describe(const FailRequest& failure);

}  // namespace teamster::script
