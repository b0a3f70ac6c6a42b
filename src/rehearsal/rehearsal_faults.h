// Faults of a rehearsal, struck at named points: `crash builder@fix.1`, `mute tester@run-tests`,
// `slow …`, `garbage …` at a turn, `kill engine@step.done:verify.1:after` (or hub, keeper, a member)
// at a point of the journal. Each strikes once. Owned by the run; on its loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/recorded.h"
#include "env/loop.h"

namespace teamster::cli {

struct Fault {
  enum class What { crash, mute, slow, garbage, kill };
  What what = What::crash;
  std::string whom;   // a member; of kill also engine, hub, keeper
  std::string where;  // of kill "step.done:verify.1:after", otherwise "fix" or "fix.1"

  // "crash builder@fix.1"
  static Result<Fault> parse(const std::string& text);
};

class RehearsalFaults {
 public:
  struct Surroundings {
    // Who is behind a name now; 0: nobody.
    std::function<std::int64_t(const std::string& whom)> pid_of;
    std::function<void(const std::string& line)> say;
  };

  RehearsalFaults(std::vector<Fault> faults, env::Loop& loop, Surroundings around);

  void at_point(const engine::Point& point);
  void at_turn(const std::string& member, const std::string& step, std::int64_t pid);

 private:
  void strike(const Fault& fault, std::int64_t pid);

  std::vector<Fault> faults_;
  env::Loop& loop_;
  Surroundings around_;
  std::vector<env::Timer> timers_;
};

}  // namespace teamster::cli
