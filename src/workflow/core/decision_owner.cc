// The part of Decision for what the owner says: to a parked step, a spent loop or budget, and an effect of which nobody
// knows whether it happened.
#include <algorithm>

#include <fmt/format.h>

#include "base/time.h"
#include "workflow/core/condition.h"
#include "workflow/core/decision.h"
#include "workflow/core/people.h"
#include "workflow/core/speech_of_others.h"

namespace teamster::workflow {

// Where the run cannot go on by itself, the workflow may say under which title it asks, and what giving up is called.
void Decision::ask_owner(const std::string& step, command::Ask question) {
  const AgentQuestions& words = workflow_.questions;
  const bool is_stuck = step.ends_with(kStuck) || step.ends_with(kEscalation);
  if (is_stuck && !words.title.empty()) question.text = words.title + "\n\n" + question.text;
  if (is_stuck && !words.abort.empty()) {
    std::replace(question.options.begin(), question.options.end(), std::string(kAbort), words.abort);
    if (auto outcome = question.outcomes.extract(kAbort)) {
      outcome.key() = words.abort;
      question.outcomes.insert(std::move(outcome));
    }
  }
  question.to = kOwner;
  emit(step, std::move(question));
}

void Decision::withdraw(const std::string& step) {
  if (is_open(step)) emit_fact(command::Withdraw{.of = effect_id(step, attempts_of(step))});
}

void Decision::owner_decided(const Phase& current, const std::string& step) {
  const Json said = value_at(event_answer(), "answer");
  std::string choice = said.is_string() ? said.get<std::string>() : "";
  if (!workflow_.questions.abort.empty() && choice == workflow_.questions.abort) choice = kAbort;
  const auto* question = settled_->as<command::Ask>();
  if (question == nullptr) return;
  if (step.ends_with(kStuck)) return stuck_decided(current, without(step, kStuck), choice);
  if (question->about) return step_decided(command_of(*question->about), choice);
  if (step.ends_with(kWeather) && choice != kAbort) return;
  if (choice == kRaiseIt && !question->scope.empty()) return budget_is_raised(current, *question);
  if (step.ends_with(kEscalation) && choice != kAbort && choice != kStop) return loop_decided(current, choice);
  end_with(status::kBlocked, fmt::format("{}: the owner chose to stop", step));
}

// Words that are no option are for the next agent.
void Decision::stuck_decided(const Phase& current, const std::string& step, const std::string& choice) {
  const auto& question = settled_->get<command::Ask>();
  if (choice == kAbort) {
    const std::string why =
        question.text.ends_with('.') ? question.text.substr(0, question.text.size() - 1) : question.text;
    return end_with(status::kBlocked, fmt::format("{}; the owner chose to stop", why));
  }
  if (question.about)
    return step_decided(command_of(*question.about), choice == kSkipIt ? verdict::kSkip : verdict::kRerun);
  if (choice == kSkipIt && step == step_of(current.id, kAdvice)) return go_on_without_advice(current);
  if (choice == kSkipIt && number_of_item(step) != 0 && !current.merge_needs_all) return skipped(current, step);
  if (!question.turn) return begin_again(current, step);
  Tried turn{step, question.turn->role, question.turn->member, question.turn->temporary, question.turn->why};
  if (choice != kAgain && choice != kSame && choice != kSkipIt) {
    const Json by = value_at(event_answer(), "by");
    turn.guidance = fenced(by.is_string() ? by.get<std::string>() : kOwner, choice);
  }
  // Who has begun something else meanwhile cannot be told.
  const bool is_free = !current.items || busy_members(current).count(turn.member) == 0;
  try_again(current, turn, choice == kSame && is_free ? rung::kRetry : rung::kFresh);
}

// It could not begin, and now perhaps it can.
void Decision::begin_again(const Phase& current, const std::string& step) {
  if (step == kRunTeam) return state_.phase.empty() ? start() : make_run_team(true);
  if (step == step_of(current.id, kItemList)) return begin_items(current);
  if (step == step_of(current.id, kTeam)) return begin_work(current, 1);
  if (step == step_of(current.id, kMerge)) return say(current, merge_turn(current));
  if (const Json given = entry_of(state_.gathered, step); !given.is_null()) return answer_given(current, step, given);
  const RunItem* item = state_.items.find(number_of_item(step));
  if (item == nullptr) return begin_phase(current);
  if (item->status == RunItem::Status::active) return try_again(current, tried_at(current, step), rung::kRetry);
  start_free_items(current);
}

void Decision::loop_decided(const Phase& current, const std::string& choice) {
  const auto answer = state_.answers.find(current.id);
  const Json value = answer == state_.answers.end() ? Json() : answer->second.value;
  if (choice == kAccept && current.kind != Phase::Kind::gate) {
    emit_fact(command::Note{.phase = current.id, .answer = value});
    return enter(phase_after(current), current.id);
  }
  // The way that was refused, once more.
  for (const auto* ways : {&workflow_.always, &current.on})
    for (const auto& way : *ways)
      if (choice == kAgain && holds(moment(current), way.when, value) && way.end == Way::End::none)
        return enter(phase(way.target), current.id);
  // That was no answer.
  command::Ask question = settled_->get<command::Ask>();
  question.reminded = question.late = false;
  question.also.clear();
  emit(event_.step, std::move(question));
}

// Nobody can find out whether an effect happened before a crash, so its owner is asked.
void Decision::step_unknown() {
  command::DoubtfulEffect about{std::string(settled_->kind()), settled_->step, settled_->attempt,
                                fields_of(settled_->body)};
  ask_owner(
      step_of(settled_->step, kUnknown),
      {.text = fmt::format("{} may have been done before the engine died, or not. Do it again, or leave it as it is?",
                           settled_->id()),
       .options = {verdict::kRerun, verdict::kSkip},
       .outcomes = {{verdict::kRerun, "it is done once more, perhaps a second time"},
                    {verdict::kSkip, "goes on as if it were done"}},
       .about = std::move(about)});
}

// A person said what becomes of an effect that failed, or of which nobody knows whether it happened.
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
  const std::string step = step_of(current.id, kBudgetQuestion);
  command::PostponedTurn postponed{turn.step,         turn.role, turn.member,  turn.rung,
                                   turn.is_temporary, turn.why,  turn.guidance};
  if (const auto asked = state_.open.find(effect_id(step, attempts_of(step))); asked != state_.open.end()) {
    // Others that have begun wait with the first. An item that has not will be begun when the budget is raised.
    const RunItem* item = state_.items.find(number_of_item(turn.step));
    const bool comes_by_itself = item != nullptr && item->status == RunItem::Status::waiting;
    const auto& first = asked->second.get<command::Ask>().turn;
    if (!comes_by_itself && (!first || first->step != turn.step))
      emit_fact(command::Pause{.turn = std::move(postponed)});
    return;
  }
  ask_owner(step, {.text = fmt::format("The budget of {} is spent: {}", spent.scope, spent.text),
                   .options = {kRaiseIt, kStop},
                   .outcomes = {{kRaiseIt, "the budget is one more of itself, and it goes on"}, {kStop, kAbortOutcome}},
                   .scope = spent.scope,
                   .turn = std::move(postponed)});
}

