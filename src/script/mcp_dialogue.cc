#include "script/mcp_dialogue.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "version.h"

namespace teamster::script {
namespace {

constexpr const char* kModern = "2026-07-28";
constexpr const char* kLegacy = "2025-11-25";
constexpr const char* kProbe = "probe";
constexpr const char* kGreeting = "initialize";

Json client_info() { return {{"name", "teamster-script"}, {"version", kVersion}}; }

std::string line_of(const Json& message) { return dump_json(message) + "\n"; }

std::string text_of_result(const Json& content) {
  std::string text;
  if (!content.is_array()) return text;
  for (const auto& block : content) {
    if (!block.is_object() || block.value("type", Json()) != "text") continue;
    const auto words = block.find("text");
    if (words == block.end() || !words->is_string()) continue;
    if (!text.empty()) text += '\n';
    text += words->get_ref<const std::string&>();
  }
  return text;
}

std::string error_text(const Json& error) {
  const auto message = error.is_object() ? error.value("message", Json()) : Json();
  const auto code = error.is_object() ? error.value("code", Json()) : Json();
  return fmt::format("MCP error {}: {}", dump_json(code), message.is_string() ? message.get<std::string>() : "");
}

Outcome outcome_of(const Json& message) {
  if (const auto error = message.find("error"); error != message.end())
    return {.is_error = true, .text = error_text(*error)};
  const Json result = message.value("result", Json());
  if (!result.is_object()) return {.is_error = true, .text = "the server's answer has no result"};
  if (result.value("resultType", Json("complete")) == "input_required")
    return {.is_error = true, .text = "the tool asks for more input, which a script cannot give"};
  Outcome outcome;
  outcome.is_error = result.value("isError", Json(false)) == true;
  outcome.text = text_of_result(result.value("content", Json()));
  outcome.structured = result.value("structuredContent", Json());
  // A server without structured content may still answer with JSON.
  if (outcome.structured.is_null())
    if (auto parsed = parse_json(outcome.text); parsed && parsed->is_structured()) outcome.structured = *parsed;
  return outcome;
}

}  // namespace

std::string McpDialogue::request(const Json& id, std::string_view method, Json params) const {
  if (state_ == State::probing || state_ == State::modern)
    params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", kModern},
                       {"io.modelcontextprotocol/clientCapabilities", Json::object()},
                       {"io.modelcontextprotocol/clientInfo", client_info()}};
  return line_of({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
}

std::string McpDialogue::open() { return request(kProbe, "server/discover", Json::object()); }

std::string McpDialogue::call(std::int64_t id, const std::string& tool, const Json& arguments) {
  if (is_ready()) {
    open_.insert(id);
    return call_line(id, tool, arguments);
  }
  waiting_.push_back({id, tool, arguments});
  return {};
}

std::string McpDialogue::call_line(std::int64_t id, const std::string& tool, const Json& arguments) const {
  return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

std::string McpDialogue::cancel(std::int64_t id) {
  std::erase_if(waiting_, [id](const Waiting& call) { return call.id == id; });
  if (open_.erase(id) == 0) return {};
  return line_of({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}});
}

Result<std::vector<McpDialogue::Reply>> McpDialogue::take(std::string_view line, std::string& send) {
  std::vector<Reply> replies;
  if (trimmed(line).empty()) return replies;
  auto message = parse_json(line, {.max_bytes = limits::kScriptToolLineMaxBytes});
  if (!message || !message->is_object())
    return fail(Code::failed, fmt::format("the server printed what is no MCP message: {}", quoted(line, 100)));
  const Json id = message->value("id", Json());
  if (message->contains("method")) {
    // A request of the server; what it only notifies of does not concern us.
    if (id.is_null()) return replies;
    const bool is_ping = (*message)["method"] == "ping";
    Json answer = {{"jsonrpc", "2.0"}, {"id", id}};
    if (is_ping)
      answer["result"] = Json::object();
    else
      answer["error"] = {{"code", -32601}, {"message", "a script offers nothing to servers"}};
    send += line_of(answer);
  } else if (state_ == State::probing && id == kProbe) {
    TRY_VOID(take_probe(*message, send));
  } else if (state_ == State::greeting && id == kGreeting) {
    TRY_VOID(take_greeting(*message, send));
  } else if (id.is_number_integer() && open_.erase(id.get<std::int64_t>()) > 0) {
    replies.push_back({id.get<std::int64_t>(), outcome_of(*message)});
  }
  return replies;
}

Result<void> McpDialogue::take_probe(const Json& message, std::string& send) {
  const Json result = message.value("result", Json());
  const Json versions = result.is_object() ? result.value("supportedVersions", Json::array()) : Json::array();
  if (std::find(versions.begin(), versions.end(), kModern) != versions.end()) {
    become_ready(State::modern, send);
    return {};
  }
  state_ = State::greeting;
  send += request(kGreeting, "initialize",
                  {{"protocolVersion", kLegacy}, {"capabilities", Json::object()}, {"clientInfo", client_info()}});
  return {};
}

Result<void> McpDialogue::take_greeting(const Json& message, std::string& send) {
  if (!message.contains("result"))
    return fail(Code::failed,
                fmt::format("the server refuses to begin: {}", error_text(message.value("error", Json()))));
  send += line_of({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  become_ready(State::legacy, send);
  return {};
}

void McpDialogue::become_ready(State state, std::string& send) {
  state_ = state;
  for (const auto& call : std::exchange(waiting_, {})) {
    open_.insert(call.id);
    send += call_line(call.id, call.tool, call.arguments);
  }
}

}  // namespace teamster::script
