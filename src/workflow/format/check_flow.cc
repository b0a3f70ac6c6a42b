// Where a run can go: every way leads somewhere, every phase can be reached, and no circle of
// ways is without an end.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/checking.h"

namespace teamster::workflow {
namespace {

void check_ids(const Checking& checking) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < checking.workflow.phases.size(); ++i) {
    const std::string& id = checking.workflow.phases[i].id;
    if (id.empty()) continue;
    const auto [it, is_new] = first.emplace(id, i);
    if (!is_new)
      checking.problem(checking.phase(i).at("id"), fmt::format("the id '{}' is taken by phase {}", id, it->second + 1));
  }
}

void check_way(const Checking& checking, const Spot& spot, const Way& way) {
  const Workflow& workflow = checking.workflow;
  if (!way.target.empty() && !checking.flow.index_of(way.target)) {
    auto known = phase_ids(workflow);
    known.emplace_back("done");
    checking.problem(spot.at("goto"),
                     fmt::format("there is no phase '{}' to go to{}", way.target, suggestion(way.target, known)));
  }
  if (!way.loop.empty() && !workflow.loops.contains(way.loop)) {
    std::vector<std::string> known;
    for (const auto& [name, loop] : workflow.loops) known.push_back(name);
    checking.problem(spot.at("loop"), fmt::format("there is no loop '{}'{}", way.loop, suggestion(way.loop, known)));
  }
}

void check_ways(const Checking& checking, const Spot& spot, const std::vector<Way>& ways) {
  bool is_open = true;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (!is_open) checking.problem(spot.at(i), "this way is never tried: the one before it has no `when`");
    check_way(checking, spot.at(i), ways[i]);
    is_open = is_open && !ways[i].when.empty();
  }
}

void check_reachable(const Checking& checking) {
  const auto seen = checking.flow.reachable();
  for (std::size_t i = 0; i < checking.workflow.phases.size(); ++i)
    if (!seen[i])
      checking.problem(checking.phase(i).at("id"),
                       fmt::format("no way leads to the phase '{}'", checking.workflow.phases[i].id));
}

// Whether the phase can be entered after a way of the loop was taken.
bool comes_to(const Checking& checking, const std::string& loop, std::size_t phase) {
  const auto& steps = checking.flow.steps();
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    return step.way != nullptr && step.way->loop == loop && step.kind == Step::Kind::way &&
           (step.to == phase || checking.flow.reaches(step.to, phase));
  });
}

void check_resets(const Checking& checking, const Spot& spot, const Loop& loop) {
  if (loop.resets.empty()) return;
  const auto phase = checking.flow.index_of(loop.resets);
  if (!phase)
    checking.problem(spot.at("resets"), fmt::format("there is no phase '{}' to begin anew with{}", loop.resets,
                                                    suggestion(loop.resets, phase_ids(checking.workflow))));
  else if (!comes_to(checking, loop.name, *phase))
    checking.problem(spot.at("resets"),
                     fmt::format("the run never comes to '{}' when this loop has been counted", loop.resets));
}

void check_loops(const Checking& checking) {
  std::set<std::string> used;
  for (const auto& way : checking.workflow.always) used.insert(way.loop);
  for (const auto& phase : checking.workflow.phases)
    for (const auto& way : phase.on) used.insert(way.loop);
  for (const auto& [name, loop] : checking.workflow.loops) {
    const Spot spot = checking.root().at("loops").at(name);
    if (!used.contains(name)) checking.problem(spot, fmt::format("no way uses the loop '{}'", name));
    if (!loop.counts.empty() && !checking.flow.index_of(loop.counts))
      checking.problem(spot.at("counts"), fmt::format("there is no phase '{}' to count{}", loop.counts,
                                                      suggestion(loop.counts, phase_ids(checking.workflow))));
    if (used.contains(name)) check_resets(checking, spot, loop);
    if (!loop.target.empty() && !checking.flow.index_of(loop.target))
      checking.problem(spot.at("then").at("goto"), fmt::format("there is no phase '{}' to go to{}", loop.target,
                                                               suggestion(loop.target, phase_ids(checking.workflow))));
  }
}

}  // namespace

void check_flow(const Checking& checking) {
  check_ids(checking);
  const Spot always = checking.root().at("always");
  for (std::size_t i = 0; i < checking.workflow.always.size(); ++i) {
    check_way(checking, always.at(i), checking.workflow.always[i]);
    if (checking.workflow.always[i].when.empty())
      checking.problem(always.at(i), "a way of `always` needs `when`: no phase would ever come to its own");
  }
  for (std::size_t i = 0; i < checking.workflow.phases.size(); ++i)
    check_ways(checking, checking.phase(i).at("on"), checking.workflow.phases[i].on);
  check_reachable(checking);
  check_circles(checking);
  check_loops(checking);
}

}  // namespace teamster::workflow
