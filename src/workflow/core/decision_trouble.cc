// The part of Decision for what goes wrong: the ladder of a failed turn, budgets, questions to
// the owner, and what a crash left undecided.
#include <fmt/format.h>

#include "workflow/core/decision.h"
#include "workflow/core/people.h"

namespace teamster::workflow {
namespace {

constexpr std::int64_t kRetriesOfProvider = 5;
constexpr std::int64_t kFirstPauseMs = 10'000;

// The provider's trouble, which passes.
bool is_transient(const std::string& fault) {
  return fault == "rate_limit" || fault == "overloaded" || fault == "provider";
}

// What is the same however often it is tried: a login is missing, or a rehearsal does not go as its script says.
bool is_for_a_person(const std::string& fault) { return fault == "login" || fault == "script"; }

}  // namespace

// From the mildest: wait and say it again, say it again, a fresh agent for this step. What remains
// is for a person.
void Decision::step_failed(const std::string& fault, const std::string& error) {
  const Phase* current = phase(phase_of(event_.step));
  const std::string why = fmt::format("{}: {}", event_.step, error);
  const auto* turn = settled_->as<command::Turn>();
  if (current == nullptr || turn == nullptr) return end_with(status::kBlocked, why);
  const RunTries tries = entry_of(state_.tries, event_.step);
  if (is_for_a_person(fault)) return end_with(status::kBlocked, why);
  if (is_transient(fault)) {
    if (tries.retries >= kRetriesOfProvider) return end_with(status::kBlocked, why);
    return wait_and_retry(*turn, error, tries.retries);
  }
  // An answer without the shape has been mended once already, by the same agent.
  const bool is_of_use = fault != "protocol" && fault != "unusable";
  const Tried tried{event_.step, turn->role, turn->member, turn->temporary};
  if (is_of_use && tries.retries == 0 && tries.fresh == 0) return try_again(*current, tried, rung::kRetry);
  if (tries.fresh == 0) return try_again(*current, tried, rung::kFresh);
  end_with(status::kBlocked, why);
}

// A member that knows nothing any more gets the whole of it, preamble included: that is no failure of its own. Who
// forgets it all again is in trouble.
void Decision::member_lost(const event::MemberLost& lost) {
  const Phase* current = phase(phase_of(event_.step));
  const auto* turn = settled_->as<command::Turn>();
  if (current != nullptr && turn != nullptr && entry_of(state_.tries, event_.step).lost == 0)
    return try_again(*current, {event_.step, turn->role, turn->member, turn->temporary}, rung::kLost);
  step_failed("crashed", "its member has lost its conversation: " + lost.why);
}

void Decision::try_again(const Phase& current, const Tried& turn, const std::string& rung) {
  Turn again{.step = turn.step, .role = "", .member = "", .returns = current.returns};
  if (turn.step == current.id + "/merge") again = merge_turn(current, item_answers(current).value_or(Json::array()));
  const bool is_fresh = rung == rung::kFresh;
  again.rung = rung;
  again.role = turn.role;
  again.is_temporary = is_fresh || turn.is_temporary;
  again.member =
      is_fresh ? fmt::format("{}-fresh-{}", turn.role, entry_of(state_.attempts, turn.step) + 1) : turn.member;
  say(current, std::move(again));
}

void Decision::wait_and_retry(const command::Turn& turn, const std::string& error, std::int64_t retries) {
  emit(event_.step, command::Wait{.ms = kFirstPauseMs << retries, .what = due::kRetry, .turn = turn, .why = error});
}

void Decision::step_due(const event::Due& due) {
  const Phase* current = phase(phase_of(event_.step));
  if (current == nullptr) return;
  if (due.what == due::kRetry) {
    const auto* wait = settled_->as<command::Wait>();
    if (wait == nullptr) return;
    const command::Turn& turn = wait->turn;
    return try_again(*current, {event_.step, turn.role, turn.member, turn.temporary}, rung::kRetry);
  }
  if (due.what == due::kRemind) return emit_fact(command::Remind{.question = settled_->id()});
  if (!current->question || due.what != due::kDeadline) return;
  if (current->question->late == Question::Late::fail)
    return end_with(status::kFailed, fmt::format("{}: nobody answered in time", event_.step));
  // A timeout is never a yes: the owner is asked, and the run waits.
  emit_fact(command::Remind{.question = settled_->id(), .to = kOwner});
}

// Nobody can find out whether an effect happened before a crash, so its owner is asked.
void Decision::step_unknown() {
  command::DoubtfulEffect about{std::string(settled_->kind()), settled_->step, settled_->attempt,
                                fields_of(settled_->body)};
  ask_owner(
      settled_->step + kUnknownEnd,
      {.text = fmt::format("{} may have been done before the engine died, or not. Do it again, or leave it as it is?",
                           settled_->id()),
       .options = {verdict::kRerun, verdict::kSkip},
       .about = std::move(about)});
}

// A person said what becomes of an effect of which nobody knows whether it happened.
void Decision::step_decided(const RunCommand& about, const std::string& decision) {
  if (decision == verdict::kRerun) return emit(about.step, about.body);
  const Phase* current = phase(phase_of(about.step));
  if (decision == verdict::kSkip && current != nullptr) return skipped(*current, about.step);
  end_with(status::kBlocked, fmt::format("{}: it cannot go on with the decision '{}'", about.step, decision));
}

std::optional<Decision::Spent> Decision::spent_budget(const Phase& current, const std::string& role) const {
  const auto check = [&](const std::string& scope, const Budget& budget) -> std::optional<Spent> {
    const auto used = state_.usage.find(scope);
    if (used == state_.usage.end()) return std::nullopt;
    const auto raised = state_.raised.find(scope);
    const std::int64_t times = 1 + (raised == state_.raised.end() ? 0 : raised->second);
    const RunUsage& sum = used->second;
    if (budget.turns && sum.turns >= *budget.turns * times)
      return Spent{scope, fmt::format("{} of {} turns", sum.turns, *budget.turns * times)};
    if (budget.tokens && sum.tokens >= *budget.tokens * times)
      return Spent{scope, fmt::format("{} of {} tokens", sum.tokens, *budget.tokens * times)};
    if (budget.usd && sum.usd >= *budget.usd * static_cast<double>(times))
      return Spent{scope, fmt::format("{:.2f} of {:.2f} USD", sum.usd, *budget.usd * static_cast<double>(times))};
    const auto worked = state_.worked_ms.find(scope);
    const std::int64_t ms = worked == state_.worked_ms.end() ? 0 : worked->second;
    if (budget.time && ms >= to_ms(*budget.time) * times)
      return Spent{scope, fmt::format("{} of {}", describe_duration(std::chrono::milliseconds(ms)),
                                      describe_duration(*budget.time * times))};
    return std::nullopt;
  };
  if (auto spent = check("run", workflow_.budget)) return spent;
  if (auto spent = check("phase/" + current.id, current.budget)) return spent;
  const auto found = workflow_.roles.find(role);
  return found == workflow_.roles.end() ? std::nullopt : check("role/" + role, found->second.budget);
}

// Asks the owner once, however many of the phase's members need the budget.
void Decision::ask_for_budget(const Phase& current, const Spent& spent, const Turn& turn) {
  const std::string step = current.id + "/budget";
  if (is_open(step)) return;
  command::PostponedTurn postponed{turn.step, turn.role, turn.member, turn.rung, turn.is_temporary};
  ask_owner(step, {.text = fmt::format("The budget of {} is spent: {}", spent.scope, spent.text),
                   .options = {kRaiseIt, kStop},
                   .scope = spent.scope,
                   .turn = std::move(postponed)});
}

// Says the turn for which the owner was asked, and those of other items that could not start meanwhile.
void Decision::budget_is_raised(const Phase& current, const command::Ask& question) {
  emit_fact(command::Raise{.scope = question.scope});
  const command::PostponedTurn turn = question.turn.value_or(command::PostponedTurn{.step = current.id});
  try_again(current, {turn.step, turn.role, turn.member, turn.temporary}, turn.rung);
  if (!state_.items.empty() && state_.ending.empty()) start_free_items(current);
}

void Decision::ask_owner(const std::string& step, command::Ask question) {
  question.to = kOwner;
  emit(step, std::move(question));
}

void Decision::owner_decided(const Phase& current, const std::string& about) {
  const Json choice = value_at(event_answer(), "answer");
  const auto* question = settled_->as<command::Ask>();
  if (question != nullptr && question->about)
    return step_decided(command_of(*question->about), choice.is_string() ? choice.get<std::string>() : "");
  if (choice == Json(kRaiseIt) && question != nullptr && !question->scope.empty())
    return budget_is_raised(current, *question);
  const auto answer = state_.answers.find(current.id);
  if (choice == Json(kAccept)) {
    emit_fact(
        command::Note{.phase = current.id, .answer = answer == state_.answers.end() ? Json() : answer->second.value});
    return enter(phase_after(current), current.id);
  }
  if (choice == Json(kAgain) && answer != state_.answers.end()) {
    // The way that was refused, once more.
    for (const auto* ways : {&workflow_.always, &current.on})
      for (const auto& way : *ways)
        if (holds(way.when, answer->second.value) && way.end == Way::End::none)
          return enter(phase(way.target), current.id);
  }
  end_with(status::kBlocked, fmt::format("{}: the owner chose to stop", about));
}

}  // namespace teamster::workflow
