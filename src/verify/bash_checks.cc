#include "verify/bash_checks.h"

#include <algorithm>

#include "base/check.h"
#include "env/clock.h"
#include "verify/verify_limits.h"

namespace teamster::verify {
namespace {

// A look may take this part of the time: in a large repository it takes long.
constexpr int kLookShare = 4;

}  // namespace

BashChecks::BashChecks(const env::World& world, BashChecksOptions options, std::vector<NamedCheck> checks,
                       BashChecksObserver observer)
    : world_(world),
      options_(std::move(options)),
      checks_(std::move(checks)),
      observer_(std::move(observer)),
      tree_(options_.tree),
      later_(world.loop) {
  for (std::size_t i = 0; i < checks_.size(); ++i) pending_.push_back(i);
}

void BashChecks::start() {
  if (tree_ != nullptr && !pending_.empty()) return look();
  needs_baseline_ = false;
  later_.call([this] { step(); });
}

// Whatever can be done next while checks run at once.
void BashChecks::step() {
  if (is_done_ || mode_ == Mode::alone || needs_baseline_) return;
  if (mode_ == Mode::together)
    while (!pending_.empty() && running_.size() < options_.at_once) {
      const std::size_t check = pending_.front();
      pending_.pop_front();
      launch(check);
    }
  if (tree_ != nullptr && tree_->is_looking()) return;
  const bool is_idle = running_.empty();
  if (mode_ == Mode::draining && is_idle) return look();
  if (mode_ == Mode::together && !ended_.empty()) {
    if (is_idle || is_time_to_look()) return look();
    return;
  }
  if (mode_ == Mode::together && is_idle && pending_.empty()) {
    is_done_ = true;
    later_.call([this] { observer_.on_done(); });
  }
}

bool BashChecks::is_time_to_look() {
  const Duration pause = std::max(kTreeLookEvery, look_took_ * kLookShare);
  const Duration since = world_.clock.now() - look_began_;
  if (since >= pause) return true;
  if (!look_later_)
    look_later_ = world_.loop.after(pause - since, [this] {
      look_later_.reset();
      step();
    });
  return false;
}

void BashChecks::launch(std::size_t check) {
  observer_.on_started(checks_[check].name);
  running_[check] = std::make_unique<BashCheck>(
      world_, options_.setting, checks_[check].command, [this, check](CheckOutcome outcome) {
        // Not inside the check that ends with it.
        later_.call([this, check, outcome = std::move(outcome)] { ended(check, outcome); });
      });
}

void BashChecks::ended(std::size_t check, CheckOutcome outcome) {
  running_.erase(check);
  if (tree_ == nullptr) {
    settle(check, outcome);
    return mode_ == Mode::alone ? run_next_alone() : step();
  }
  ended_[check] = std::move(outcome);
  if (mode_ == Mode::alone) return look();
  step();
}

void BashChecks::look() {
  CHECK(tree_ != nullptr);
  look_later_.reset();
  look_began_ = world_.clock.now();
  looked_at_.merge(ended_);
  tree_->look([this](const Result<TreeState>& state) { looked(state); });
}

void BashChecks::looked(const Result<TreeState>& state) {
  look_took_ = world_.clock.now() - look_began_;
  if (!state) return go_blind(state.error());
  if (std::exchange(needs_baseline_, false))
    known_ = *state;
  else if (mode_ == Mode::alone)
    return ended_alone(*state);
  else
    compare(*state);
  if (mode_ != Mode::alone) step();
}

void BashChecks::compare(const TreeState& state) {
  const bool is_same = state == known_;
  if (!is_same) {
    for (auto& path : changes_between(known_, state)) disturbed_paths_.push_back(std::move(path));
    known_ = state;
  }
  if (mode_ == Mode::together && is_same) return confirm();
  if (!running_.empty()) {
    mode_ = Mode::draining;
    return;
  }
  // All have ended, and this look, or the one that comes next, is the last before they run again alone.
  ended_.merge(looked_at_);
  looked_at_.clear();
  mode_ = Mode::alone;
  is_explained_ = false;
  suspect_names_.clear();
  for (const auto& [check, outcome] : ended_) {
    suspects_.push_back(check);
    suspect_names_.push_back(checks_[check].name);
  }
  ended_.clear();
  run_next_alone();
}

void BashChecks::confirm() {
  for (const auto& [check, outcome] : looked_at_) settle(check, outcome);
  looked_at_.clear();
}

void BashChecks::run_next_alone() {
  if (suspects_.empty()) return finish_alone();
  const std::size_t check = suspects_.front();
  suspects_.pop_front();
  launch(check);
}

void BashChecks::ended_alone(const TreeState& state) {
  CHECK(looked_at_.size() == 1);
  auto [check, outcome] = *looked_at_.begin();
  looked_at_.clear();
  outcome.changed = changes_between(known_, state);
  if (!outcome.changed.empty()) is_explained_ = true;
  known_ = state;
  settle(check, outcome);
  run_next_alone();
}

void BashChecks::finish_alone() {
  if (!is_explained_ && !disturbed_paths_.empty()) {
    std::ranges::sort(disturbed_paths_);
    disturbed_paths_.erase(std::unique(disturbed_paths_.begin(), disturbed_paths_.end()), disturbed_paths_.end());
    observer_.on_disturbed({disturbed_paths_, suspect_names_});
  }
  disturbed_paths_.clear();
  mode_ = Mode::together;
  step();
}

// The checks go on; what they do to the tree is not known any more.
void BashChecks::go_blind(const Error& why) {
  observer_.on_blind(why);
  tree_ = nullptr;
  needs_baseline_ = false;
  looked_at_.merge(ended_);
  confirm();
  ended_.clear();
  if (mode_ == Mode::alone) return run_next_alone();
  mode_ = Mode::together;
  step();
}

void BashChecks::settle(std::size_t check, const CheckOutcome& outcome) {
  observer_.on_settled(checks_[check].name, outcome);
}

}  // namespace teamster::verify
