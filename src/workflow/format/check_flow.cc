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

std::vector<std::string> ids_of(const Workflow& workflow) {
  std::vector<std::string> ids;
  for (const auto& phase : workflow.phases) ids.push_back(phase.id);
  return ids;
}

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
    auto known = ids_of(workflow);
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

Spot spot_of(const Checking& checking, const Step& step) {
  const auto& on = checking.workflow.phases[step.from].on;
  for (std::size_t i = 0; i < on.size(); ++i)
    if (&on[i] == step.way) return checking.phase(step.from).at("on").at(i);
  for (std::size_t i = 0; i < checking.workflow.always.size(); ++i)
    if (&checking.workflow.always[i] == step.way) return checking.root().at("always").at(i);
  return checking.phase(step.from);
}

// Looks for circles that no loop ends. A loop that counts its ways ends every circle it is on. One
// that counts a phase ends those on which both its way and that phase lie, so an endless circle
// avoids, for each such loop, the one or the other: all choices are tried.
class Circles {
 public:
  explicit Circles(const Checking& checking) : checking_(checking) {
    for (const auto& [name, loop] : checking.workflow.loops) {
      const auto phase = checking.flow.index_of(loop.counts);
      if (phase && counting_.size() < kCountingMax) counting_.push_back({name, *phase});
    }
  }

  void check() const {
    for (const auto& step : checking_.flow.steps()) {
      const bool is_back = (step.kind == Step::Kind::way || step.kind == Step::Kind::spent) && step.to <= step.from;
      if (!is_back || !is_endless(step)) continue;
      const std::string& from = checking_.workflow.phases[step.from].id;
      const std::string& to = checking_.workflow.phases[step.to].id;
      const std::string who = step.from == step.to ? fmt::format("'{}' can follow itself", to)
                                                   : fmt::format("'{}' and '{}' can follow each other", to, from);
      checking_.problem(spot_of(checking_, step).at("goto"),
                        fmt::format("{} for ever: a way of this circle needs a `loop`{}", who,
                                    step.kind == Step::Kind::spent ? ": the one that is spent leads back"
                                    : step.way->loop.empty()       ? ""
                                                                   : " that counts a phase on it, or its ways"));
    }
  }

 private:
  static constexpr std::size_t kCountingMax = 8;
  struct Counting {
    std::string loop;
    std::size_t phase;
  };
  struct Avoided {
    std::set<std::string> loops;
    std::set<std::size_t> phases;
  };

  bool is_endless(const Step& back) const {
    for (std::size_t choice = 0; choice < (std::size_t{1} << counting_.size()); ++choice) {
      Avoided avoided;
      for (std::size_t i = 0; i < counting_.size(); ++i) {
        if ((choice >> i & 1U) == 0)
          avoided.loops.insert(counting_[i].loop);
        else
          avoided.phases.insert(counting_[i].phase);
      }
      if (can_take(back, avoided) && leads_back(back, avoided)) return true;
    }
    return false;
  }

  bool can_take(const Step& step, const Avoided& avoided) const {
    if (avoided.phases.contains(step.from) || avoided.phases.contains(step.to)) return false;
    if (step.kind != Step::Kind::way || step.way->loop.empty()) return true;
    const auto loop = checking_.workflow.loops.find(step.way->loop);
    // What the loop counts may not be there; that is a problem of its own.
    const bool counts_ways = loop == checking_.workflow.loops.end() || !checking_.flow.index_of(loop->second.counts);
    return !counts_ways && !avoided.loops.contains(step.way->loop);
  }

  bool leads_back(const Step& back, const Avoided& avoided) const {
    std::set<std::size_t> seen{back.to};
    std::vector<std::size_t> open{back.to};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (at == back.from) return true;
      for (const auto& step : checking_.flow.steps())
        if (step.from == at && can_take(step, avoided) && seen.insert(step.to).second) open.push_back(step.to);
    }
    return false;
  }

  const Checking& checking_;
  std::vector<Counting> counting_;
};

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
                                                      suggestion(loop.counts, ids_of(checking.workflow))));
    if (!loop.resets.empty() && !checking.flow.index_of(loop.resets))
      checking.problem(spot.at("resets"), fmt::format("there is no phase '{}' to begin anew with{}", loop.resets,
                                                      suggestion(loop.resets, ids_of(checking.workflow))));
    if (!loop.target.empty() && !checking.flow.index_of(loop.target))
      checking.problem(spot.at("then").at("goto"), fmt::format("there is no phase '{}' to go to{}", loop.target,
                                                               suggestion(loop.target, ids_of(checking.workflow))));
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
  Circles(checking).check();
  check_loops(checking);
}

}  // namespace teamster::workflow
