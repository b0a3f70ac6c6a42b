// The part of Decision that starts the steps of a phase.
#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "workflow/core/decision.h"
#include "workflow/core/people.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kWhyBytes = 500;  // of what went wrong, in the record of the next try

}  // namespace

void Decision::begin_agent(const Phase& target) {
  say(target, {.step = target.id, .role = target.role, .member = target.role, .returns = target.returns});
}

Result<std::string> Decision::words_for(const Phase& target, const Turn& turn, bool first) const {
  PromptParts parts{.first = first, .template_file = turn.template_file, .answers = turn.answers};
  parts.rung = turn.rung;
  parts.why = turn.why;
  parts.guidance = turn.guidance;
  if (const auto known = state_.members.find(turn.member); known != state_.members.end())
    parts.missed = known->second.missed;
  if (!turn.advice.empty()) return turn.advice;
  Moment at = moment_of(target, turn.step);
  at.holders = turn.holders;
  return prompt_for(pinned_, at, parts);
}

// A prompt for a member, unless a budget is spent or its words are missing.
void Decision::say(const Phase& target, Turn turn) {
  if (const auto spent = spent_budget(target, turn.role)) return ask_for_budget(target, *spent, turn);
  const auto known = state_.members.find(turn.member);
  const bool first = known == state_.members.end() || !known->second.has_preamble;
  const auto prompt = words_for(target, turn, first);
  if (!prompt) return park_words(turn.step, prompt.error());
  command::Turn said{.member = turn.member,
                     .role = turn.role,
                     .team = known == state_.members.end() ? team_for(target, turn.step) : known->second.team,
                     .prompt = *prompt,
                     .first = first,
                     .schema = turn.returns,
                     .rung = turn.rung,
                     .temporary = turn.is_temporary,
                     .limit_ms = to_ms(target.limit)};
  if (turn.step != step_of(target.id, kMerge) && turn.advice.empty()) said.files = target.files;
  if (const RunItem* item = state_.items.find(number_of_item(turn.step))) said.task = item->task;
  if (turn.rung != rung::kAnswered) said.why = beginning_of(turn.why, kWhyBytes);
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

// A command of the workflow; nothing when its inputs cannot be found, and then the step is parked.
std::optional<command::ShellCommand> Decision::shell_command(const Phase& target, const std::string& step,
                                                             const std::string& command, const Json* answer) {
  auto inputs = command_inputs(pinned_, moment_of(target, step, answer), target.check->inputs);
  if (inputs) return command::ShellCommand{command, to_ms(target.check->limit), *std::move(inputs)};
  park_words(step, inputs.error());
  return std::nullopt;
}

void Decision::begin_question(const Phase& target) {
  const Question& question = *target.question;
  command::Ask ask{.text = "", .gate = target.kind == Phase::Kind::gate};
  for (const auto& [text, into] : {std::pair{&question.text, &ask.text}, std::pair{&question.to, &ask.to},
                                   std::pair{&question.attach, &ask.attach}}) {
    auto words = text_or_park(target, target.id, *text);
    if (!words) return;
    *into = *std::move(words);
  }
  for (const auto& option : question.options) {
    auto words = text_or_park(target, target.id, option);
    if (!words) return;
    ask.options.push_back(*std::move(words));
  }
  ask.to = addressee(state_.people, ask.to, question.expertise);
  ask.expertise = question.expertise;
  ask.remind_ms = to_ms(question.remind);
  ask.deadline_ms = to_ms(question.deadline);
  emit(target.id, std::move(ask));
}

void Decision::begin_check(const Phase& target) {
  if (target.kind == Phase::Kind::notify && !target.text.empty()) {
    const auto text = text_or_park(target, target.id, target.text);
    const auto to = text ? text_or_park(target, target.id, target.to) : std::nullopt;
    if (to) emit(target.id, command::Notify{.text = *text, .to = address_of(*to)});
    return;
  }
  const auto command = text_or_park(target, target.id, target.check->command);
  if (!command) return;
  auto shell = shell_command(target, target.id, *command, nullptr);
  if (!shell) return;
  if (target.kind == Phase::Kind::check) return emit(target.id, command::Check{.shell = *std::move(shell)});
  emit(target.id, command::Notify{.shell = *std::move(shell)});
}

void Decision::begin_commit(const Phase& target) {
  const Commit& commit = *target.commit;
  std::vector<std::string> paths;
  for (const auto& each : commit.paths) {
    const auto path = text_or_park(target, target.id, each);
    if (!path) return;
    paths.push_back(*path);
  }
  command::Commit made{.paths = std::move(paths), .message = ""};
  for (const auto& [text, into] : {std::pair{&commit.message, &made.message}, std::pair{&commit.tag, &made.tag},
                                   std::pair{&commit.last_tag, &made.last_tag}}) {
    auto words = text_or_park(target, target.id, *text);
    if (!words) return;
    *into = *std::move(words);
  }
  emit(target.id, std::move(made));
}

void Decision::begin_sub_run(const Phase& target, const std::string& step) {
  Json args = Json::object();
  for (const auto& [name, text] : target.with) {
    auto value = text_or_park(target, step, text);
    if (!value) return;
    args[name] = *value;
  }
  emit(step, command::SubRun{.workflow = target.workflow, .entry = target.entry, .args = std::move(args)});
}

}  // namespace teamster::workflow
