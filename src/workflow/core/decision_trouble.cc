// The part of Decision for what goes wrong: the ladder of a failed turn, waiting for the provider, and parking: a run
// that cannot go on by itself asks its owner, and says what follows from each answer.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/core/decision.h"
#include "workflow/core/people.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kToldBytes = 2000;  // of an error, in a question

// What each answer to a parked step means.
std::map<std::string, std::string> outcomes_of(const std::vector<std::string>& options, bool is_turn) {
  static const std::map<std::string, std::string> kOfTurn = {
      {kAgain, "a fresh agent tries it once more"},
      {kSame, "the same agent is told once more, in its conversation"},
      {kSkipIt, "goes on without it; what waits for it is left out, too"},
      {kAbort, "ends the run as blocked; `teamster resume` can reopen it"}};
  static const std::map<std::string, std::string> kOfEffect = {
      {kAgain, "it is done once more"},
      {kSkipIt, "goes on as if it were done"},
      {kAbort, "ends the run as blocked; `teamster resume` can reopen it"}};
  std::map<std::string, std::string> outcomes;
  for (const auto& option : options) {
    const auto& known = is_turn ? kOfTurn : kOfEffect;
    if (const auto found = known.find(option); found != known.end()) outcomes.insert(*found);
  }
  return outcomes;
}

std::string tried_text(const RunTries& tries) {
  std::vector<std::string> parts;
  if (tries.retries > 0) parts.push_back(fmt::format("said again {}×", tries.retries));
  if (tries.mends > 0) parts.push_back(fmt::format("told what is missing {}×", tries.mends));
  if (tries.fresh > 0) parts.push_back(fmt::format("given to a fresh agent {}×", tries.fresh));
  return parts.empty() ? "" : fmt::format(" Tried: {}.", join(parts, ", "));
}

bool is_quiet(const RunCommand& command) { return command.is<command::FinishTask>() || command.is<command::Reply>(); }

}  // namespace

void Decision::step_failed(const std::string& fault, const std::string& error) {
  const Phase* current = phase(phase_of(event_.step));
  const auto* turn = settled_->as<command::Turn>();
  if (current != nullptr && turn != nullptr) {
    if (fault == "protocol" && pause_for_answer(*current, *turn)) return;
    return turn_failed(*current, event_.step, fault, error);
  }
  if (current != nullptr && settled_->is<command::Tick>())
    return turn_failed(*current, without(event_.step, kTick), fault, error);
  // What is only told to others does not hold up the work.
  if (current != nullptr && is_quiet(*settled_))
    return settled_->is<command::FinishTask>() ? items_over(*current) : void();
  park_effect(*settled_, error);
}

// From the mildest rung to the owner.
void Decision::turn_failed(const Phase& current, const std::string& step, const std::string& fault,
                           const std::string& error) {
  Tried tried = tried_at(current, step);
  tried.why = error;
  FullLadder ladder = ladder_of(workflow_, current, tried.role);
  if (!current.items) ladder.advisor.clear();
  const RunTries tries = entry_of(state_.tries, step);
  const Rung rung = next_rung(ladder, fault, tries, others_at_fresh(step) + 1);
  if (rung != Rung::wait) withdraw(step_of(step, kWeather));
  switch (rung) {
    case Rung::wait:
      return wait_for_provider(current, step, ladder, error);
    case Rung::retry:
      return try_again(current, tried, rung::kRetry);
    case Rung::mend:
      return try_again(current, tried, rung::kMend);
    case Rung::fresh:
      return try_again(current, tried, rung::kFresh);
    case Rung::restructure:
      return restructure(current, ladder);
    case Rung::end:
      return end_with(status::kBlocked, fmt::format("{}: {}", step, error));
    case Rung::ask:
      break;
  }
  const std::string why = fmt::format("{}: {}", step, error);
  if (ladder.then == Ladder::Then::block) return end_with(status::kBlocked, why);
  if (ladder.then == Ladder::Then::fail) return end_with(status::kFailed, why);
  park_turn(current, tried, fault, error);
  // Others of the phase need not wait for the owner.
  if (number_of_item(step) != 0) start_free_items(current);
}

// Steps of this phase that a fresh agent was needed for, and that are not over.
std::int64_t Decision::others_at_fresh(const std::string& step) const {
  return std::count_if(state_.tries.begin(), state_.tries.end(), [&](const auto& each) {
    return each.second.fresh > 0 && each.first != step && number_of_item(each.first) != 0;
  });
}

Decision::Tried Decision::tried_at(const Phase& current, const std::string& step) const {
  const RunTries tries = entry_of(state_.tries, step);
  if (tries.member.empty()) return {step, current.role, current.role};
  return {step, tries.role, tries.member, tries.temporary};
}

// A member that knows nothing any more gets the whole of it, preamble included: that is no failure of its own. Who
// forgets it all again is in trouble.
void Decision::member_lost(const event::MemberLost& lost) {
  const Phase* current = phase(phase_of(event_.step));
  const auto* turn = settled_->as<command::Turn>();
  if (current != nullptr && turn != nullptr && entry_of(state_.tries, event_.step).lost == 0)
    return try_again(*current, {event_.step, turn->role, turn->member, turn->temporary, lost.why}, rung::kLost);
  step_failed("crashed", "its member has lost its conversation: " + lost.why);
}

