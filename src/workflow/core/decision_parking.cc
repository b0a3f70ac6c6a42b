// The part of Decision for parking: a run that cannot go on by itself asks its owner in the step STEP/stuck, and says
// what stands, what was tried, and what follows from each answer.
#include <fmt/format.h>

#include "base/text.h"
#include "workflow/core/decision.h"

namespace teamster::workflow {
namespace {

using Option = std::pair<std::string, std::string>;

constexpr std::size_t kReasonBytes = 2000;
constexpr std::size_t kWaitersShown = 20;

const Option kToAbort{kAbort, kAbortOutcome};
const Option kToAgain{kAgain, "it is done once more"};
const Option kToFresh{kAgain, "a fresh agent tries it once more"};
const Option kToSame{kSame, "the same agent is told once more, in its conversation"};
const Option kToPass{kSkipIt, "goes on as if it were done"};
const Option kToLeaveOut{kSkipIt, "goes on without it; what waits for it is left out, too"};
const Option kToKeepGraph{kSkipIt, "the task graph stays as it is, and each goes on with a fresh agent or asks you"};

std::string tried_text(const RunTries& tries) {
  std::vector<std::string> parts;
  if (tries.retries > 0) parts.push_back(fmt::format("said again {}×", tries.retries));
  if (tries.mends > 0) parts.push_back(fmt::format("told what is missing {}×", tries.mends));
  if (tries.fresh > 0) parts.push_back(fmt::format("given to a fresh agent {}×", tries.fresh));
  return parts.empty() ? "" : fmt::format(" Tried: {}.", join(parts, ", "));
}

std::string waiting_text(const RunItems& items, std::int64_t number) {
  const auto waiting = items.waiting_for(number);
  if (waiting.empty()) return {};
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < waiting.size() && i < kWaitersShown; ++i) ids.push_back(items.find(waiting[i])->id);
  if (waiting.size() > ids.size()) ids.push_back(fmt::format("{} more", waiting.size() - ids.size()));
  return fmt::format(" Waiting for it: {}.", join(ids, ", "));
}

}  // namespace

void Decision::park(Stuck stuck) {
  command::Ask question{.text = std::move(stuck.what)};
  for (auto& [option, outcome] : stuck.options) {
    question.options.push_back(option);
    question.outcomes.emplace(std::move(option), std::move(outcome));
  }
  question.turn = std::move(stuck.turn);
  question.about = std::move(stuck.about);
  ask_owner(step_of(stuck.step, kStuck), std::move(question));
}

void Decision::park_turn(const Phase& current, const Tried& turn, const std::string& fault) {
  const std::int64_t number = number_of_item(turn.step);
  std::string what = fmt::format("{} cannot go on: {}.{}", turn.step, beginning_of(turn.why, kReasonBytes),
                                 tried_text(entry_of(state_.tries, turn.step)));
  if (number != 0) what += waiting_text(state_.items, number);
  // What is wrong with a login or a program is mended outside, and then the same agent goes on.
  const bool is_for_the_same = first_rung(ladder_of(workflow_, current, turn.role), fault) == Rung::ask;
  std::vector<Option> options = {is_for_the_same ? kToSame : kToFresh, is_for_the_same ? kToFresh : kToSame};
  if (turn.is_temporary) std::erase(options, kToSame);
  if (number != 0 && !current.merge_needs_all) options.push_back(kToLeaveOut);
  if (turn.step == step_of(current.id, kAdvice)) options.push_back(kToKeepGraph);
  options.push_back(kToAbort);
  park({.step = turn.step,
        .what = std::move(what),
        .options = std::move(options),
        .turn = command::PostponedTurn{.step = turn.step,
                                       .role = turn.role,
                                       .member = turn.member,
                                       .temporary = turn.is_temporary,
                                       .why = turn.why}});
}

void Decision::park_effect(const RunCommand& effect, const std::string& error) {
  std::vector<Option> options = {kToAgain};
  const bool can_be_skipped = effect.is<command::Check>() || effect.is<command::Commit>() ||
                              effect.is<command::Notify>() || effect.is<command::SubRun>();
  if (can_be_skipped) options.push_back(number_of_item(effect.step) == 0 ? kToPass : kToLeaveOut);
  options.push_back(kToAbort);
  park({.step = effect.step,
        .what = fmt::format("{} failed: {}", effect.step, beginning_of(error, kReasonBytes)),
        .options = std::move(options),
        .about =
            command::DoubtfulEffect{std::string(effect.kind()), effect.step, effect.attempt, fields_of(effect.body)}});
}

// Something that a text of the workflow needs is not there.
void Decision::park_words(const std::string& step, const Error& error) {
  std::vector<Option> options = {kToAgain};
  if (number_of_item(step) != 0) options.push_back(kToLeaveOut);
  options.push_back(kToAbort);
  park({.step = step,
        .what = fmt::format("{} cannot begin: {}", step, beginning_of(error.text(), kReasonBytes)),
        .options = std::move(options)});
}

}  // namespace teamster::workflow
