#include "script/wire.h"

#include <fmt/format.h>

namespace teamster::script {
namespace {

Json tokens(const Usage& usage) {
  return {{"input_tokens", usage.input_tokens},
          {"output_tokens", usage.output_tokens},
          {"cache_read_input_tokens", usage.cache_read_input_tokens},
          {"cache_creation_input_tokens", usage.cache_creation_input_tokens}};
}

Json turn_usage(const Usage& usage) {
  Json json = tokens(usage);
  json["output_tokens_details"] = {{"thinking_tokens", 0}};
  json["server_tool_use"] = {{"web_search_requests", 0}, {"web_fetch_requests", 0}};
  json["cache_creation"] = {{"ephemeral_1h_input_tokens", 0}, {"ephemeral_5m_input_tokens", 0}};
  json["service_tier"] = "standard";
  json["iterations"] = Json::array();
  json["speed"] = "standard";
  return json;
}

Json model_usage(const Usage& usage) {
  return {{"inputTokens", usage.input_tokens},
          {"outputTokens", usage.output_tokens},
          {"cacheReadInputTokens", usage.cache_read_input_tokens},
          {"cacheCreationInputTokens", usage.cache_creation_input_tokens},
          {"webSearchRequests", 0},
          {"costUSD", usage.cost_usd},
          {"contextWindow", 1'000'000},
          {"maxOutputTokens", 128'000},
          {"thinkingTokens", 0}};
}

void add_prompt(Json& event, const UserMessage* prompt) {
  if (prompt == nullptr || !prompt->has_uuid()) return;
  event["user_message_uuid"] = prompt->uuid;
  event["user_message_uuids"] = Json::array({prompt->uuid});
}

void add_if_any(Json& event, const char* key, const Json& value) {
  if (!value.is_null()) event[key] = value;
}

}  // namespace

std::string Wire::random_uuid(env::Random& random) {
  std::string hex = random.hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];
  const std::string_view digits = hex;
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                     digits.substr(16, 4), digits.substr(20));
}

// Keys come sorted; beginning at another one each time, and never with `type`, keeps readers honest.
std::string Wire::line(const Json& event) {
  std::vector<std::string> members;
  std::size_t type_at = 0;
  for (const auto& [key, value] : event.items()) {
    if (key == "type") type_at = members.size();
    members.push_back(fmt::format("{}:{}", dump_json(Json(key)), dump_json(value)));
  }
  std::size_t first = printed_++ % members.size();
  if (first == type_at) first = (first + 1) % members.size();
  std::string text = "{";
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) text += ',';
    text += members[(first + i) % members.size()];
  }
  return text + "}\n";
}

std::string Wire::event_line(Json event) {
  event["session_id"] = session_id_;
  if (!event.contains("uuid")) event["uuid"] = new_uuid();
  return line(event);
}

std::string Wire::message_line(Json event) {
  event["parent_tool_use_id"] = nullptr;
  event["timestamp"] = to_iso8601(clock_.wall_now());
  return event_line(std::move(event));
}

std::string Wire::init(const InitFacts& facts, const UserMessage* prompt) {
  Json servers = Json::array();
  // Pending, because a server is started by the first call to it.
  for (const auto& name : facts.mcp_servers)
    servers.push_back({{"name", name}, {"status", "pending"}, {"source", "dynamic"}});
  Json event = {{"type", "system"},
                {"subtype", "init"},
                {"cwd", facts.cwd},
                {"original_cwd", facts.cwd},
                {"model", facts.model},
                {"permissionMode", facts.permission_mode},
                {"tools", facts.tools},
                {"mcp_servers", std::move(servers)},
                {"slash_commands", Json::array()},
                {"agents", Json::array()},
                {"skills", Json::array()},
                {"plugins", Json::array()},
                {"apiKeySource", "none"},
                {"output_style", "default"},
                {"capabilities", Json::array({"interrupt_receipt_v1", "msg_lifecycle_v1"})},
                {"claude_code_version", "2.1.325"}};
  if (prompt != nullptr && prompt->has_uuid()) event["user_message_uuids"] = Json::array({prompt->uuid});
  return event_line(std::move(event));
}

std::string Wire::assistant(const Json& block, std::string_view model, const UserMessage* prompt, bool is_aborted) {
  Json message = {
      {"id", "msg_" + random_.hex(12)},  {"type", "message"},      {"role", "assistant"},      {"model", model},
      {"content", Json::array({block})}, {"stop_reason", nullptr}, {"stop_sequence", nullptr}, {"usage", tokens({})}};
  Json event = {{"type", "assistant"}, {"message", std::move(message)}};
  if (is_aborted) event["aborted"] = true;
  add_prompt(event, prompt);
  return message_line(std::move(event));
}

