// The player's part that plays steps, and what becomes of the tools they call.
#include <algorithm>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"
#include "script/api_failure.h"
#include "script/player.h"

namespace teamster::script {
namespace {

constexpr std::string_view kTeamServer = "team";

std::string text_at(const Json& object, const char* key) {
  const auto it = object.is_object() ? object.find(key) : object.end();
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::string tool_name(const std::string& name) {
  return name.starts_with("mcp__") ? name : fmt::format("mcp__{}__{}", kTeamServer, name);
}

// "mcp__team__send_message" is the tool send_message of the server team.
ToolCall tool_call(const std::string& name, const Json& arguments) {
  const std::string_view rest = std::string_view(name).substr(std::string_view("mcp__").size());
  const std::size_t end = std::min(rest.find("__"), rest.size());
  return {std::string(rest.substr(0, end)), std::string(rest.substr(std::min(end + 2, rest.size()))), arguments};
}

bool covers(const std::vector<std::string>& list, const std::string& tool) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& entry) {
    return entry == tool || (entry.starts_with("mcp__") && tool.starts_with(entry + "__"));
  });
}

// What a claim is remembered by: the task, with its token.
Json claim_of(const Json& answer) {
  if (!answer.is_object() || !answer.contains("task")) return answer;
  Json task = answer["task"];
  if (task.is_object() && !task.contains("token") && answer.contains("token")) task["token"] = answer["token"];
  return task;
}

}  // namespace

void Player::play(const Say& say) {
  std::string text = filled(say.text);
  print_assistant({{"type", "text"}, {"text", text}});
  complete_step({.said = std::move(text)});
  go_on();
}

void Player::play(const Think& think) {
  print_assistant({{"type", "thinking"}, {"thinking", filled(think.text)}, {"signature", "c2NyaXB0"}});
  complete_step();
  go_on();
}

void Player::play(const ChangeFile& change) {
  ChangeFile filled_change = change;
  filled_change.path = filled(change.path);
  filled_change.text = filled(change.text);
  Json input = {{"file_path", filled_change.path}};
  if (change.how != ChangeFile::How::remove) input["content"] = filled_change.text;
  if (change.how == ChangeFile::How::append) input["append"] = true;
  if (change.how == ChangeFile::How::remove) input["remove"] = true;
  open_tool("Write", input);
  begin(FileChange{std::move(filled_change)}, Waiting::effect);
}

void Player::play(const RunCommand& run) {
  open_tool("Bash", {{"command", filled(run.command)}});
  perform_open_tool();
}

// In the prompt at hand, else in what was heard before, the latest first.
void Player::play(const Find& find) {
  const auto pattern = Pattern::compile(find.pattern);
  std::optional<std::string> found = pattern ? pattern->first_group(running_->prompt.text) : std::nullopt;
  for (auto it = place_.heard.rbegin(); pattern && !found && it != place_.heard.rend(); ++it)
    found = pattern->first_group(*it);
  if (found) {
    complete_step({.saved = std::pair{find.save, Json(*found)}});
    return go_on();
  }
  complete_step();
  end_turn({.subtype = "error_during_execution",
            .is_error = true,
            .errors = Json::array(
                {fmt::format("{}: nothing that was heard has {}", settings_.script_file, quoted(find.pattern, 200))}),
            .terminal_reason = "script_failed"},
           true);
}

void Player::play(const CallTool& call) {
  Json arguments = filled_json(call.arguments);
  const auto claim = place_.saved.find("claim");
  const bool has_claim = claim != place_.saved.end() && claim->second.is_object() && claim->second.contains("token");
  if (call.needs_last_claim && has_claim) {
    arguments["id"] = claim->second.value("id", Json());
    arguments["token"] = claim->second["token"];
  }
  open_tool(tool_name(call.name), arguments);
  if (call.needs_last_claim && !has_claim) return refuse_tool("this agent has claimed no task to update");
  perform_open_tool();
}

