#include "workflow/format/flow.h"

#include <nlohmann/json.hpp>

#include "workflow/format/entry.h"

namespace teamster::workflow {

Flow::Flow(const Workflow& workflow) : workflow_(workflow) {
  for (std::size_t i = 0; i < workflow.phases.size(); ++i) {
    begins_.push_back(steps_.size());
    add_steps_of(i);
  }
  // The end of a run has no steps.
  begins_.insert(begins_.end(), 2, steps_.size());
  if (workflow.phases.empty()) return;
  const auto add = [&](const std::string& entry) {
    const Extent extent = extent_of(workflow, entry);
    routes_.push_back({entry, extent.first, extent.last});
  };
  for (const auto& entry : workflow.entries) add(entry.name);
  if (workflow.entries.empty()) add("");
}

std::optional<std::size_t> Flow::index_of(std::string_view phase) const {
  if (phase.empty()) return std::nullopt;  // a phase whose id is missing is none that could be meant
  for (std::size_t i = 0; i < workflow_.phases.size(); ++i)
    if (workflow_.phases[i].id == phase) return i;
  return std::nullopt;
}

void Flow::add_steps_of(std::size_t index) {
  const Phase& phase = workflow_.phases[index];
  const auto add = [&](std::size_t to, Step::Kind kind, const Way* way) { steps_.push_back({index, to, kind, way}); };
  if (!phase.only.empty()) add(index + 1, Step::Kind::skipped, nullptr);
  const auto add_way = [&](const Way& way) {
    if (way.end == Way::End::done) add(workflow_.phases.size(), Step::Kind::way, &way);
    if (const auto target = index_of(way.target)) add(*target, Step::Kind::way, &way);
    const auto loop = workflow_.loops.find(way.loop);
    if (loop != workflow_.loops.end() && loop->second.then == Loop::Then::accept)
      add(index + 1, Step::Kind::accepted, &way);
    if (loop != workflow_.loops.end() && loop->second.then == Loop::Then::go)
      if (const auto target = index_of(loop->second.target)) add(*target, Step::Kind::spent, &way);
  };
  for (const auto& way : workflow_.always) add_way(way);
  for (const auto& way : phase.on) {
    add_way(way);
    if (way.when.empty()) return;  // nothing after it is ever tried
  }
  add(index + 1, Step::Kind::next, nullptr);
}

std::vector<bool> Flow::search(const Route& route, std::vector<std::size_t> open,
                               std::optional<std::size_t> without) const {
  std::vector<bool> seen(workflow_.phases.size() + 1, false);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const auto& step : steps_from(at)) {
      const std::size_t to = step.to > route.last ? workflow_.phases.size() : step.to;
      if (seen[to] || to == without) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return seen;
}

bool Flow::reaches(std::size_t from, std::size_t to, std::optional<std::size_t> without) const {
  return search({.last = workflow_.phases.size()}, {from}, without)[to];
}

bool Flow::reaches(const Route& route, std::size_t from, std::size_t to) const {
  return search(route, {from}, std::nullopt)[to];
}

std::vector<bool> Flow::reachable(const Route& route, std::optional<std::size_t> without) const {
  if (without == route.first) return std::vector<bool>(workflow_.phases.size() + 1, false);
  auto seen = search(route, {route.first}, without);
  seen[route.first] = true;
  return seen;
}

std::vector<bool> Flow::reachable(std::optional<std::size_t> without) const {
  std::vector<bool> seen(workflow_.phases.size() + 1, false);
  for (const auto& route : routes_) {
    const auto by_it = reachable(route, without);
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || by_it[i];
  }
  return seen;
}

}  // namespace teamster::workflow
