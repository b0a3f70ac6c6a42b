// Circles of ways that no loop ends. A loop ends a circle that its ways are on, if the phase that it counts is on it,
// too, and unless the phase that resets it is.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/checking.h"

namespace teamster::workflow {
namespace {

using StepList = std::vector<std::size_t>;  // places in Flow::steps()

Spot spot_of(const Checking& checking, const Step& step) {
  const auto& on = checking.workflow.phases[step.from].on;
  for (std::size_t i = 0; i < on.size(); ++i)
    if (&on[i] == step.way) return checking.phase(step.from).at("on").at(i);
  for (std::size_t i = 0; i < checking.workflow.always.size(); ++i)
    if (&checking.workflow.always[i] == step.way) return checking.root().at("always").at(i);
  return checking.phase(step.from);
}

// Phases that can follow each other both ways have the same number; the algorithm is Tarjan's, without recursion.
class Components {
 public:
  Components(const std::vector<Step>& steps, const StepList& list, std::size_t phases)
      : order_(phases, 0), low_(phases, 0), number_(phases, 0), next_(phases) {
    for (const std::size_t at : list) next_[steps[at].from].push_back(steps[at].to);
    for (std::size_t phase = 0; phase < phases; ++phase)
      if (order_[phase] == 0) visit(phase);
  }

  std::size_t of(std::size_t phase) const { return number_[phase]; }
  std::size_t count() const { return count_; }

 private:
  struct Frame {
    std::size_t phase;
    std::size_t at = 0;
  };

  void visit(std::size_t root) {
    std::vector<Frame> frames;
    open(root, frames);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.at < next_[frame.phase].size()) {
        const std::size_t to = next_[frame.phase][frame.at++];
        if (order_[to] == 0)
          open(to, frames);
        else if (number_[to] == 0)
          low_[frame.phase] = std::min(low_[frame.phase], order_[to]);
        continue;
      }
      const std::size_t done = frame.phase;
      frames.pop_back();
      if (!frames.empty()) low_[frames.back().phase] = std::min(low_[frames.back().phase], low_[done]);
      if (low_[done] == order_[done]) close(done);
    }
  }

  void open(std::size_t phase, std::vector<Frame>& frames) {
    order_[phase] = low_[phase] = ++visited_;
    stack_.push_back(phase);
    frames.push_back({phase});
  }

  void close(std::size_t root) {
    ++count_;
    for (std::size_t phase = root + 1; phase != root;) {
      phase = stack_.back();
      stack_.pop_back();
      number_[phase] = count_;
    }
  }

  std::vector<std::size_t> order_;  // from 1; 0: not visited
  std::vector<std::size_t> low_;
  std::vector<std::size_t> number_;  // from 1; 0: not known yet
  std::vector<std::vector<std::size_t>> next_;
  std::vector<std::size_t> stack_;
  std::size_t visited_ = 0;
  std::size_t count_ = 0;
};

// Steps that can be taken for ever, all of them: such a set is strongly connected, and each loop that one of its ways
// counts on is reset in it. A set that is not yet so is looked through again without what the loop ends: its ways, or
// the phase that it counts.
class Circles {
 public:
  explicit Circles(const Checking& checking) : checking_(checking), steps_(checking.flow.steps()) {}

  void check() {
    StepList all;
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (steps_[i].to < checking_.workflow.phases.size()) all.push_back(i);
    search(all);
    if (searches_ > kSearchesMax)
      return checking_.problem(checking_.root().at("loops"),
                               "so many loops count phases that nobody can say whether a run ends: leave out `counts` "
                               "of some");
    for (const std::size_t at : endless_) report(steps_[at]);
  }

 private:
  static constexpr std::size_t kSearchesMax = 2000;

