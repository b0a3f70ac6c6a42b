#include "mcp/wire.h"

#include <array>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/limits.h"

namespace teamster::mcp {
namespace {

Incoming invalid(ErrorCode code, std::string id, std::string what) {
  Incoming message;
  message.id = std::move(id);
  message.code = code;
  message.what = std::move(what);
  return message;
}

constexpr const char* kNoId = "null";

}  // namespace

std::string id_text(const Json& id) {
  if (id.is_number_integer()) return dump_json(id);
  if (!id.is_string() || id.get_ref<const std::string&>().size() > limits::kMcpIdMaxBytes) return {};
  return dump_json(id);
}

Incoming read_message(std::string_view line) {
  auto json = parse_json(line, {.max_bytes = limits::kMcpLineMaxBytes});
  if (!json) return invalid(ErrorCode::parse_error, kNoId, "Parse error: " + json.error().what);
  if (json->is_array()) return invalid(ErrorCode::invalid_request, kNoId, "Invalid request: batches are not supported");
  if (!json->is_object()) return invalid(ErrorCode::invalid_request, kNoId, "Invalid request: not a JSON object");
  const auto id = json->find("id");
  std::string text = id == json->end() ? kNoId : id_text(*id);
  if (text.empty())
    return invalid(ErrorCode::invalid_request, kNoId,
                   fmt::format("Invalid request: the id is neither a whole number nor a string of at most {} bytes",
                               limits::kMcpIdMaxBytes));
  if (const auto version = json->find("jsonrpc"); version == json->end() || *version != "2.0")
    return invalid(ErrorCode::invalid_request, std::move(text), "Invalid request: jsonrpc is not \"2.0\"");
  Incoming message;
  message.id = std::move(text);
  const auto method = json->find("method");
  if (method == json->end() && (json->contains("result") || json->contains("error"))) {
    message.kind = Incoming::Kind::response;
    return message;
  }
  if (method == json->end() || !method->is_string())
    return invalid(ErrorCode::invalid_request, std::move(message.id), "Invalid request: the method is not a string");
  message.method = std::move(method->get_ref<std::string&>());
  message.kind = id == json->end() ? Incoming::Kind::notification : Incoming::Kind::request;
  if (const auto params = json->find("params"); params != json->end() && !params->is_null()) {
    if (!params->is_object() && message.kind == Incoming::Kind::request)
      return invalid(ErrorCode::invalid_params, std::move(message.id), "Invalid params: not a JSON object");
    if (params->is_object()) message.params = std::move(*params);
  }
  return message;
}

void begin_result(std::string& out, std::string_view id) {
  out += R"({"jsonrpc":"2.0","id":)";
  out += id;
  out += R"(,"result":{)";
}

void end_result(std::string& out) { out += "}}\n"; }

void append_result(std::string& out, std::string_view id, std::string_view members) {
  begin_result(out, id);
  out += members;
  end_result(out);
}

void append_error(std::string& out, std::string_view id, const ErrorAnswer& error) {
  out += fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":)", id, static_cast<int>(error.code));
  append_json_string(out, error.message);
  if (!error.data.empty()) out += fmt::format(R"(,"data":{})", error.data);
  out += "}}\n";
}

void append_notification(std::string& out, std::string_view method, std::string_view params) {
  out += fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{}}})", method, params);
  out += '\n';
}

}  // namespace teamster::mcp