std::string Wire::tool_result(const std::string& tool_use_id, const Json& content, bool is_error, const Json& detail) {
  Json block = {{"type", "tool_result"}, {"tool_use_id", tool_use_id}, {"content", content}};
  if (is_error) block["is_error"] = true;
  return message_line({{"type", "user"},
                       {"message", {{"role", "user"}, {"content", Json::array({std::move(block)})}}},
                       {"tool_use_result", detail}});
}

std::string Wire::user_text(std::string_view text, bool is_synthetic) {
  Json block = {{"type", "text"}, {"text", text}};
  Json event = {{"type", "user"}, {"message", {{"role", "user"}, {"content", Json::array({std::move(block)})}}}};
  if (is_synthetic) event["isSynthetic"] = true;
  return message_line(std::move(event));
}

std::string Wire::replay(const UserMessage& message) {
  Json event = {{"type", "user"}, {"message", {{"role", "user"}, {"content", message.content}}}, {"isReplay", true}};
  if (message.has_uuid()) event["uuid"] = message.uuid;
  return message_line(std::move(event));
}

std::string Wire::lifecycle(const UserMessage& message, std::string_view state) {
  return event_line({{"type", "command_lifecycle"}, {"command_uuid", message.uuid}, {"state", state}});
}

std::string Wire::result(const ResultFacts& facts, const UserMessage* prompt) {
  const auto took_ms = to_ms(facts.took);
  Json event = {{"type", "result"},
                {"subtype", facts.subtype},
                {"is_error", facts.is_error},
                {"num_turns", facts.num_turns},
                {"result_index", facts.result_index},
                {"queued_turn_count", facts.queued_turn_count},
                {"stop_reason", facts.stop_reason},
                {"terminal_reason", facts.terminal_reason},
                {"api_error_status", facts.api_error_status},
                {"permission_denials", facts.permission_denials},
                {"duration_ms", took_ms},
                {"duration_api_ms", took_ms},
                {"ttft_ms", 0},
                {"total_cost_usd", facts.total.cost_usd},
                {"usage", turn_usage(facts.usage)},
                {"safety_stops", 0},
                {"fast_mode_state", "off"}};
  Json by_model = Json::object();
  for (const auto& [model, usage] : facts.spent) by_model[model] = model_usage(usage);
  event["modelUsage"] = std::move(by_model);
  event["model_usage_since_last_result"] = Json::object();
  if (facts.usage != Usage()) event["model_usage_since_last_result"][facts.model] = model_usage(facts.usage);
  event["subagent_stats"] = {{"spawned", 0}, {"completed", 0}, {"failed", 0}, {"by_type", Json::object()}};
  add_if_any(event, "result", facts.result);
  add_if_any(event, "structured_output", facts.structured_output);
  add_if_any(event, "errors", facts.errors);
  add_if_any(event, "api_error_type", facts.api_error_type);
  add_if_any(event, "origin", facts.origin);
  add_prompt(event, prompt);
  return event_line(std::move(event));
}

std::string Wire::status(std::string_view permission_mode) {
  return event_line(
      {{"type", "system"}, {"subtype", "status"}, {"status", nullptr}, {"permissionMode", permission_mode}});
}

std::string Wire::api_retry(int attempt, int max_retries, const Json& status, std::string_view error) {
  return event_line({{"type", "system"},
                     {"subtype", "api_retry"},
                     {"attempt", attempt},
                     {"max_retries", max_retries},
                     {"retry_delay_ms", 500 * attempt},
                     {"error_status", status},
                     {"error", error}});
}

std::string Wire::control_success(const std::string& request_id, const Json& response) {
  return line({{"type", "control_response"},
               {"response", {{"subtype", "success"}, {"request_id", request_id}, {"response", response}}}});
}

std::string Wire::control_error(const std::string& request_id, std::string_view error, std::string_view code) {
  return line(
      {{"type", "control_response"},
       {"response", {{"subtype", "error"}, {"request_id", request_id}, {"error", error}, {"error_code", code}}}});
}

std::string Wire::can_use_tool(const std::string& request_id, const std::string& tool, const Json& input,
                               const std::string& tool_use_id) {
  Json request = {{"subtype", "can_use_tool"},
                  {"tool_name", tool},
                  {"display_name", tool},
                  {"input", input},
                  {"permission_suggestions", Json::array()},
                  {"decision_reason", "This command requires approval"},
                  {"tool_use_id", tool_use_id}};
  return line({{"type", "control_request"}, {"request_id", request_id}, {"request", std::move(request)}});
}

std::string Wire::cancel_request(const std::string& request_id) {
  return line({{"type", "control_cancel_request"}, {"request_id", request_id}});
}

}  // namespace teamster::script
