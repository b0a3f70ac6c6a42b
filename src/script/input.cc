#include "script/input.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::script {
namespace {

std::string string_at(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

const Json& member(const Json& object, const char* key) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto it = object.find(key);
  return it == object.end() ? kNone : *it;
}

std::string text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const auto& block : content) {
    if (string_at(block, "type") != "text") continue;
    if (!text.empty()) text += '\n';
    text += string_at(block, "text");
  }
  return text;
}

HostInput parse_user(const Json& json) {
  const Json& message = member(json, "message");
  const Json& role = member(message, "role");
  if (role != "user")
    return Fatal{fmt::format("Error: Expected message role 'user', got '{}'",
                             role.is_string() ? role.get<std::string>() : "undefined")};
  const Json& content = member(message, "content");
  if (!content.is_string() && !content.is_array() && !content.is_null()) return Ignored{};
  const std::string priority = string_at(json, "priority");
  return UserMessage{text_of(content), content, member(json, "uuid"),
                     priority == "now"     ? UserMessage::Priority::now
                     : priority == "later" ? UserMessage::Priority::later
                                           : UserMessage::Priority::next};
}

HostInput parse_control_request(const Json& json) {
  const Json& request = member(json, "request");
  if (!request.is_object()) return Fatal{"Error: Missing request on control_request"};
  return ControlRequest{string_at(json, "request_id"), string_at(request, "subtype"), request};
}

HostInput parse_control_response(const Json& json) {
  const Json& response = member(json, "response");
  ControlResponse answer;
  answer.id = string_at(response, "request_id");
  answer.failed = string_at(response, "subtype") != "success";
  answer.error = string_at(response, "error");
  answer.response = member(response, "response");
  return answer;
}

}  // namespace

HostInput parse_input(std::string_view line) {
  if (trimmed(line).empty()) return Ignored{};
  const auto json = parse_json(line, {.max_bytes = limits::kScriptInputLineMaxBytes});
  if (!json)
    return Fatal{fmt::format("Error parsing streaming input line (type=unknown, {} chars): SyntaxError", line.size())};
  const std::string type = string_at(*json, "type");
  if (type == "user") return parse_user(*json);
  if (type == "control_request") return parse_control_request(*json);
  if (type == "control_response") return parse_control_response(*json);
  return Ignored{};
}

}  // namespace teamster::script
