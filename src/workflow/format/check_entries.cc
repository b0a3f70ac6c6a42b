// Entries: each begins and ends somewhere, takes words that there are, and says nothing about what comes behind its
// end.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/checking.h"
#include "workflow/format/entry.h"
#include "workflow/format/usage.h"

namespace teamster::workflow {
namespace {

std::vector<std::string> argument_names(const Workflow& workflow) {
  std::vector<std::string> names;
  for (const auto& argument : workflow.args) names.push_back(argument.name);
  return names;
}

bool takes(const Entry& entry, const std::string& argument) {
  return !entry.args || std::find(entry.args->begin(), entry.args->end(), argument) != entry.args->end();
}

// The arguments of an entry are words in their order, so what may be left out stands behind what may not.
void check_words(const Checking& checking, const Spot& spot, const Entry& entry) {
  if (!entry.args) return;
  const auto known = argument_names(checking.workflow);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < entry.args->size(); ++i) {
    const std::string& name = (*entry.args)[i];
    if (std::find(known.begin(), known.end(), name) == known.end())
      checking.problem(spot.at("args").at(i),
                       fmt::format("there is no argument '{}'{}", name, suggestion(name, known)));
    else if (!seen.insert(name).second)
      checking.problem(spot.at("args").at(i), fmt::format("the argument '{}' stands here twice", name));
  }
  const auto taken = arguments_of(checking.workflow, &entry);
  for (std::size_t i = 1; i < taken.size(); ++i)
    if (taken[i - 1]->fallback && !taken[i]->fallback)
      checking.problem(spot.at("args"),
                       fmt::format("'{}' must be given and so stands before '{}', which may be left out",
                                   taken[i]->name, taken[i - 1]->name));
  for (const auto& argument : checking.workflow.args)
    if (!takes(entry, argument.name) && !argument.fallback)
      checking.problem(spot.at("args"), fmt::format("the entry does not take '{}', which must be given: give the "
                                                    "argument a `default`, or take it",
                                                    argument.name));
}

void check_phase_of(const Checking& checking, const Spot& spot, const std::string& phase) {
  if (!phase.empty() && !checking.flow.index_of(phase))
    checking.problem(spot,
                     fmt::format("there is no phase '{}'{}", phase, suggestion(phase, phase_ids(checking.workflow))));
}

// What would follow is left out when an entry ends, so nothing but what always follows may be there.
bool is_plain_end(const Checking& checking, const Route& route, const Step& step) {
  if (step.from != route.last || step.kind == Step::Kind::spent) return false;
  if (step.way->when.empty()) return true;
  const bool is_refusal = checking.workflow.phases[step.from].kind == Phase::Kind::gate &&
                          step.way->when.contains("approved") && step.way->when.at("approved") != true;
  return step.to == route.last + 1 && !is_refusal;
}

void check_end(const Checking& checking, const Spot& spot, const Route& route) {
  const auto reachable = checking.flow.reachable(route);
  std::set<const Way*> told;
  for (const auto& step : checking.flow.steps()) {
    const bool leads_behind = step.to > route.last && step.to < checking.workflow.phases.size();
    const bool is_way = step.kind == Step::Kind::way || step.kind == Step::Kind::spent;
    if (!is_way || !leads_behind || !reachable[step.from] || is_plain_end(checking, route, step)) continue;
    if (!told.insert(step.way).second) continue;
    const std::string& behind = checking.workflow.phases[step.to].id;
    const std::string& last = checking.workflow.phases[route.last].id;
    checking.problem(spot, fmt::format("a way of '{}' leads to '{}', which is behind '{}' and so never done: put it "
                                       "before, or end the entry with it",
                                       checking.workflow.phases[step.from].id, behind, last));
  }
}

void check_extent(const Checking& checking, const Spot& spot, const Entry& entry, const Route& route) {
  check_phase_of(checking, spot.at("from"), entry.from);
  check_phase_of(checking, spot.at("to"), entry.to);
  if (!checking.flow.index_of(entry.to) || (!entry.from.empty() && !checking.flow.index_of(entry.from))) return;
  if (route.last < route.first)
    return checking.problem(spot.at("to"), fmt::format("'{}' stands before '{}', where the entry begins", entry.to,
                                                       checking.workflow.phases[route.first].id));
  if (!checking.flow.reachable(route)[route.last])
    return checking.problem(spot.at("to"), fmt::format("no way leads from '{}' to '{}'",
                                                       checking.workflow.phases[route.first].id, entry.to));
  check_end(checking, spot.at("to"), route);
}

void check_flags_of(const Checking& checking, const Spot& spot, const Entry& entry) {
  if (!entry.flags) return;
  std::vector<std::string> known;
  for (const auto& flag : checking.workflow.flags) known.push_back(flag.name());
  for (std::size_t i = 0; i < entry.flags->size(); ++i)
    if (const std::string& name = (*entry.flags)[i]; std::find(known.begin(), known.end(), name) == known.end())
      checking.problem(spot.at("flags").at(i), fmt::format("there is no flag '{}'{}", name, suggestion(name, known)));
}

// One word, one meaning: a flag is named by itself where a sub-run is started with names.
void check_flags(const Checking& checking) {
  const auto& workflow = checking.workflow;
  const auto arguments = argument_names(workflow);
  for (const auto& flag : workflow.flags) {
    const Spot spot = checking.root().at("flags").at(flag.name());
    if (std::find(arguments.begin(), arguments.end(), flag.name()) != arguments.end())
      checking.problem(spot, fmt::format("'{}' is an argument already: give the flag another name", flag.name()));
    if (std::find(taken_flags().begin(), taken_flags().end(), flag.name()) != taken_flags().end())
      checking.problem(spot, fmt::format("--{} is a flag of teamster's own: choose another name", flag.name()));
    const bool is_of_some = std::any_of(workflow.entries.begin(), workflow.entries.end(), [&](const Entry& entry) {
      const auto taken = flags_of(workflow, &entry);
      return std::any_of(taken.begin(), taken.end(), [&](const Flag* one) { return one == &flag; });
    });
    if (!workflow.entries.empty() && !is_of_some)
      checking.problem(spot, fmt::format("no entry takes the flag '{}'", flag.name()));
  }
}

}  // namespace

void check_entries(const Checking& checking) {
  const auto& entries = checking.workflow.entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Spot spot = checking.root().at("entries").at(entries[i].name);
    check_words(checking, spot, entries[i]);
    check_flags_of(checking, spot, entries[i]);
    if (entries[i].cancels && checking.workflow.key.empty())
      checking.problem(spot.at("cancels"), "`cancels` ends the run of the same `key`, and the workflow has none");
    check_extent(checking, spot, entries[i], checking.flow.routes()[i]);
  }
  check_flags(checking);
  if (entries.empty()) return;
  for (const auto& argument : checking.workflow.args)
    if (std::none_of(entries.begin(), entries.end(), [&](const Entry& entry) { return takes(entry, argument.name); }))
      checking.problem(checking.root().at("args").at(argument.name),
                       fmt::format("no entry takes the argument '{}'", argument.name));
}

}  // namespace teamster::workflow