// Says the turn for which the owner was asked, those that waited with it, and those of items that could not start
// meanwhile.
void Decision::budget_is_raised(const Phase& current, const command::Ask& question) {
  emit_fact(command::Raise{.scope = question.scope});
  go_on_with_budget(current, question);
}

// A question for a budget that is not spent any more needs no answer.
void Decision::adjusted() {
  const Phase* current = phase(state_.phase);
  if (current == nullptr) return;
  const std::string step = step_of(current->id, kBudgetQuestion);
  const auto asked = state_.open.find(effect_id(step, attempts_of(step)));
  if (asked == state_.open.end()) return;
  const command::Ask question = asked->second.get<command::Ask>();
  if (spent_budget(*current, question.turn ? question.turn->role : "")) return;
  withdraw(step);
  go_on_with_budget(*current, question);
}

void Decision::go_on_with_budget(const Phase& current, const command::Ask& question) {
  std::vector<command::PostponedTurn> turns = {question.turn.value_or(command::PostponedTurn{.step = current.id})};
  for (const auto& [member, turn] : state_.paused)
    if (!has_asked(member) && turn.step != turns.front().step) turns.push_back(turn);
  for (const auto& turn : turns)
    try_again(current, {turn.step, turn.role, turn.member, turn.temporary, turn.why, turn.guidance}, turn.rung);
  if (!state_.items.empty()) start_free_items(current);
}

}  // namespace teamster::workflow
