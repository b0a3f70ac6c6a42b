#include "script/api_failure.h"

#include <fmt/format.h>

namespace teamster::script {

ApiFailure describe(const FailRequest& failure) {
  if (!failure.status) {
    const std::string text = failure.message.empty() ? "Request timed out" : failure.message;
    return {.text = text, .status = nullptr, .type = nullptr, .reason = "unknown"};
  }
  const int status = *failure.status;
  const std::string& words = failure.message;
  if (status == 401)
    return {fmt::format("Failed to authenticate. API Error: 401 {}", words), status, "authentication_error",
            "authentication_failed"};
  if (status == 429)
    return {fmt::format("API Error: Request rejected (429) · {}", words), status, "rate_limit_error", "rate_limit"};
  if (status == 529)
    return {fmt::format("API Error: Repeated 529 Overloaded errors. {}", words), status, "overloaded_error",
            "overloaded"};
  const bool is_server = status >= 500;
  return {fmt::format("API Error: {} {}", status, words), status, is_server ? "api_error" : "invalid_request_error",
          is_server ? "server_error" : "unknown"};
}

}  // namespace teamster::script
