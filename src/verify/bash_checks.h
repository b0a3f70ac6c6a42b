// BashChecks: the checks of a manifest, many at once, none of them beside one that changes the tree. Owned by
// Verification; driven by the loop; each check is settled once, then `done` is called.
//
// Nobody says of a check that it changes the tree, so it is found by observation. Checks run at once while the tree is
// looked at now and then (TreeWatch), and an outcome counts when a look that began after its end shows the tree as it
// was. When a look shows another tree, nothing new is started; what has run since the last good look is suspected, its
// outcomes are void, and each of the suspects is run again alone, with a look before and after it. The one that does it
// is told by that, reported with the paths it changed, and has run beside nobody when its outcome counts. Then the rest
// goes on at once. A change that nobody repeats is reported as one of all suspects: they ran beside it, or it came from
// outside. What a check changes stays: nothing of the user's is put back.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "env/later.h"
#include "env/world.h"
#include "verify/bash_check.h"
#include "verify/tree_watch.h"

namespace teamster::verify {

struct BashChecksOptions {
  CheckSetting setting;
  std::size_t at_once = 1;
  TreeWatch* tree = nullptr;  // nullptr: nobody can say whether the tree was changed
};

// A change of the tree that no check repeated when it ran alone.
struct Disturbance {
  std::vector<std::string> paths;
  std::vector<std::string> suspects;  // names of checks
};

struct NamedCheck {
  std::string name;
  std::string command;
};

struct BashChecksObserver {
  std::function<void(const std::string& name)> on_started = [](const std::string&) {};
  std::function<void(const std::string& name, const CheckOutcome&)> on_settled;
  std::function<void(const Disturbance&)> on_disturbed = [](const Disturbance&) {};
  // The tree cannot be watched from now on.
  std::function<void(const Error&)> on_blind = [](const Error&) {};
  std::function<void()> on_done;
};

class BashChecks {
 public:
  BashChecks(const env::World& world, BashChecksOptions options, std::vector<NamedCheck> checks,
             BashChecksObserver observer);
  BashChecks(const BashChecks&) = delete;
  BashChecks& operator=(const BashChecks&) = delete;

  void start();

 private:
  enum class Mode { together, draining, alone };

  void step();
  void launch(std::size_t check);
  void ended(std::size_t check, CheckOutcome outcome);
  void look();
  void looked(const Result<TreeState>& state);
  void compare(const TreeState& state);
  void confirm();
  void run_next_alone();
  void ended_alone(const TreeState& state);
  void finish_alone();
  void go_blind(const Error& why);
  void settle(std::size_t check, const CheckOutcome& outcome);
  bool is_time_to_look();

  env::World world_;
  const BashChecksOptions options_;
  const std::vector<NamedCheck> checks_;
  const BashChecksObserver observer_;
  Mode mode_ = Mode::together;
  TreeWatch* tree_;
  std::deque<std::size_t> pending_;
  std::map<std::size_t, std::unique_ptr<BashCheck>> running_;
  std::map<std::size_t, CheckOutcome> ended_;      // no look has begun since
  std::map<std::size_t, CheckOutcome> looked_at_;  // ended before the look that is under way
  std::deque<std::size_t> suspects_;
  std::vector<std::string> suspect_names_;
  std::vector<std::string> disturbed_paths_;
  bool is_explained_ = false;  // one of the suspects did it again
  bool needs_baseline_ = true;
  TreeState known_;
  Instant look_began_;
  Duration look_took_{};
  env::Timer look_later_;
  bool is_done_ = false;
  env::Later later_;
};

}  // namespace teamster::verify
