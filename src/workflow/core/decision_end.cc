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

}  // namespace

void Decision::loop_is_over(const Phase& from, const Loop& loop, const Json& answer) {
  const std::string what =
      fmt::format("{}: the loop {} has been taken {} times, which is its limit", from.id, loop.name, loop.max);
  switch (loop.then) {
    case Loop::Then::block:
      return end_with(status::kBlocked, what);
    case Loop::Then::fail:
      return end_with(status::kFailed, what);
    case Loop::Then::escalate: {
      command::Ask question{.text = what + ". How shall it go on?", .options = {kAgain, kAccept, kAbort}};
      question.outcomes = {{kAgain, "one more round"},
                           {kAccept, "goes on with the answer as it is, and notes it in the report"},
                           {kAbort, "ends the run as blocked; it can be reopened"}};
      // What a person refused is not accepted because it was refused often.
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
  const bool others_end = std::any_of(state_.open.begin(), state_.open.end(), [](const auto& open) {
    return open.second.template is<command::EndTeam>() || open.second.template is<command::EndSubRun>();
  });
  if (state_.teams.empty() && !others_end) end_now();
}

void Decision::end_now() {
  command::End end{.status = state_.ending, .reason = state_.ending_reason};
  end.report = report_of(pinned_, state_, end.status, end.reason);
  emit("end", std::move(end));
}

// The run goes on where it stood, or from an earlier phase: what was answered before it stays.
void Decision::reopen(const event::Reopened& reopened) {
  const Phase* from = phase(reopened.from.empty() ? state_.phase : reopened.from);
  if (from == nullptr) from = &workflow_.phases.front();
  command::Reopen facts{.phase = from->id};
  for (const auto& each : workflow_.phases)
    if (each.number >= from->number && (!reopened.from.empty() || each.id == from->id))
      facts.dropped.push_back(each.id);
  // Without a phase it goes on with what it had, so its spent loops begin anew and nothing else does.
  for (const auto& [name, loop] : workflow_.loops) {
    const std::int64_t count = entry_of(state_.loops, name);
    const bool is_spent = count >= loop.max;
    if (count != 0 && (reopened.from.empty() ? is_spent : is_loop_from(workflow_, loop, from->number)))
      facts.loops[name] = 0;
  }
  std::vector<std::pair<std::string, std::string>> sub_runs;
  for (const auto& [id, open] : state_.open)
    if (open.is<command::SubRun>()) sub_runs.emplace_back(id, open.step);
  emit_fact(std::move(facts));
  for (const auto& [id, step] : sub_runs) emit(step_of(step, "/end"), command::EndSubRun{.of = id});
  if (state_.teams.empty()) return start();
  // The run's own team stays; those of a phase or an item go first, because their names may be needed.
  const std::vector<std::string> others(state_.teams.begin() + 1, state_.teams.end());
  for (const auto& team : others) emit("end-" + team, command::EndTeam{.team = team});
  if (others.empty()) team_ready();
}

}  // namespace teamster::workflow