void Decision::try_again(const Phase& current, const Tried& turn, const std::string& rung) {
  Turn again{.step = turn.step, .role = "", .member = "", .returns = current.returns};
  if (turn.step == step_of(current.id, kMerge)) again = merge_turn(current);
  if (turn.step == step_of(current.id, kAdvice)) {
    again.returns = kAdviceSchema;
    again.advice = advice_request(advice_scene(current));
    if (!turn.why.empty()) again.advice += fmt::format("\nYour last proposal could not be used: {}\n", turn.why);
  }
  const bool is_fresh = rung == rung::kFresh;
  again.rung = rung;
  again.role = turn.role;
  // A fresh agent was there for one turn, so the next try is another's or the role's own.
  again.is_temporary = is_fresh || turn.is_temporary;
  again.member =
      is_fresh ? fmt::format("{}-fresh-{}", turn.role, entry_of(state_.attempts, turn.step) + 1) : turn.member;
  again.why = turn.why;
  again.guidance = turn.guidance;
  say(current, std::move(again));
}

// The provider's trouble passes; until then the team stays. The owner hears of it when it takes long.
void Decision::wait_for_provider(const Phase& current, const std::string& step, const FullLadder& ladder,
                                 const std::string& error) {
  const auto* turn = settled_->as<command::Turn>();
  if (turn == nullptr) return park_turn(current, tried_at(current, step), "provider", error);
  const RunTries tries = entry_of(state_.tries, step);
  emit(step, command::Wait{.ms = pause_ms(tries.waits), .what = due::kRetry, .turn = *turn, .why = error});
  const std::string question = step_of(step, kWeather);
  if (tries.waited_ms < to_ms(ladder.patience) || is_open(question) || attempts_of(question) > 0) return;
  command::Ask asked{.text = fmt::format("{} waits for its provider, since {} now: {}. It is tried again and again.",
                                         step, describe_duration(std::chrono::milliseconds(tries.waited_ms)),
                                         beginning_of(error, kToldBytes)),
                     .options = {kWaitOn, kAbort}};
  asked.outcomes = {{kWaitOn, "goes on trying for as long as it takes"},
                    {kAbort, "ends the run as blocked; `teamster resume` can reopen it"}};
  ask_owner(question, std::move(asked));
}

void Decision::step_due(const event::Due& due) {
  const Phase* current = phase(phase_of(event_.step));
  if (current == nullptr) return;
  if (due.what == due::kRetry) {
    const auto* wait = settled_->as<command::Wait>();
    if (wait == nullptr) return;
    const command::Turn& turn = wait->turn;
    // The provider was away, not the agent: that is no try of the ladder.
    return try_again(*current, {event_.step, turn.role, turn.member, turn.temporary}, rung::kWaited);
  }
  if (due.what == due::kRemind) return emit_fact(command::Remind{.question = settled_->id()});
  if (due.what != due::kDeadline) return;
  if (event_.step == current->id && current->question && current->question->late == Question::Late::fail)
    return end_with(status::kFailed, fmt::format("{}: nobody answered in time", event_.step));
  // A timeout is never a yes: the owner is asked as well, and the run waits.
  emit_fact(command::Remind{.question = settled_->id(), .to = kOwner});
}

void Decision::park(Stuck stuck) {
  command::Ask question{.text = std::move(stuck.what), .options = std::move(stuck.options)};
  question.outcomes = outcomes_of(question.options, stuck.turn.has_value());
  question.turn = std::move(stuck.turn);
  question.about = std::move(stuck.about);
  ask_owner(step_of(stuck.step, kStuck), std::move(question));
}

void Decision::park_turn(const Phase& current, const Tried& turn, const std::string& fault, const std::string& error) {
  const std::int64_t number = number_of_item(turn.step);
  std::string what = fmt::format("{} cannot go on: {}.{}", turn.step, beginning_of(error, kToldBytes),
                                 tried_text(entry_of(state_.tries, turn.step)));
  if (const auto waiting = state_.items.waiting_for(number); number != 0 && !waiting.empty()) {
    std::vector<std::string> ids;
    for (const std::int64_t each : waiting) ids.push_back(state_.items.find(each)->id);
    what += fmt::format(" Waiting for it: {}.", join(ids, ", "));
  }
  what += " Other words than these are told to the next agent.";
  (void)current;
  const bool is_for_the_same = first_rung(ladder_of(workflow_, current, turn.role), fault) == Rung::ask;
  std::vector<std::string> options = {is_for_the_same ? kSame : kAgain, is_for_the_same ? kAgain : kSame};
  if (turn.is_temporary) std::erase(options, kSame);
  if (number != 0) options.emplace_back(kSkipIt);
  options.emplace_back(kAbort);
  park(
      {.step = turn.step,
       .what = std::move(what),
       .options = std::move(options),
       .turn = command::PostponedTurn{
           .step = turn.step, .role = turn.role, .member = turn.member, .temporary = turn.is_temporary, .why = error}});
}

void Decision::park_effect(const RunCommand& effect, const std::string& error) {
  std::vector<std::string> options = {kAgain};
  const bool can_be_skipped = effect.is<command::Check>() || effect.is<command::Commit>() ||
                              effect.is<command::Notify>() || effect.is<command::SubRun>();
  if (can_be_skipped) options.emplace_back(kSkipIt);
  options.emplace_back(kAbort);
  park({.step = effect.step,
        .what = fmt::format("{} failed: {}", effect.step, beginning_of(error, kToldBytes)),
        .options = std::move(options),
        .about =
            command::DoubtfulEffect{std::string(effect.kind()), effect.step, effect.attempt, fields_of(effect.body)}});
}

// Something that a text of the workflow needs is not there.
void Decision::park_words(const std::string& step, const Error& error) {
  park({.step = step,
        .what = fmt::format("{} cannot begin: {}", step, beginning_of(error.text(), kToldBytes)),
        .options = {kAgain, kAbort}});
}

}  // namespace teamster::workflow
