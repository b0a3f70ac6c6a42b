#include "workflow/core/reach.h"

#include <algorithm>

#include "workflow/core/ladder.h"
#include "workflow/format/flow.h"
#include "workflow/format/source.h"

namespace teamster::workflow {
namespace {

// Arguments and values never change in a run: a phase that they leave out is never entered.
bool can_be_entered(const Pinned& pinned, const RunState& state, const Phase& phase) {
  const bool is_settled = std::all_of(phase.only.begin(), phase.only.end(), [](const auto& side) {
    const auto source = parse_source(side.first);
    return source && (source->kind == Source::Kind::argument || source->kind == Source::Kind::value);
  });
  return !is_settled || only_holds(pinned, {state, &phase}, phase.only);
}

void add_phase(const Workflow& workflow, const Phase& phase, Reach& reach) {
  if (phase.kind == Phase::Kind::agent) reach.roles.insert(phase.role);
  if (phase.kind != Phase::Kind::fanout) return;
  std::vector<std::string> roles = phase.roles;
  if (!phase.role.empty()) roles.push_back(phase.role);
  for (const auto& role : roles) {
    reach.for_items.insert(role);
    reach.roles.insert(ladder_of(workflow, phase, role).advisor);
  }
  reach.roles.insert(phase.merge);
}

// Where it goes on from a phase that is entered, or skipped.
std::vector<std::size_t> next_of(const Workflow& workflow, const Flow& flow, std::size_t from, bool is_entered) {
  std::vector<std::size_t> next;
  for (const auto& step : flow.steps()) {
    if (step.from != from || is_entered == (step.kind == Step::Kind::skipped)) continue;
    next.push_back(step.to);
    if (step.way == nullptr) continue;
    // The owner may accept what the loop would send back.
    const auto loop = workflow.loops.find(step.way->loop);
    if (loop != workflow.loops.end() && loop->second.then == Loop::Then::escalate) next.push_back(from + 1);
  }
  return next;
}

}  // namespace

Reach reach_from(const Pinned& pinned, const RunState& state, const Phase& phase) {
  const Workflow& workflow = pinned.workflow;
  const Flow flow(workflow);
  Reach reach;
  std::vector<bool> seen(workflow.phases.size() + 1, false);
  std::vector<std::size_t> open = {static_cast<std::size_t>(phase.number - 1)};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at >= workflow.phases.size() || seen[at]) continue;
    seen[at] = true;
    const bool is_entered = at + 1 == static_cast<std::size_t>(phase.number) ||
                            can_be_entered(pinned, state, workflow.phases[at]);
    if (is_entered) add_phase(workflow, workflow.phases[at], reach);
    for (const bool how : {true, false})
      if (how ? is_entered : !workflow.phases[at].only.empty())
        for (const std::size_t to : next_of(workflow, flow, at, how)) open.push_back(to);
  }
  reach.roles.erase("");
  return reach;
}

}  // namespace teamster::workflow
