// check_fault: whether a workflow has the member, the step and the kind of event that a fault names.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "rehearsal/fault.h"
#include "workflow/core/run_record.h"
#include "workflow/core/step_names.h"

namespace teamster::cli {
namespace {

using workflow::Phase;
using workflow::Workflow;

constexpr std::array<std::string_view, 3> kParts = {"engine", "hub", "keeper"};
// Of the run as a whole; the first of a team is followed by its name.
constexpr std::array<std::string_view, 2> kStepsOfRun = {"team", "end"};
constexpr std::string_view kStepOfTeam = "end-";
// What belongs to a phase or to one of its items beside the turns, and to each other: "build/3/team/stuck".
constexpr std::array<std::string_view, 17> kPartsOfSteps = {workflow::kMerge,
                                                            workflow::kItemList,
                                                            workflow::kTasks,
                                                            workflow::kAdvice,
                                                            workflow::kProof,
                                                            workflow::kTick,
                                                            workflow::kTaskEnd,
                                                            workflow::kTeam,
                                                            workflow::kTeamEnd,
                                                            workflow::kGroupEnd,
                                                            workflow::kStuck,
                                                            workflow::kEscalation,
                                                            workflow::kBudgetQuestion,
                                                            workflow::kWeather,
                                                            workflow::kUnknown,
                                                            workflow::kReply,
                                                            "/end"};

template <class Unknown, class... Bodies>
constexpr std::array<std::string_view, sizeof...(Bodies)> kinds_in(const std::variant<Unknown, Bodies...>*) {
  return {Bodies::kKind...};
}
constexpr std::array kKinds = kinds_in(static_cast<const workflow::EventBody*>(nullptr));

bool is_number(std::string_view text) {
  return !text.empty() && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

template <class List>
bool is_one_of(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool has_items(const Phase& phase) { return phase.items.has_value(); }

bool has_turns(const Phase& phase) { return phase.kind == Phase::Kind::agent || phase.kind == Phase::Kind::fanout; }

// "verify.2" without its attempt; nullopt: there is none.
std::optional<std::string> without_attempt(const std::string& step) {
  const std::size_t dot = step.rfind('.');
  if (dot == std::string::npos || !is_number(std::string_view(step).substr(dot + 1))) return std::nullopt;
  return step.substr(0, dot);
}

std::string hint(std::string_view typed, std::set<std::string> known, const std::string& what) {
  const std::vector<std::string> names(known.begin(), known.end());
  const auto meant = closest(typed, names);
  return meant ? fmt::format("Did you mean {}?", *meant) : fmt::format("{}: {}", what, join(names, ", "));
}

// The role that such a member has: ROLE, ROLE-2 of a phase with items, ROLE-fresh-3.
std::optional<std::string> role_of(const Workflow& workflow, const std::string& member) {
  if (const auto own = workflow.roles.find(member); own != workflow.roles.end() && !own->second.is_native)
    return member;
  const std::size_t dash = member.rfind('-');
  if (dash == std::string::npos || !is_number(std::string_view(member).substr(dash + 1))) return std::nullopt;
  std::string role = member.substr(0, dash);
  constexpr std::string_view kFresh = "-fresh";
  if (role.ends_with(kFresh)) role.resize(role.size() - kFresh.size());
  const auto found = workflow.roles.find(role);
  return found == workflow.roles.end() || found->second.is_native ? std::nullopt : std::optional(role);
}

bool may_take_turn(const Phase& phase, const std::string& role, bool is_merge) {
  if (is_merge) return phase.merge == role;
  // An item of such a phase may name its role itself.
  return phase.role == role || !phase.roles.empty();
}

// "build/3" of "build/3/ask-1/reply".
std::string without_parts(std::string step) {
  for (bool found = true; found;) {
    found = false;
    for (const auto part : kPartsOfSteps)
      if (step.ends_with(part)) {
        step.resize(step.size() - part.size());
        found = true;
      }
    const std::size_t asked = step.rfind(workflow::kAgentQuestion);
    if (asked == std::string::npos || !is_number(step.substr(asked + workflow::kAgentQuestion.size()))) continue;
    step.resize(asked);
    found = true;
  }
  return step;
}

// Of the phase, an item of it, or what belongs to either; `role` asks for steps that this role takes a turn in.
bool is_step_of(const Phase& phase, const std::string& step, const std::optional<std::string>& role) {
  if (step == phase.id) return role ? phase.kind == Phase::Kind::agent && may_take_turn(phase, *role, false) : true;
  if (!step.starts_with(phase.id + "/")) return false;
  const std::string part = step.substr(phase.id.size() + 1);
  if (role && part == "merge") return may_take_turn(phase, *role, true);
  if (has_items(phase) && is_number(part)) return !role || (has_turns(phase) && may_take_turn(phase, *role, false));
  if (role) return false;
  const std::string whole = without_parts(step);
  return whole == phase.id ||
         (has_items(phase) && whole.starts_with(phase.id + "/") && is_number(whole.substr(phase.id.size() + 1)));
}

bool is_step(const Workflow& workflow, const std::string& step, const std::optional<std::string>& role) {
  if (!role && (is_one_of(kStepsOfRun, without_parts(step)) || step.starts_with(kStepOfTeam))) return true;
  if (!role && step.ends_with(workflow::kRetire)) return true;  // of a member
  return std::any_of(workflow.phases.begin(), workflow.phases.end(),
                     [&](const Phase& phase) { return is_step_of(phase, step, role); });
}

std::set<std::string> names_of_steps(const std::vector<Workflow>& workflows, bool with_turns_only) {
  std::set<std::string> names;
  for (const auto& workflow : workflows)
    for (const auto& phase : workflow.phases) {
      if (with_turns_only && !has_turns(phase)) continue;
      names.insert(has_items(phase) ? phase.id + "/1" : phase.id);
      if (!phase.merge.empty()) names.insert(phase.id + "/merge");
    }
  return names;
}

std::set<std::string> names_of_members(const std::vector<Workflow>& workflows, bool with_parts) {
  std::set<std::string> names;
  if (with_parts) names.insert(kParts.begin(), kParts.end());
  for (const auto& workflow : workflows)
    for (const auto& [name, role] : workflow.roles)
      if (!role.is_native) names.insert(name);
  return names;
}

Result<void> check_member(const StagedFault& fault, const std::vector<Workflow>& workflows) {
  const bool may_be_part = fault.what == StagedFault::What::kill;
  if (may_be_part && is_one_of(kParts, fault.whom)) return {};
  for (const auto& workflow : workflows)
    if (role_of(workflow, fault.whom)) return {};
  return fail(Code::invalid, fmt::format("fault '{}': there is no member {}", fault.text(), fault.whom),
              hint(fault.whom, names_of_members(workflows, may_be_part), "There are"));
}

Result<void> check_turn(const StagedFault& fault, const std::vector<Workflow>& workflows) {
  const std::string step = without_attempt(fault.where).value_or(fault.where);
  bool is_there = false;
  for (const auto& workflow : workflows) {
    const auto role = role_of(workflow, fault.whom);
    if (role && is_step(workflow, step, role)) return {};
    is_there = is_there || names_of_steps({workflow}, true).count(step) != 0;
  }
  if (is_there)
    return fail(Code::invalid, fmt::format("fault '{}': {} has no turn in {}", fault.text(), fault.whom, step),
                "See who is asked in which phase with `teamster workflow show`");
  return fail(Code::invalid,
              fmt::format("fault '{}': there is no step {} in which a member has a turn", fault.text(), step),
              hint(step, names_of_steps(workflows, true), "There are"));
}

// "step.done:verify.1:after", "run.started:before"
Result<void> check_point(const StagedFault& fault, const std::vector<Workflow>& workflows) {
  const std::string point = fault.where.substr(0, fault.where.rfind(':'));
  const std::size_t colon = std::min(point.find(':'), point.size());
  const std::string kind = point.substr(0, colon);
  if (!is_one_of(kKinds, kind))
    return fail(Code::invalid, fmt::format("fault '{}': there is no event {}", fault.text(), quoted(kind, 40)),
                hint(kind, {kKinds.begin(), kKinds.end()}, "There are"));
  if (colon == point.size()) return {};
  const auto step = without_attempt(point.substr(colon + 1));
  if (!step)
    return fail(Code::invalid, fmt::format("fault '{}' does not say which attempt", fault.text()),
                "Say it with its number, as in 'kill engine@step.done:verify.1:after'");
  for (const auto& workflow : workflows)
    if (is_step(workflow, *step, std::nullopt)) return {};
  return fail(Code::invalid, fmt::format("fault '{}': there is no step {}", fault.text(), *step),
              hint(*step, names_of_steps(workflows, false), "There are"));
}

}  // namespace

Result<void> check_fault(const StagedFault& fault, const std::vector<Workflow>& workflows) {
  TRY_VOID(check_member(fault, workflows));
  return fault.what == StagedFault::What::kill ? check_point(fault, workflows) : check_turn(fault, workflows);
}

}  // namespace teamster::cli
