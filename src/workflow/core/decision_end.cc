// The part of Decision for what comes after the last try: loops that are spent, the end of a run, and going on after
// it.
#include <algorithm>

#include <fmt/format.h>

#include "workflow/core/decision.h"

namespace teamster::workflow {
namespace {

// Whether the loop is one of the phases from this number on: its ways begin there, or it counts one of them.
bool is_loop_from(const Workflow& workflow, const Loop& loop, std::int64_t number) {
  return std::any_of(workflow.phases.begin(), workflow.phases.end(), [&](const Phase& phase) {
    if (phase.number < number) return false;
    if (phase.id == loop.counts) return true;
    return std::any_of(phase.on.begin(), phase.on.end(), [&](const Way& way) { return way.loop == loop.name; });
  });
}

template <class Open>
bool something_ends(const Open& open) {
  return std::any_of(open.begin(), open.end(), [](const auto& each) {
    return each.second.template is<command::EndTeam>() || each.second.template is<command::EndSubRun>();
  });
}

// What a person refused is not accepted because it was refused often, whatever the workflow says.
Loop::Then after_last_round(const Loop& loop, const Phase& from, const Phase* behind) {
  const bool is_gate = from.kind == Phase::Kind::gate;
  const bool leads_behind = loop.then == Loop::Then::accept ||
                            (loop.then == Loop::Then::go && behind != nullptr && behind->id == loop.target);
  return is_gate && leads_behind ? Loop::Then::escalate : loop.then;
}

}  // namespace

void Decision::loop_is_over(const Phase& from, const Loop& loop, const Json& answer) {
  const std::string what =
      fmt::format("{}: the loop {} has been taken {} times, which is its limit", from.id, loop.name, loop.max);
  switch (after_last_round(loop, from, phase_after(from))) {
    case Loop::Then::block:
      return end_with(status::kBlocked, what);
    case Loop::Then::fail:
      return end_with(status::kFailed, what);
    case Loop::Then::escalate: {
      command::Ask question{.text = what + ". How shall it go on?", .options = {kAgain, kAccept, kAbort}};
      question.outcomes = {{kAgain, "one more round"},
                           {kAccept, "goes on with the answer as it is, and notes it in the report"},
                           {kAbort, kAbortOutcome}};
      if (from.kind == Phase::Kind::gate) std::erase(question.options, kAccept);
      if (from.kind == Phase::Kind::gate) question.outcomes.erase(kAccept);
      return ask_owner(step_of(from.id, kEscalation), std::move(question));
    }
    case Loop::Then::go:
      return enter(phase(loop.target), from.id);
    case Loop::Then::accept:
      break;
  }
  emit_fact(command::Note{.phase = from.id, .loop = loop.name, .answer = answer});
  enter(phase_after(from), from.id);
}

// Ends the run. First what belongs to it goes: sub-runs that are under way, and teams.
void Decision::end_with(const std::string& status, const std::string& reason) {
  state_.ending = status;
  state_.ending_reason = reason;
  std::vector<std::pair<std::string, std::string>> sub_runs;  // ids and steps: what is emitted changes what is open
  for (const auto& [id, open] : state_.open)
    if (open.is<command::SubRun>()) sub_runs.emplace_back(id, open.step);
  for (const auto& [id, step] : sub_runs)
    emit(step + "/end", command::EndSubRun{.of = id, .status = status, .reason = reason});
  const auto teams = state_.teams;
  for (const auto& team : teams)
    emit("end-" + team, command::EndTeam{.team = team, .status = status, .reason = reason});
  end_when_all_are_gone();
}

void Decision::end_when_all_are_gone() {
  if (state_.teams.empty() && !something_ends(state_.open)) end_now();
}

void Decision::end_now() {
  command::End end{.status = state_.ending, .reason = state_.ending_reason};
  end.report = report_of(pinned_, state_, end.status, end.reason);
  emit("end", std::move(end));
}

// The run goes on where it stood, or from an earlier phase: what was answered before it stays.
void Decision::reopen(const event::Reopened& reopened) {
  const Phase* from = phase(reopened.from);
  const bool goes_on = from == nullptr;
  if (goes_on) from = phase(state_.phase.empty() ? state_.start_phase : state_.phase);
  if (from == nullptr) from = &first_phase();
  command::Reopen facts{.phase = from->id};
  for (const auto& each : workflow_.phases)
    if (each.number >= from->number && (!goes_on || each.id == from->id)) facts.dropped.push_back(each.id);
  // Where it goes on with what it had, its spent loops begin anew and nothing else does.
  for (const auto& [name, loop] : workflow_.loops) {
    const std::int64_t count = entry_of(state_.loops, name);
    const bool is_spent = count >= loop.max;
    if (count != 0 && (goes_on ? is_spent : is_loop_from(workflow_, loop, from->number))) facts.loops[name] = 0;
  }
  if (goes_on && !state_.phase.empty()) {
    facts.sender = state_.sender;
    const bool waits_for_merge = !from->merge.empty() && state_.gathered.count(step_of(from->id, kMerge)) == 0;
    facts.keeps_items = state_.items.left() > 0 || (!state_.items.empty() && waits_for_merge);
  }
  std::vector<std::pair<std::string, std::string>> sub_runs;
  for (const auto& [id, open] : state_.open)
    if (open.is<command::SubRun>()) sub_runs.emplace_back(id, open.step);
  emit_fact(std::move(facts));
  for (const auto& [id, step] : sub_runs) emit(step + "/end", command::EndSubRun{.of = id});
  // The run's own team stays; those of a phase or an item go first, because their names may be needed.
  const auto teams = state_.teams;
  for (std::size_t i = 1; i < teams.size(); ++i)
    if (!is_ending(teams[i])) emit("end-" + teams[i], command::EndTeam{.team = teams[i]});
  go_on_when_all_are_gone();
}

// Of a run that was reopened, or still waits for what it had left to go.
void Decision::go_on_when_all_are_gone() {
  if (something_ends(state_.open)) return;
  state_.teams.empty() ? start() : team_ready();
}

bool Decision::is_ending(const std::string& team) const {
  return std::any_of(state_.open.begin(), state_.open.end(), [&](const auto& open) {
    const auto* end = open.second.template as<command::EndTeam>();
    return end != nullptr && end->team == team;
  });
}

}  // namespace teamster::workflow
