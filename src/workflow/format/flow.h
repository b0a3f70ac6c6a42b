// Flow: which phase can follow which, by a way, by order, by a loop that accepts, or because a phase
// is skipped. Derived from the model alone; checks and drawings look at this and not at ways.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/format/spec.h"

namespace teamster::workflow {

struct Step {
  enum class Kind {
    way,
    next,      // no way was taken
    accepted,  // the loop of a way was at its limit and accepts
    spent,     // the loop of a way was at its limit and leads elsewhere
    skipped,   // the phase's `only` does not hold
  };
  std::size_t from = 0;  // places in Workflow::phases
  std::size_t to = 0;    // phases.size(): the run is done
  Kind kind = Kind::next;
  const Way* way = nullptr;  // of way, accepted and spent
};

// What a run can come to by one entry of the workflow, or by the only one there is.
struct Route {
  std::string entry = {};  // its name; empty: the workflow has none
  std::size_t first = 0;
  std::size_t last = 0;  // a step behind it leads to the end
};

class Flow {
 public:
  // Borrows the workflow. Ways to phases that there are not are left out.
  explicit Flow(const Workflow& workflow);

  const std::vector<Step>& steps() const { return steps_; }
  std::optional<std::size_t> index_of(std::string_view phase) const;
  // Whether `to` can be reached from `from` by one step or more, never entering `without`.
  bool reaches(std::size_t from, std::size_t to, std::optional<std::size_t> without = std::nullopt) const;
  // By some entry, from its first phase on, itself included.
  std::vector<bool> reachable(std::optional<std::size_t> without = std::nullopt) const;

  // One for each entry, in their order.
  const std::vector<Route>& routes() const { return routes_; }
  // The same by this one alone.
  bool reaches(const Route& route, std::size_t from, std::size_t to) const;
  std::vector<bool> reachable(const Route& route, std::optional<std::size_t> without = std::nullopt) const;

 private:
  void add_steps_of(std::size_t index);

  // What can be reached from `open`, which counts only if a step leads there.
  std::vector<bool> search(const Route& route, std::vector<std::size_t> open, std::optional<std::size_t> without) const;

  const Workflow& workflow_;
  // The steps that begin at a phase.
  std::span<const Step> steps_from(std::size_t phase) const {
    return std::span(steps_).subspan(begins_[phase], begins_[phase + 1] - begins_[phase]);
  }

  std::vector<Step> steps_;  // by the phase that they begin at
  std::vector<Route> routes_;
  std::vector<std::size_t> begins_;  // for each phase and behind the last: where its steps begin
};

}  // namespace teamster::workflow
