// The part of Decision for what goes wrong: the ladder of a failed turn, waiting for the provider, and what is due.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/core/decision.h"
#include "workflow/core/people.h"
#include "workflow/core/speech_of_others.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kToldBytes = 2000;  // of an error, in a question

// Items have their tries at the same time, so their number is in the name.
std::string fresh_name(const std::string& role, const std::string& step, std::int64_t attempt) {
  const std::int64_t number = number_of_item(step);
  return number == 0 ? fmt::format("{}-fresh-{}", role, attempt) : fmt::format("{}-fresh-{}-{}", role, number, attempt);
}

}  // namespace

void Decision::step_failed(const std::string& fault, const std::string& error) {
  const Phase* current = phase(phase_of(event_.step));
  const auto* turn = settled_->as<command::Turn>();
  if (settled_->is<command::EndSubRun>()) return state_.phase.empty() ? go_on_when_all_are_gone() : void();
  // Who cannot be asked cannot say what shall become of it.
  if (is_of_the_owner(event_.step)) return end_with(status::kBlocked, fmt::format("{}: {}", event_.step, error));
  if (current != nullptr && turn != nullptr) {
    if (fault == "protocol" && pause_for_answer(*current, *turn)) return;
    return turn_failed(*current, event_.step, fault, error);
  }
  if (current != nullptr && settled_->is<command::Tick>())
    return turn_failed(*current, without(event_.step, kTick), fault, error);
  // What is only told to others does not hold up the work, nor does who goes.
  if (settled_->is<command::Reply>() || settled_->is<command::Retire>()) return;
  if (current != nullptr && settled_->is<command::FinishTask>()) return items_over(*current);
  if (settled_->is<command::MakeTeam>() && goes_on_alone()) return;
  if (current != nullptr && settled_->is<command::MakeTasks>() && goes_on_without_list(*current, error)) return;
  park_effect(*settled_, error);
  // Others of the phase need not wait for the owner. Runs below this one are begun in their order.
  if (current != nullptr && current->kind == Phase::Kind::fanout && item_in(event_.step) != 0)
    start_free_items(*current);
}

// From the mildest rung to the owner.
void Decision::turn_failed(const Phase& current, const std::string& step, const std::string& fault,
                           const std::string& error) {
  Tried tried = tried_at(current, step);
  tried.why = error;
  FullLadder ladder = ladder_of(workflow_, current, tried.role);
  const bool is_item = number_of_item(step) != 0;
  if (!is_item || has_been_advised(current)) ladder.advisor.clear();
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
      return restructure(current, ladder, step, error);
    case Rung::end:
      return end_with(status::kBlocked, fmt::format("{}: {}", step, error));
    case Rung::ask:
      break;
  }
  const std::string why = fmt::format("{}: {}", step, error);
  if (ladder.then == Ladder::Then::block) return end_with(status::kBlocked, why);
  if (ladder.then == Ladder::Then::fail) return end_with(status::kFailed, why);
  park_turn(current, tried, fault);
  // Others of the phase need not wait for the owner.
  if (is_item) start_free_items(current);
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
    if (!turn.why.empty())
      again.advice += fmt::format("\nThe last proposal could not be used:\n{}\n", fenced("the engine", turn.why));
  }
  const bool is_fresh = rung == rung::kFresh;
  again.rung = rung;
  again.role = turn.role;
  // A fresh agent was there for one turn, so the next try is another's or the role's own.
  again.is_temporary = is_fresh || turn.is_temporary;
  again.member = is_fresh ? fresh_name(turn.role, turn.step, attempts_of(turn.step) + 1) : turn.member;
  again.why = turn.why;
  again.guidance = turn.guidance;
  say(current, std::move(again));
}

// The provider's trouble passes; until then the team stays. The owner hears of it when it takes long.
void Decision::wait_for_provider(const Phase& current, const std::string& step, const FullLadder& ladder,
                                 const std::string& error) {
  const auto* turn = settled_->as<command::Turn>();
  if (turn == nullptr) {
    Tried tried = tried_at(current, step);
    tried.why = error;
    return park_turn(current, tried, "provider");
  }
  const RunTries tries = entry_of(state_.tries, step);
  emit(step, command::Wait{.ms = pause_ms(tries.waits), .what = due::kRetry, .turn = *turn, .why = error});
  const std::string question = step_of(step, kWeather);
  if (tries.waited_ms < to_ms(ladder.patience) || tries.owner_knows) return;
  command::Ask asked{.text = fmt::format("{} waits for its provider, since {} now: {}. It is tried again and again.",
                                         step, describe_duration(std::chrono::milliseconds(tries.waited_ms)),
                                         beginning_of(error, kToldBytes)),
                     .options = {kWaitOn, kAbort}};
  asked.outcomes = {{kWaitOn, "goes on trying for as long as it takes"}, {kAbort, kAbortOutcome}};
  ask_owner(question, std::move(asked));
}

// The provider was away, not the agent: that is no try of the ladder, and the same words are said once more. Who has
// lost its conversation meanwhile needs others.
void Decision::wait_is_over(const Phase& current, const command::Wait& wait) {
  const auto known = state_.members.find(wait.turn.member);
  const bool knows = known == state_.members.end() ? wait.turn.temporary : known->second.has_preamble;
  if ((!knows && !wait.turn.first) || wait.turn.prompt.empty() || spent_budget(current, wait.turn.role))
    return try_again(current, {event_.step, wait.turn.role, wait.turn.member, wait.turn.temporary}, rung::kWaited);
  command::Turn same = wait.turn;
  same.rung = rung::kWaited;
  emit(event_.step, std::move(same));
}

void Decision::step_due(const event::Due& due) {
  const Phase* current = phase(phase_of(event_.step));
  if (current == nullptr) return;
  if (due.what == due::kRetry) {
    const auto* wait = settled_->as<command::Wait>();
    return wait == nullptr ? void() : wait_is_over(*current, *wait);
  }
  if (due.what == due::kRemind) return emit_fact(command::Remind{.question = settled_->id()});
  if (due.what != due::kDeadline) return;
  if (event_.step == current->id && current->question && current->question->late == Question::Late::fail)
    return end_with(status::kFailed, fmt::format("{}: nobody answered in time", event_.step));
  // A timeout is never a yes: the owner is asked as well, and the run waits.
  emit_fact(command::Remind{.question = settled_->id(), .to = kOwner});
}

}  // namespace teamster::workflow
