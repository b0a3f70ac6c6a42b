// Wire: JSON-RPC messages as text, read and written. Reading never fails: what is no message
// becomes one that says which error to answer with. Pure; no message holds a line break.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::mcp {

// Of JSON-RPC, and one of MCP since 2026-07-28.
enum class ErrorCode {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  unsupported_version = -32022,
};

struct Incoming {
  enum class Kind { request, notification, response, invalid };
  Kind kind = Kind::invalid;
  std::string id;  // as JSON: 7, "a" or null
  std::string method;
  Json params = Json::object();
  // Of one that is invalid.
  ErrorCode code = ErrorCode::invalid_request;
  std::string what;
};

Incoming read_message(std::string_view line);

// The id as JSON when it is one: a string of bounded length or a whole number; else empty.
std::string id_text(const Json& id);

// Whole lines. `id`, `members`, `data` and `params` are JSON; `members` are those of the result,
// without its braces.
void append_result(std::string& out, std::string_view id, std::string_view members);
// The same in pieces: the members go between these two.
void begin_result(std::string& out, std::string_view id);
void end_result(std::string& out);
struct ErrorAnswer {
  ErrorCode code;
  std::string message;
  std::string data = {};  // left out when empty
};
void append_error(std::string& out, std::string_view id, const ErrorAnswer& error);
void append_notification(std::string& out, std::string_view method, std::string_view params);

}  // namespace teamster::mcp