  void search(const StepList& list) {
    if (list.empty() || ++searches_ > kSearchesMax) return;
    const Components components(steps_, list, checking_.workflow.phases.size());
    std::vector<StepList> inside(components.count() + 1);
    for (const std::size_t at : list) {
      const std::size_t number = components.of(steps_[at].from);
      if (number == components.of(steps_[at].to)) inside[number].push_back(at);
    }
    for (const auto& circle : inside)
      if (!circle.empty()) look_at(circle);
  }

  void look_at(const StepList& circle) {
    std::set<std::size_t> phases;
    for (const std::size_t at : circle) phases.insert(steps_[at].to);
    const Loop* ending = loop_that_ends(circle, phases);
    if (ending == nullptr) return endless_.insert(circle.begin(), circle.end()), void();
    StepList without_ways;
    for (const std::size_t at : circle)
      if (!is_counted(steps_[at], *ending)) without_ways.push_back(at);
    search(without_ways);
    const auto counted = checking_.flow.index_of(ending->counts);
    if (!counted) return;
    StepList without_phase;
    bool is_something_new = false;  // where the loop's ways go with the phase, they have been left out already
    for (const std::size_t at : circle) {
      if (steps_[at].from == *counted || steps_[at].to == *counted) continue;
      without_phase.push_back(at);
      is_something_new = is_something_new || is_counted(steps_[at], *ending);
    }
    if (is_something_new) search(without_phase);
  }

  static bool is_counted(const Step& step, const Loop& loop) {
    return step.kind == Step::Kind::way && step.way->loop == loop.name;
  }

  const Loop* loop_that_ends(const StepList& circle, const std::set<std::size_t>& phases) const {
    const auto has = [&](const std::optional<std::size_t>& phase) { return phase && phases.contains(*phase); };
    for (const std::size_t at : circle) {
      const Step& step = steps_[at];
      if (step.kind != Step::Kind::way || step.way->loop.empty()) continue;
      const auto loop = checking_.workflow.loops.find(step.way->loop);
      if (loop == checking_.workflow.loops.end()) return &missing_loop(step.way->loop);
      // What the loop counts may not be there; that is a problem of its own.
      const auto counted = checking_.flow.index_of(loop->second.counts);
      if ((!counted || has(counted)) && !has(checking_.flow.index_of(loop->second.resets))) return &loop->second;
    }
    return nullptr;
  }

  // A loop that is not there is a problem of its own, and ends its circles.
  const Loop& missing_loop(const std::string& name) const {
    Loop& loop = missing_[name];
    loop.name = name;
    return loop;
  }

  void report(const Step& step) const {
    const bool is_back = (step.kind == Step::Kind::way || step.kind == Step::Kind::spent) && step.to <= step.from;
    if (!is_back) return;
    const std::string& from = checking_.workflow.phases[step.from].id;
    const std::string& to = checking_.workflow.phases[step.to].id;
    const std::string who = step.from == step.to ? fmt::format("'{}' can follow itself", to)
                                                 : fmt::format("'{}' and '{}' can follow each other", to, from);
    const auto loop = checking_.workflow.loops.find(step.way->loop);
    const bool is_reset = loop != checking_.workflow.loops.end() && !loop->second.resets.empty();
    const std::string advice = step.kind == Step::Kind::spent
                                   ? fmt::format(": '{}' leads back when it is spent", step.way->loop)
                               : step.way->loop.empty() ? ""
                               : is_reset               ? fmt::format(" that '{}' does not reset", loop->second.resets)
                                                        : " that counts a phase on it, or its ways";
    checking_.problem(spot_of(checking_, step).at(step.kind == Step::Kind::spent ? "loop" : "goto"),
                      fmt::format("{} for ever: a way of this circle needs a `loop`{}", who, advice));
  }

  const Checking& checking_;
  const std::vector<Step>& steps_;
  std::set<std::size_t> endless_;
  std::size_t searches_ = 0;
  mutable std::map<std::string, Loop> missing_;
};

}  // namespace

void check_circles(const Checking& checking) { Circles(checking).check(); }

}  // namespace teamster::workflow
