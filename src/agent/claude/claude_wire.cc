#include "agent/claude/claude_wire.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::agent::claude {
namespace {

std::string text_of(const Json& object, const char* field) {
  if (!object.is_object()) return {};
  const auto value = object.find(field);
  return value != object.end() && value->is_string() ? value->get<std::string>() : std::string();
}

std::int64_t number_of(const Json& object, const char* field) {
  if (!object.is_object()) return 0;
  const auto value = object.find(field);
  // A count that does not fit is no count.
  if (value == object.end() || !value->is_number()) return 0;
  const double number = value->get<double>();
  return number >= 0 && number < 9e15 ? static_cast<std::int64_t>(number) : 0;
}

bool flag_of(const Json& object, const char* field) {
  if (!object.is_object()) return false;
  const auto value = object.find(field);
  return value != object.end() && value->is_boolean() && value->get<bool>();
}

const Json& member_of(const Json& object, const char* field) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto value = object.find(field);
  return value == object.end() ? kNothing : *value;
}

// What no session costs is no cost: the hub would refuse the whole turn for it.
std::optional<double> money_of(const Json& object, const char* field) {
  constexpr double kMax = 1e6;
  const Json& value = member_of(object, field);
  if (!value.is_number() || !(value.get<double>() >= 0) || value.get<double>() > kMax) return std::nullopt;
  return value.get<double>();
}

// A tool's result is a text, or a list of blocks of which we keep the texts.
std::string content_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const auto& block : content) text += text_of(block, "text");
  return text;
}

// Who speaks in a line of blocks. In the place of the user the program notes what it did
// ("[Request interrupted by user]"), in the place of the model what the provider said.
enum class Speaker { model, program };

Speaker speaker_of(const Json& line) {
  const bool is_user = text_of(line, "type") == "user";
  return is_user || text_of(member_of(line, "message"), "model") == "<synthetic>" ? Speaker::program : Speaker::model;
}

Usage usage_of(const Json& line) {
  const Json& usage = member_of(line, "usage");
  Usage out;
  out.input_tokens = number_of(usage, "input_tokens");
  out.output_tokens = number_of(usage, "output_tokens");
  out.cache_read_tokens = number_of(usage, "cache_read_input_tokens");
  out.cache_write_tokens = number_of(usage, "cache_creation_input_tokens");
  return out;
}

void read_blocks(const Json& line, std::vector<Event>& events) {
  const Json& message = member_of(line, "message");
  const Json& content = member_of(message, "content");
  if (!content.is_array()) return;
  const Speaker speaker = speaker_of(line);
  for (const auto& block : content) {
    const std::string type = text_of(block, "type");
    Activity activity;
    if (type == "text") {
      activity.kind = speaker == Speaker::model ? Activity::Kind::text : Activity::Kind::status;
      activity.text = text_of(block, "text");
    } else if (type == "thinking") {
      activity.kind = Activity::Kind::thinking;
      activity.text = text_of(block, "thinking");
    } else if (type == "tool_use") {
      activity.kind = Activity::Kind::tool_call;
      activity.tool = text_of(block, "name");
      activity.id = text_of(block, "id");
      activity.input = member_of(block, "input");
    } else if (type == "tool_result") {
      activity.kind = Activity::Kind::tool_result;
      activity.id = text_of(block, "tool_use_id");
      activity.text = content_text(member_of(block, "content"));
      activity.is_error = flag_of(block, "is_error");
    } else {
      continue;
    }
    activity.message = text_of(message, "id");
    const Usage used = usage_of(message);
    activity.tokens = used.input_tokens + used.output_tokens;
    events.emplace_back(std::move(activity));
  }
}

std::optional<InputState> lifecycle_state(const std::string& name) {
  if (name == "queued") return InputState::accepted;
  if (name == "started") return InputState::taken;
  if (name == "completed") return InputState::done;
  if (name == "cancelled" || name == "discarded" || name == "refused") return InputState::failed;
  return std::nullopt;
}

// The words of the program for what its status does not tell apart. Measured: tests/real/permanent_test.cc.
struct FaultWords {
  std::string_view words;
  Fault fault;
};
constexpr std::array<FaultWords, 10> kFaultWords = {{
    {"prompt is too long", Fault::context},
    {"conversation is too long", Fault::context},
    {"conversation too long", Fault::context},
    {"credit balance is too low", Fault::credit},
    {"not logged in", Fault::login},
    {"please run /login", Fault::login},
    {"invalid api key", Fault::login},
    {"oauth token", Fault::login},
    {"issue with the selected model", Fault::model},
    {"model may not exist", Fault::model},
}};

std::optional<Fault> fault_in_words(const Json& line) {
  std::string text = text_of(line, "result");
  const Json& errors = member_of(line, "errors");
  if (errors.is_array())
    for (const auto& error : errors)
      if (error.is_string()) text += error.get_ref<const std::string&>();
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const auto& each : kFaultWords)
    if (text.find(each.words) != std::string::npos) return each.fault;
  return std::nullopt;
}

// `subtype` says "success" for failed calls of the provider: is_error decides.
Fault fault_of(const Json& line) {
  const std::string reason = text_of(line, "terminal_reason");
  if (reason == "aborted_streaming" || reason == "aborted_tools") return Fault::interrupted;
  if (!flag_of(line, "is_error")) return Fault::none;
  // Said by the scripted agent alone, which speaks this format.
  if (reason == "script_failed") return Fault::script;
  if (reason == "prompt_too_long") return Fault::context;
  if (reason == "max_turns" || reason == "budget_exhausted") return Fault::limit;
  if (const auto told = fault_in_words(line)) return *told;
  switch (number_of(line, "api_error_status")) {
    case 400:
    case 422:
      // The same would be refused again, in this conversation: it is no weather.
      return Fault::crashed;
    case 401:
    case 403:
      return Fault::login;
    case 402:
      return Fault::credit;
    case 404:
      return Fault::model;
    case 413:
      return Fault::context;
    case 429:
      return Fault::rate_limit;
    case 529:
      return Fault::overloaded;
    default:
      return Fault::provider;
  }
}

