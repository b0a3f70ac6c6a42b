// The part of Decision that starts the steps of a phase.
#include <fmt/format.h>

#include "base/limits.h"
#include "base/name.h"
#include "base/text.h"
#include "base/time.h"
#include "workflow/core/decision.h"
#include "workflow/core/people.h"
#include "workflow/format/spec_words.h"

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
  parts.skill = skill_of(target, turn);
  if (const auto known = state_.members.find(turn.member); known != state_.members.end())
    parts.missed = known->second.missed;
  if (!turn.advice.empty()) return turn.advice;
  Moment at = moment_of(target, turn.step);
  at.holders = turn.holders;
  return prompt_for(pinned_, at, parts);
}

// The skill that the member works by; empty: none.
std::string Decision::skill_of(const Phase& target, const Turn& turn) const {
  if (!turn.advice.empty()) return {};
  if (turn.step == step_of(target.id, kMerge)) return target.merge_skill;
  return skill_for(target, item_of(turn.step));
}

// A prompt for a member, unless a budget is spent or its words are missing.
void Decision::say(const Phase& target, Turn turn) {
  if (const auto spent = spent_budget(target, turn.role)) return ask_for_budget(target, *spent, turn);
  const auto known = state_.members.find(turn.member);
  const bool is_known = known != state_.members.end();
  // What is only said once more stays in the conversation that it began in.
  const bool begins_anew = target.fresh && turn.rung.empty() && turn.advice.empty();
  const bool first = begins_anew || !is_known || !known->second.has_preamble;
  const auto prompt = words_for(target, turn, first);
  if (!prompt) return park_words(turn.step, prompt.error());
  if (const auto fits = check_share(turn, *prompt); !fits) return park_words(turn.step, fits.error());
  const std::string skill = skill_of(target, turn);
  // An item may come from an agent, and what it names becomes part of a path.
  if (const auto name = Name::parse("skill", skill); !skill.empty() && !name)
    return park_words(turn.step, name.error());
  command::Turn said{.member = turn.member,
                     .role = turn.role,
                     .team = is_known ? known->second.team : team_for(target, turn.step),
                     .prompt = *prompt,
                     .first = first,
                     .schema = turn.returns,
                     .rung = turn.rung,
                     .temporary = turn.is_temporary,
                     .limit_ms = to_ms(target.limit)};
  if (turn.advice.empty()) add_outputs(target, turn, said);
  if (const RunItem* item = state_.items.find(number_of_item(turn.step))) said.task = item->task;
  if (turn.rung != rung::kAnswered) said.why = beginning_of(turn.why, kWhyBytes);
  said.skill = skill;
  if (is_known) said.conversation = known->second.conversation;
  if (begins_anew) said.conversation = effect_id(turn.step, attempts_of(turn.step) + 1);
  add_markers(target, said);
  emit(turn.step, std::move(said));
}

// The files that the answer has to name, and where it may write when its item says so.
void Decision::add_outputs(const Phase& target, const Turn& turn, command::Turn& said) {
  const bool is_merge = turn.step == step_of(target.id, kMerge);
  for (const auto& named : is_merge ? target.merge_files : target.files) {
    said.files.push_back(named.field);
    if (named.path.empty() && named.header.empty()) continue;
    command::NamedOutput output{.field = named.field, .header = named.header};
    if (auto path = short_text(pinned_, moment_of(target, turn.step), named.path)) output.path = *std::move(path);
    said.outputs.push_back(std::move(output));
  }
  const RunItem* item = is_merge ? nullptr : state_.items.find(number_of_item(turn.step));
  if (item == nullptr || !target.items || target.items->owns.empty()) return;
  said.writes = owned_paths(item->item, target.items->owns);
  for (const auto& output : said.outputs)
    if (!output.path.empty()) said.writes.push_back(output.path);
}

// Most of an agent's context is for its work.
Result<void> Decision::check_share(const Turn& turn, const std::string& prompt) const {
  const auto role = workflow_.roles.find(turn.role);
  if (role == workflow_.roles.end() || role->second.window == 0) return {};
  const std::int64_t most = role->second.window * limits::kPromptPercentOfWindow / 100;
  const auto length = static_cast<std::int64_t>(count_characters(prompt));
  if (length <= most) return {};
  return fail(Code::invalid,
              fmt::format("its prompt has {} characters, and {} % of the window of {} are {}", length,
                          limits::kPromptPercentOfWindow, turn.role, most),
              "Put what is long into a file and name its path, or give the role a larger `window`");
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
  if (target.sets_people) ask.sets = kPeople;
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
