#include "workflow/format/entry.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "workflow/format/flow.h"

namespace teamster::workflow {
namespace {

// A phase that is not there has been told as a problem; then it is as if nothing was said.
std::size_t place_of_phase(const Workflow& workflow, const std::string& id, std::size_t otherwise) {
  const auto found =
      std::find_if(workflow.phases.begin(), workflow.phases.end(), [&](const Phase& each) { return each.id == id; });
  const bool is_named = !id.empty() && found != workflow.phases.end();
  return is_named ? static_cast<std::size_t>(found - workflow.phases.begin()) : otherwise;
}

// Of each phase; of a name that is no entry, all of them.
std::vector<bool> reachable_by(const Workflow& workflow, std::string_view entry) {
  const Flow flow(workflow);
  for (const auto& route : flow.routes())
    if (!route.entry.empty() && route.entry == entry) return flow.reachable(route);
  return std::vector<bool>(workflow.phases.size(), true);
}

}  // namespace

const Entry* find_entry(const Workflow& workflow, std::string_view name) {
  const auto found = std::find_if(workflow.entries.begin(), workflow.entries.end(),
                                  [&](const Entry& each) { return each.name == name; });
  return found == workflow.entries.end() ? nullptr : &*found;
}

std::vector<std::string> entry_names(const Workflow& workflow) {
  std::vector<std::string> names;
  for (const auto& entry : workflow.entries) names.push_back(entry.name);
  return names;
}

std::vector<const Argument*> arguments_of(const Workflow& workflow, const Entry* entry) {
  std::vector<const Argument*> taken;
  if (entry == nullptr || !entry->args) {
    for (const auto& argument : workflow.args) taken.push_back(&argument);
    return taken;
  }
  for (const auto& name : *entry->args)
    for (const auto& argument : workflow.args)
      if (argument.name == name) taken.push_back(&argument);
  return taken;
}

std::vector<const Flag*> flags_of(const Workflow& workflow, const Entry* entry) {
  std::vector<const Flag*> taken;
  for (const auto& flag : workflow.flags) {
    const bool is_taken = entry == nullptr || !entry->flags ||
                          std::find(entry->flags->begin(), entry->flags->end(), flag.name()) != entry->flags->end();
    if (is_taken) taken.push_back(&flag);
  }
  return taken;
}

Extent extent_of(const Workflow& workflow, std::string_view entry) {
  const std::size_t end = workflow.phases.size() - 1;
  const Entry* named = find_entry(workflow, entry);
  if (named == nullptr) return {0, end};
  return {place_of_phase(workflow, named->from, 0), place_of_phase(workflow, named->to, end)};
}

std::vector<std::string> phases_within(const Workflow& workflow, std::string_view entry) {
  std::vector<std::string> ids;
  const auto reachable = reachable_by(workflow, entry);
  for (std::size_t i = 0; i < workflow.phases.size(); ++i)
    if (reachable[i]) ids.push_back(workflow.phases[i].id);
  return ids;
}

std::set<std::string> roles_within(const Workflow& workflow, std::string_view entry) {
  std::set<std::string> roles;
  for (const auto& [name, role] : workflow.roles) roles.insert(name);
  if (find_entry(workflow, entry) == nullptr) return roles;
  const auto reachable = reachable_by(workflow, entry);
  std::set<std::string> used = {workflow.ladder.advisor.value_or("")};
  for (std::size_t i = 0; i < workflow.phases.size(); ++i) {
    const Phase& phase = workflow.phases[i];
    if (!reachable[i]) continue;
    used.insert({phase.role, phase.merge, phase.ladder.advisor.value_or("")});
    used.insert(phase.roles.begin(), phase.roles.end());
  }
  for (const auto& [name, role] : workflow.roles)
    if (used.contains(name)) used.insert(role.ladder.advisor.value_or(""));
  std::erase_if(roles, [&](const std::string& name) { return !used.contains(name); });
  return roles;
}

}  // namespace teamster::workflow