void Player::play(const AskPermission& ask) {
  open_tool(ask.tool, filled_json(ask.input));
  if (covers(settings_.disallowed_tools, ask.tool))
    return refuse_tool(fmt::format("<tool_use_error>Error: No such tool available: {}</tool_use_error>", ask.tool));
  if (is_allowed(ask.tool)) return perform_open_tool();
  if (!settings_.asks_permission || has_input_ended_ || permission_mode_ == "dontAsk")
    return deny(fmt::format("Claude requested permissions to use {}, but you haven't granted it yet.", ask.tool),
                false);
  running_->tool->request_id = wire_.new_uuid();
  print(wire_.can_use_tool(running_->tool->request_id, ask.tool, running_->tool->input, running_->tool->id));
  waiting_ = Waiting::permission;
}

void Player::play(const AnswerStep& answer) {
  const Json value = filled_json(answer.value);
  open_tool("StructuredOutput", value);
  if (!schema_) return refuse_tool("<tool_use_error>Error: No such tool available: StructuredOutput</tool_use_error>");
  const auto problems = schema_->check(value);
  if (!problems.empty())
    return refuse_tool(fmt::format("Output does not match required schema: {}", join(problems, ", ")));
  close_tool({.text = "Structured output provided successfully"});
  complete_step();
  end_turn({.result = dump_json(value), .structured_output = value, .stop_reason = "tool_use"}, false);
}

void Player::play(const SpendUsage& spend) {
  complete_step({.usage = spend.usage});
  go_on();
}

void Player::play(const Sleep& sleep) { begin(Pause{permuted(sleep.span, "sleep")}, Waiting::effect); }

void Player::play(const WaitMessage& wait) {
  const bool is_there = running_->unread > 0 || std::any_of(pending_.begin(), pending_.end(), [](const auto& message) {
                          return message.priority == UserMessage::Priority::next;
                        });
  if (is_there) return take_message();
  begin(Pause{has_input_ended_ ? Duration::zero() : wait.timeout}, Waiting::message);
}

void Player::play(const FailRequest& failure) {
  const ApiFailure words = describe(failure);
  for (int attempt = 1; attempt <= failure.retries; ++attempt)
    print(wire_.api_retry(attempt, failure.retries, words.status, words.reason));
  print(wire_.assistant({{"type", "text"}, {"text", words.text}}, "<synthetic>", &running_->prompt));
  complete_step();
  ResultFacts facts;
  facts.is_error = true;
  facts.result = words.text;
  facts.stop_reason = "stop_sequence";
  facts.terminal_reason = "api_error";
  facts.api_error_status = words.status;
  facts.api_error_type = words.type;
  end_turn(std::move(facts), true);
}

// This step and the next ones count as done before they do harm: nobody comes back from them.
void Player::play(const Crash& crash) {
  complete_step();
  actions_.emplace_back(Die{crash});
}

void Player::play(const Garble& garble) {
  complete_step();
  print(garble.ends_line ? garble.text + "\n" : garble.text);
  go_on();
}

void Player::play(const Huge& huge) {
  complete_step();
  print_assistant({{"type", "text"}, {"text", std::string(huge.bytes, 'x')}});
  go_on();
}

void Player::play(const Mute&) {
  complete_step();
  begin(Pause{Duration::max()}, Waiting::ever);
}

void Player::play(const Deaf& deaf) {
  complete_step();
  is_deaf_ = true;
  is_deaf_to_end_ = deaf.to_end_of_input;
  go_on();
}

void Player::play(const Fork& fork) {
  open_tool("Bash", {{"command", fork.command}, {"run_in_background", true}});
  begin(LeaveChild{fork}, Waiting::effect);
}

void Player::play(const Unsolicited& unsolicited) {
  running_->unsolicited.push_back(filled(unsolicited.text));
  complete_step();
  go_on();
}

void Player::play(const End& end) {
  complete_step();
  run_out(end.stop_reason);
}

