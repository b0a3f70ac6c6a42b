// What follows when a gate or a check says no: some way is for it, and none of them, nor a loop that is spent, leads on
// as if it had said yes.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/checking.h"

namespace teamster::workflow {
namespace {

using Kind = Phase::Kind;

bool is_for(const Way& way, const Condition& answer) { return way.when.empty() || way.when == answer; }

bool has_way_for(const Checking& checking, const Phase& phase, const Condition& answer) {
  const auto leads_on = [&](const std::vector<Way>& ways) {
    return std::any_of(ways.begin(), ways.end(), [&](const Way& way) { return is_for(way, answer); });
  };
  return leads_on(phase.on) || leads_on(checking.workflow.always);
}

// Where the run goes from a gate that is approved; nothing: it ends.
std::optional<std::size_t> approved_target(const Checking& checking, std::size_t index) {
  for (const auto* ways : {&checking.workflow.always, &checking.workflow.phases[index].on})
    for (const auto& way : *ways)
      if (is_for(way, {{"approved", true}})) return checking.flow.index_of(way.target);
  return index + 1 < checking.workflow.phases.size() ? std::optional(index + 1) : std::nullopt;
}

// A way that a refusal can take.
void check_refused_way(const Checking& checking, std::size_t gate, const Way& way, const Spot& spot) {
  const auto loop = checking.workflow.loops.find(way.loop);
  const bool has_loop = loop != checking.workflow.loops.end();
  if (has_loop && loop->second.then == Loop::Then::accept)
    checking.problem(spot.at("loop"),
                     fmt::format("the loop '{}' ends with `accept`, and nobody accepts for the person who refused: "
                                 "write `then: escalate`, `block` or a `goto`",
                                 loop->first));
  const auto approved = approved_target(checking, gate);
  if (!approved) return;
  const std::string& behind = checking.workflow.phases[*approved].id;
  if (has_loop && loop->second.then == Loop::Then::go && loop->second.target == behind)
    checking.problem(spot.at("loop"), fmt::format("when the loop '{}' is spent it leads to '{}', as an approval does: "
                                                  "name another phase, or write `then: escalate`",
                                                  loop->first, behind));
  if (!way.when.empty() && way.target == behind)
    checking.problem(spot.at("goto"),
                     fmt::format("'not approved' leads to '{}', as an approval does: name another phase", behind));
}

bool can_be_refusal(const Way& way) {
  const auto approved = way.when.find("approved");
  return approved == way.when.end() ? way.when.empty() || way.when.contains("feedback") || way.when.contains("by")
                                    : approved->second != true;
}

void check_gate(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  if (!has_way_for(checking, phase, {{"approved", false}}))
    checking.problem(checking.phase(index).at("id"),
                     fmt::format("the gate '{}' has no way for 'not approved': write on: [ {{ when: {{ approved: false "
                                 "}}, goto: PHASE, loop: LOOP }} ], or block: REASON",
                                 phase.id));
  for (std::size_t i = 0; i < phase.on.size(); ++i)
    if (can_be_refusal(phase.on[i]))
      check_refused_way(checking, index, phase.on[i], checking.phase(index).at("on").at(i));
  const auto& always = checking.workflow.always;
  for (std::size_t i = 0; i < always.size(); ++i)
    if (can_be_refusal(always[i])) check_refused_way(checking, index, always[i], checking.root().at("always").at(i));
}

// Without a way the run would go on as if it had passed.
void check_check(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  if (has_way_for(checking, phase, {{"passed", false}})) return;
  checking.problem(
      checking.phase(index).at("id"),
      fmt::format("the check '{}' has no way for failure: write on: [ {{ when: {{ passed: false }}, block: "
                  "REASON }} ], or goto",
                  phase.id));
}

}  // namespace

void check_refusals(const Checking& checking) {
  for (std::size_t i = 0; i < checking.workflow.phases.size(); ++i) {
    if (checking.workflow.phases[i].kind == Kind::gate) check_gate(checking, i);
    if (checking.workflow.phases[i].kind == Kind::check) check_check(checking, i);
  }
}

}  // namespace teamster::workflow
