// Ladders, and what roles can do: an advisor has a task graph to change, and who has to write files can.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/checking.h"
#include "workflow/format/source.h"
#include "workflow/format/tools.h"

namespace teamster::workflow {
namespace {

using Kind = Phase::Kind;

std::vector<std::string> roles_of(const Phase& phase) {
  return phase.roles.empty() ? std::vector<std::string>{phase.role} : phase.roles;
}

bool works_on_items(const Phase& phase) { return phase.kind == Kind::fanout; }

bool works_on_items(const Workflow& workflow, const std::string& role) {
  return std::any_of(workflow.phases.begin(), workflow.phases.end(), [&](const Phase& phase) {
    const auto roles = roles_of(phase);
    return works_on_items(phase) && std::find(roles.begin(), roles.end(), role) != roles.end();
  });
}

bool has_advisor(const Workflow& workflow) {
  return workflow.ladder.advisor.has_value() ||
         std::any_of(workflow.roles.begin(), workflow.roles.end(),
                     [](const auto& role) { return role.second.ladder.advisor.has_value(); }) ||
         std::any_of(workflow.phases.begin(), workflow.phases.end(),
                     [](const Phase& phase) { return phase.ladder.advisor.has_value(); });
}

// `has_items`: some step that this ladder is for works on an item.
void check_ladder(const Checking& checking, const Spot& spot, const Ladder& ladder, bool has_items) {
  if (ladder.advisor) {
    check_role(checking, spot.at("advisor"), *ladder.advisor, false);
    if (!has_items)
      checking.problem(spot.at("advisor"),
                       "an advisor proposes other items, and there are none here: `kind: fanout` has `items`");
  }
  const bool is_advised = has_advisor(checking.workflow);
  if (ladder.advise_at && !is_advised)
    checking.problem(spot.at("advise_at"), "`advise_at` says when the `advisor` is called, and no ladder names one");
  for (const auto& [fault, rung] : ladder.faults)
    if (rung == "restructure" && !is_advised)
      checking.problem(spot.at("faults").at(fault), "`restructure` needs an `advisor`, and no ladder names one");
}

bool is_about_the_answer(const Check& check) {
  return std::any_of(check.inputs.begin(), check.inputs.end(), [](const auto& input) {
    const auto& sources = input.second.sources;
    return std::any_of(sources.begin(), sources.end(), [](const Source& source) {
      return source.kind == Source::Kind::answer && source.name == kThisAnswer;
    });
  });
}

// What a phase asks of its role that the role cannot do.
void check_abilities(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  const bool is_work = phase.kind == Kind::agent || phase.kind == Kind::fanout;
  const bool asks_for_files = is_work && !phase.files.empty();
  const bool asks_for_mending =
      is_work && phase.check && phase.check->then.empty() && !is_about_the_answer(*phase.check);
  if (!asks_for_files && !asks_for_mending) return;
  for (const auto& name : roles_of(phase)) {
    const auto role = checking.workflow.roles.find(name);
    if (role == checking.workflow.roles.end() || role->second.is_native) continue;
    const std::string why = why_it_cannot_write(role->second);
    if (why.empty()) continue;
    if (asks_for_files)
      checking.problem(checking.phase(index).at("files"),
                       fmt::format("`files` asks for files that '{}' has written, and it {}", name, why));
    if (asks_for_mending)
      checking.problem(checking.phase(index).at("check"),
                       fmt::format("'{}' has to mend what this check finds, and it {}: let another phase check, or say "
                                   "in `then` what the answer becomes",
                                   name, why));
  }
}

}  // namespace

void check_ladders(const Checking& checking) {
  const Workflow& workflow = checking.workflow;
  const bool has_items = std::any_of(workflow.phases.begin(), workflow.phases.end(),
                                     [](const Phase& phase) { return works_on_items(phase); });
  check_ladder(checking, checking.root().at("ladder"), workflow.ladder, has_items);
  for (const auto& [name, role] : workflow.roles) {
    const Spot spot = checking.root().at("roles").at(name);
    check_ladder(checking, spot.at("ladder"), role.ladder, works_on_items(workflow, name));
    if (!role.is_native && !role.writes.empty() && !has_writing_tool(role))
      checking.problem(spot.at("writes"),
                       fmt::format("the role '{}' may write here, and {}", name, why_it_cannot_write(role)));
  }
  for (std::size_t i = 0; i < workflow.phases.size(); ++i) {
    check_ladder(checking, checking.phase(i).at("ladder"), workflow.phases[i].ladder,
                 works_on_items(workflow.phases[i]));
    check_abilities(checking, i);
  }
}

}  // namespace teamster::workflow