std::string error_of(const Json& line) {
  const Json& errors = member_of(line, "errors");
  if (errors.is_array() && !errors.empty() && errors[0].is_string()) return errors[0].get<std::string>();
  const std::string text = text_of(line, "result");
  return text.empty() ? "the turn ended with an error: " + text_of(line, "subtype") : text;
}

// Of this turn alone, by model.
std::optional<double> turn_cost_of(const Json& line) {
  const Json& models = member_of(line, "model_usage_since_last_result");
  if (!models.is_object()) return std::nullopt;
  double sum = 0;
  for (const auto& model : models) sum += money_of(model, "costUSD").value_or(0);
  return sum;
}

Ended read_result(const Json& line) {
  Ended ended;
  TurnEnd& turn = ended.turn;
  turn.fault = fault_of(line);
  turn.text = text_of(line, "result");
  if (!turn.is_good()) turn.error = error_of(line);
  turn.stop_reason = text_of(line, "stop_reason");
  turn.usage = usage_of(line);
  turn.usage.cost_usd = turn_cost_of(line);
  ended.is_conversation_lost = turn.error.starts_with("No conversation found with session ID");
  if (const Json& structured = member_of(line, "structured_output"); !structured.is_null())
    turn.structured = structured;
  ended.session_cost_usd = money_of(line, "total_cost_usd");
  turn.solicited = text_of(member_of(line, "origin"), "kind") != "task-notification";
  if (const Json& inputs = member_of(line, "user_message_uuids"); inputs.is_array())
    for (const auto& id : inputs)
      if (id.is_string()) turn.inputs.push_back(id.get<std::string>());
  return ended;
}

void read_system(const Json& line, std::vector<Event>& events) {
  const std::string subtype = text_of(line, "subtype");
  if (subtype == "init")
    events.emplace_back(Began{text_of(line, "session_id"), text_of(line, "model"), member_of(line, "mcp_servers")});
  if (subtype == "background_tasks_changed")
    events.emplace_back(BackgroundJobs{member_of(line, "tasks").is_array() ? member_of(line, "tasks").size() : 0});
  if (subtype == "api_retry")
    events.emplace_back(Retry{static_cast<int>(number_of(line, "attempt")),
                              static_cast<int>(number_of(line, "error_status")), text_of(line, "error"),
                              number_of(line, "retry_delay_ms")});
}

void read_control_request(const Json& line, std::vector<Event>& events) {
  const Json& request = member_of(line, "request");
  if (text_of(request, "subtype") != "can_use_tool") return;
  events.emplace_back(PermissionRequest{text_of(line, "request_id"), text_of(request, "tool_name"),
                                        member_of(request, "input"), text_of(request, "description")});
}

std::string line_of(const Json& json) { return dump_json(json) + "\n"; }

std::string control_line(const std::string& request_id, const char* subtype) {
  return line_of({{"type", "control_request"}, {"request_id", request_id}, {"request", {{"subtype", subtype}}}});
}

}  // namespace

Result<std::vector<Event>> read_line(std::string_view line) {
  const Json json = TRY(parse_json(line, {.max_bytes = limits::kAgentLineMaxBytes}));
  if (!json.is_object()) return fail(Code::invalid, "a line that is no JSON object");
  std::vector<Event> events;
  const std::string type = text_of(json, "type");
  if (type == "assistant" || type == "user") {
    // Our own words come back when asked for; they are no activity of the agent.
    if (!flag_of(json, "isReplay")) read_blocks(json, events);
  } else if (type == "result") {
    events.emplace_back(read_result(json));
  } else if (type == "system") {
    read_system(json, events);
  } else if (type == "command_lifecycle") {
    if (const auto state = lifecycle_state(text_of(json, "state")))
      events.emplace_back(InputNews{text_of(json, "command_uuid"), *state});
  } else if (type == "control_request") {
    read_control_request(json, events);
  } else if (type == "control_cancel_request") {
    events.emplace_back(PermissionWithdrawn{text_of(json, "request_id")});
  } else if (type == "control_response") {
    const Json& response = member_of(json, "response");
    events.emplace_back(ControlAnswer{text_of(response, "request_id"), text_of(response, "subtype") == "error",
                                      text_of(response, "error")});
  }
  return events;
}

std::string user_line(const SessionInput& input) {
  return line_of({{"type", "user"}, {"uuid", input.id}, {"message", {{"role", "user"}, {"content", input.text}}}});
}

std::string interrupt_line(const std::string& request_id) { return control_line(request_id, "interrupt"); }
std::string initialize_line(const std::string& request_id) { return control_line(request_id, "initialize"); }
std::string end_line(const std::string& request_id) { return control_line(request_id, "end_session"); }

std::string permission_line(const std::string& request_id, const PermissionAnswer& answer) {
  Json decision = {{"behavior", answer.allow ? "allow" : "deny"}};
  if (answer.allow && answer.updated_input) decision["updatedInput"] = *answer.updated_input;
  if (!answer.allow) decision["message"] = answer.message;
  return line_of({{"type", "control_response"},
                  {"response", {{"subtype", "success"}, {"request_id", request_id}, {"response", decision}}}});
}

}  // namespace teamster::agent::claude