void Player::open_tool(const std::string& name, const Json& input) {
  running_->tool = OpenTool{wire_.new_tool_use_id(), name, input, {}};
  print_assistant({{"type", "tool_use"}, {"id", running_->tool->id}, {"name", name}, {"input", input}});
}

// The tool is allowed: what it does is told by its name and its input, which the host may have changed.
void Player::perform_open_tool() {
  const OpenTool& tool = *running_->tool;
  if (tool.name == "Bash")
    return begin(Command{text_at(tool.input, "command"), running_->prompt.text, running_->last_message},
                 Waiting::effect);
  if (tool.name == "Write")
    return begin(FileChange{{.path = text_at(tool.input, "file_path"), .text = text_at(tool.input, "content")}},
                 Waiting::effect);
  if (tool.name.starts_with("mcp__")) return begin(tool_call(tool.name, tool.input), Waiting::effect);
  take_outcome({.text = fmt::format("{} was allowed; the script does nothing for it", tool.name)});
}

// Messages that came meanwhile are read together with the result.
void Player::close_tool(const Outcome& outcome) {
  const bool failed = outcome.is_error || outcome.exit.value_or(0) != 0;
  std::string text = outcome.text;
  if (outcome.exit.value_or(0) != 0) text = fmt::format("Exit code {}\n{}", *outcome.exit, text);
  Json detail = text;
  if (failed) {
    detail = "Error: " + text;
  } else if (outcome.exit) {
    detail = {{"stdout", text}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}};
  } else if (!outcome.structured.is_null()) {
    detail = outcome.structured;
  }
  print(wire_.tool_result(running_->tool->id, text, failed, detail));
  running_->tool.reset();
  ++running_->requests;
  fold_pending();
}

void Player::refuse_tool(const std::string& text) { take_outcome({.is_error = true, .text = text}); }

void Player::take_outcome(const Outcome& outcome) {
  if (running_->tool) close_tool(outcome);
  record::StepFacts facts;
  if (const auto* call = std::get_if<CallTool>(&step()); call != nullptr && !call->save.empty() && !outcome.is_error)
    facts.saved = {call->save, call->name == "claim_task" ? claim_of(outcome.structured) : outcome.structured};
  const auto* run = std::get_if<RunCommand>(&step());
  if (run != nullptr && !run->save.empty() && !outcome.is_error) facts.saved = {run->save, outcome.text};
  complete_step(facts);
  if (run != nullptr && run->expect_exit && outcome.exit != run->expect_exit) {
    return end_turn({.subtype = "error_during_execution",
                     .is_error = true,
                     .errors = Json::array({unexpected_exit(*run, outcome)}),
                     .terminal_reason = "script_failed"},
                    true);
  }
  if (running_->is_cut) return cut_turn();
  go_on();
}

// Names the place in the script: it is the script that has to be mended, or what it is played on.
std::string Player::unexpected_exit(const RunCommand& run, const Outcome& outcome) const {
  const int turn = place_.current->turn;
  const std::string where = turn >= 0 ? fmt::format("turn {}", turn + 1) : "otherwise";
  const std::string came = outcome.exit ? fmt::format("it was {}", *outcome.exit) : "it did not run: " + outcome.text;
  return fmt::format("{}, {}: the script expected exit code {} of {}, and {}", settings_.script_file, where,
                     *run.expect_exit, quoted(run.command, 200), came);
}

void Player::deny(const std::string& message, bool ends_turn) {
  const OpenTool& tool = *running_->tool;
  running_->denials.push_back({{"tool_name", tool.name}, {"tool_use_id", tool.id}, {"tool_input", tool.input}});
  waiting_ = Waiting::nothing;
  if (!ends_turn) return refuse_tool(message);
  complete_step();
  interrupt_turn();
}

bool Player::is_allowed(const std::string& tool) const {
  if (permission_mode_ == "bypassPermissions" || covers(settings_.allowed_tools, tool)) return true;
  return permission_mode_ == "acceptEdits" && tool == "Write";
}

}  // namespace teamster::script
