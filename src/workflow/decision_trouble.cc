// The part of Decision for what goes wrong: the ladder of a failed turn, budgets, questions to
// the owner, and what a crash left undecided.
#include <fmt/format.h>

#include "workflow/decision.h"

namespace teamster::workflow {
namespace {

constexpr std::int64_t kRetriesOfProvider = 5;
constexpr std::int64_t kFirstPauseMs = 10'000;

// The provider's trouble, which passes.
bool is_transient(const std::string& fault) {
  return fault == "rate_limit" || fault == "overloaded" || fault == "provider";
}

}  // namespace

// From the mildest: wait and say it again, say it again, a fresh agent for this step. What remains
// is for a person.
void Decision::step_failed() {
  const Phase* current = phase(phase_of(event_.step));
  const std::string fault = event_text("fault");
  const std::string why = fmt::format("{}: {}", event_.step, event_text("error"));
  if (current == nullptr || settled_->kind != command::kTurn) return end_with(status::kBlocked, why);
  const RunTries tries = state_.tries[event_.step];
  if (fault == "login") return end_with(status::kBlocked, why);
  if (is_transient(fault)) {
    if (tries.retries >= kRetriesOfProvider) return end_with(status::kBlocked, why);
    return wait_and_retry(*settled_, tries.retries);
  }
  // An answer without the shape has been mended once already, by the same agent.
  const bool is_of_use = fault != "protocol" && fault != "unusable";
  if (is_of_use && tries.retries == 0 && tries.fresh == 0) return try_again(*current, *settled_, "retry");
  if (tries.fresh == 0) return try_again(*current, *settled_, "fresh");
  end_with(status::kBlocked, why);
}

void Decision::try_again(const Phase& current, const RunCommand& turn, const std::string& rung) {
  const std::string role = turn.body.value("role", "");
  const bool is_merge = !current.merge.empty() && role == current.merge && turn.step == current.id + "/merge";
  say(current, {.step = turn.step,
                .role = role,
                .member = rung == "fresh" ? fmt::format("{}-fresh-{}", role, state_.attempts[turn.step] + 1)
                                          : turn.body.value("member", role),
                .rung = rung,
                .template_file = is_merge ? current.merge_template : "",
                .returns = is_merge ? current.merge_returns : current.returns});
}

void Decision::wait_and_retry(const RunCommand& turn, std::int64_t retries) {
  emit(command::kWait, turn.step,
       {{"ms", kFirstPauseMs << retries}, {"what", "retry"}, {"turn", turn.body}, {"why", event_text("error")}});
}

void Decision::step_due() {
  const Phase* current = phase(phase_of(event_.step));
  if (current == nullptr) return;
  const std::string what = event_text("what");
  if (what == "retry") {
    const RunCommand turn{command::kTurn, event_.step, event_.attempt, settled_->body.value("turn", Json::object())};
    return try_again(*current, turn, "retry");
  }
  if (what == "remind") return emit_fact(command::kRemind, {{"question", settled_->id()}});
  if (!current->question || what != "deadline") return;
  if (current->question->late == Question::Late::fail)
    return end_with(status::kFailed, fmt::format("{}: nobody answered in time", event_.step));
  // A timeout is never a yes: the owner is asked, and the run waits.
  emit_fact(command::kRemind, {{"question", settled_->id()}, {"to", "owner"}});
}

// A person said what becomes of an effect of which nobody knows whether it happened.
void Decision::step_decided() {
  const Phase* current = phase(phase_of(event_.step));
  if (current == nullptr) return;
  if (event_text("decision") == "skip") return settle(*current, Json::object(), true);
  RunCommand again = *settled_;
  emit(settled_->kind.c_str(), again.step, again.body);
}

std::optional<std::string> Decision::spent_budget(const Phase& current, const std::string& role) const {
  const auto check = [&](const std::string& scope, const Budget& budget) -> std::optional<std::string> {
    const auto used = state_.usage.find(scope);
    if (used == state_.usage.end()) return std::nullopt;
    const auto raised = state_.raised.find(scope);
    const std::int64_t times = 1 + (raised == state_.raised.end() ? 0 : raised->second);
    const RunUsage& sum = used->second;
    if (budget.turns && sum.turns >= *budget.turns * times)
      return fmt::format("The budget of {} is spent: {} of {} turns", scope, sum.turns, *budget.turns * times);
    if (budget.tokens && sum.tokens >= *budget.tokens * times)
      return fmt::format("The budget of {} is spent: {} of {} tokens", scope, sum.tokens, *budget.tokens * times);
    if (budget.usd && sum.usd >= *budget.usd * static_cast<double>(times))
      return fmt::format("The budget of {} is spent: {:.2f} of {:.2f} USD", scope, sum.usd,
                         *budget.usd * static_cast<double>(times));
    return std::nullopt;
  };
  if (auto spent = check("run", workflow_.budget)) return spent;
  if (auto spent = check("phase/" + current.id, current.budget)) return spent;
  const auto found = workflow_.roles.find(role);
  return found == workflow_.roles.end() ? std::nullopt : check("role/" + role, found->second.budget);
}

void Decision::ask_owner(const std::string& step, const std::string& text, std::vector<std::string> options) {
  emit(command::kAsk, step, {{"text", text}, {"to", "owner"}, {"options", std::move(options)}, {"gate", false}});
}

void Decision::owner_decided(const Phase& current, const std::string& about) {
  const Json choice = value_at(event_answer(), "answer");
  if (choice == Json("raise")) {
    // Of every budget that is spent; which one it was is in the question.
    for (const auto& scope : {std::string("run"), "phase/" + current.id, "role/" + current.role})
      emit_fact(command::kRaise, {{"scope", scope}});
    return begin_phase(current);
  }
  const auto answer = state_.answers.find(current.id);
  if (choice == Json("accept")) {
    emit_fact(command::kNote,
              {{"phase", current.id}, {"answer", answer == state_.answers.end() ? Json() : answer->second.value}});
    return enter(phase_after(current), current.id, Json::object());
  }
  if (choice == Json("again") && answer != state_.answers.end()) {
    // The way that was refused, once more.
    for (const auto& way : current.on)
      if (holds(way.when, answer->second.value) && way.end == Way::End::none)
        return enter(phase(way.target), current.id, Json::object());
  }
  end_with(status::kBlocked, fmt::format("{}: the owner chose to stop", about));
}

}  // namespace teamster::workflow
