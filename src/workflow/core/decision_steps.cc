// The part of Decision that starts the steps of a phase and hears what they answer.
#include <fmt/format.h>

#include "workflow/core/decision.h"
#include "workflow/core/people.h"

namespace teamster::workflow {
namespace {

constexpr const char* kProof = "/check";

std::int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// "unit_tests/errors" → the field of the field.
void set_field(Json& answer, const std::string& path, const Json& value) {
  const std::size_t slash = path.find('/');
  if (!answer.is_object()) answer = Json::object();
  if (slash == std::string::npos)
    answer[path] = value;
  else
    set_field(answer[path.substr(0, slash)], path.substr(slash + 1), value);
}

// "$output" in the fields that a failed proof sets.
Json with_output(Json value, const std::string& output) {
  if (value.is_string()) {
    if (value == "$output") return output;
    return value;
  }
  if (value.is_array() || value.is_object())
    for (auto& inner : value) inner = with_output(inner, output);
  return value;
}

}  // namespace

void Decision::step_done() {
  const Phase* current = phase(phase_of(event_.step));
  if (current == nullptr) return;
  const std::string& step = event_.step;
  if (ends_with(step, kProof)) return proved(*current);
  if (ends_with(step, "/escalate") || ends_with(step, "/budget") || ends_with(step, kUnknownEnd))
    return owner_decided(*current, step);
  if (ends_with(step, kItemList))
    return items_known(*current,
                       event_answer().is_array() ? event_answer().get<std::vector<Json>>() : std::vector<Json>());
  if (ends_with(step, kTasks)) return start_free_items(*current);
  if (ends_with(step, kMerge)) return settle(*current, event_answer(), false);
  if (step != current->id) return current->kind == Phase::Kind::pool ? pool_turn_done(*current) : item_done(*current);
  if (current->kind == Phase::Kind::agent && start_proof(*current, event_answer())) return;
  settle(*current, event_answer(), false);
}

void Decision::begin_agent(const Phase& target) {
  say(target, {.step = target.id, .role = target.role, .member = target.role, .returns = target.returns});
}

// A prompt for a member, unless a budget is spent or its words are missing.
void Decision::say(const Phase& target, Turn turn) {
  if (const auto spent = spent_budget(target, turn.role)) return ask_for_budget(target, *spent, turn);
  const auto known = state_.members.find(turn.member);
  const bool first = known == state_.members.end() || !known->second.has_preamble;
  const Json* item = item_of(turn.step);
  const auto prompt = prompt_for(pinned_, moment(target, item), {first, turn.template_file, turn.answers});
  if (!prompt) return end_with(status::kBlocked, prompt.error().text());
  command::Turn said{.member = turn.member,
                     .role = turn.role,
                     .team = known == state_.members.end() ? team_for(target, turn.step) : known->second.team,
                     .prompt = *prompt,
                     .first = first,
                     .schema = turn.returns,
                     .rung = turn.rung,
                     .temporary = turn.is_temporary,
                     .limit_ms = milliseconds(target.limit)};
  add_markers(target, said);
  emit(turn.step, std::move(said));
}

// Teammates have been seen to send the result of an earlier phase again.
void Decision::add_markers(const Phase& target, command::Turn& turn) const {
  turn.marker = marker_of(pinned_, target);
  if (turn.marker.empty()) return;
  for (const auto& each : workflow_.phases)
    if (std::string marker = marker_of(pinned_, each); marker != turn.marker)
      turn.other_markers.push_back(std::move(marker));
}

// A command of the workflow; nothing when its inputs cannot be found, and then the run ends.
std::optional<command::ShellCommand> Decision::shell_command(const Phase& target, const std::string& command,
                                                             const Json* answer) {
  auto inputs = command_inputs(pinned_, moment(target, nullptr, answer), target.check->inputs);
  if (inputs) return command::ShellCommand{command, milliseconds(target.check->limit), *std::move(inputs)};
  end_with(status::kBlocked, inputs.error().text());
  return std::nullopt;
}

// What the agent says may have to be proved; a command that is not configured proves nothing.
bool Decision::start_proof(const Phase& target, const Json& answer) {
  if (!target.check || !holds(target.check->when, answer)) return false;
  const auto command = text_or_block(target, target.check->command, &answer);
  if (!command) return true;
  if (command->empty()) return false;
  if (auto shell = shell_command(target, *command, &answer))
    emit(target.id + kProof, command::Check{.shell = *std::move(shell)});
  return true;
}

void Decision::proved(const Phase& target) {
  const auto said = state_.gathered.find(target.id);
  Json answer = said == state_.gathered.end() ? Json() : said->second;
  const bool passed = value_at(event_answer(), "passed") == Json(true);
  if (!passed) {
    const Json output = value_at(event_answer(), "output");
    for (const auto& [path, value] : target.check->then)
      set_field(answer, path, with_output(value, output.is_string() ? output.get<std::string>() : ""));
  }
  settle(target, answer, true);
}

void Decision::begin_question(const Phase& target) {
  const Question& question = *target.question;
  const auto text = text_or_block(target, question.text);
  if (!text) return;
  const auto to = text_or_block(target, question.to);
  if (!to) return;
  emit(target.id, command::Ask{.text = *text,
                               .to = addressee(state_.people, *to, question.expertise),
                               .gate = target.kind == Phase::Kind::gate,
                               .options = question.options,
                               .expertise = question.expertise,
                               .remind_ms = milliseconds(question.remind),
                               .deadline_ms = milliseconds(question.deadline)});
}

void Decision::begin_check(const Phase& target) {
  if (target.kind == Phase::Kind::notify && !target.text.empty()) {
    if (const auto text = text_or_block(target, target.text)) emit(target.id, command::Notify{.text = *text});
    return;
  }
  const auto command = text_or_block(target, target.check->command);
  if (!command) return;
  auto shell = shell_command(target, *command, nullptr);
  if (!shell) return;
  if (target.kind == Phase::Kind::check) return emit(target.id, command::Check{.shell = *std::move(shell)});
  emit(target.id, command::Notify{.shell = *std::move(shell)});
}

void Decision::begin_commit(const Phase& target) {
  const Commit& commit = *target.commit;
  std::vector<std::string> paths;
  for (const auto& each : commit.paths) {
    const auto path = text_or_block(target, each);
    if (!path) return;
    paths.push_back(*path);
  }
  command::Commit made{.paths = std::move(paths), .message = ""};
  for (const auto& [text, into] : {std::pair{&commit.message, &made.message}, std::pair{&commit.tag, &made.tag},
                                   std::pair{&commit.last_tag, &made.last_tag}}) {
    auto words = text_or_block(target, *text);
    if (!words) return;
    *into = *std::move(words);
  }
  emit(target.id, std::move(made));
}

// A person said that a step is not to be done: what it would have answered is nothing.
void Decision::skipped(const Phase& target, const std::string& step) {
  if (ends_with(step, kProof)) return settle(target, entry_of(state_.gathered, target.id), true);
  if (item_of(step) == nullptr) return settle(target, Json::object(), true);
  target.kind == Phase::Kind::pool ? pool_turn_done(target) : item_done(target);
}

}  // namespace teamster::workflow
