// RehearsalFaults: strikes the faults of a rehearsal, at turns and at points of the journal. Those of the rehearsal's
// record strike once over all its engines, those of this engine alone once in it. A fault that finds nobody to strike
// has not struck. Owned by the run; on its loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/recorded.h"
#include "env/loop.h"
#include "rehearsal/fault.h"
#include "rehearsal/fault_record.h"

namespace teamster::cli {

class RehearsalFaults {
 public:
  struct Surroundings {
    // Who is behind a name now; 0: nobody.
    std::function<std::int64_t(const std::string& whom)> pid_of;
    std::function<void(const std::string& line)> say;
  };

  RehearsalFaults(const std::vector<StagedFault>& own, const FaultRecord& record, env::Loop& loop, Surroundings around);

  void at_point(const engine::Point& point);
  void at_turn(const std::string& member, const std::string& step, std::int64_t pid);

 private:
  struct Waiting {
    StagedFault fault;
    std::size_t index = 0;  // among those of its list
    bool is_recorded = false;
  };

  // Whether it is this engine that strikes.
  bool take(const Waiting& waiting);
  void strike_if_taken(const Waiting& waiting, std::int64_t pid);
  void strike(const StagedFault& fault, std::int64_t pid);

  std::vector<Waiting> waiting_;
  const FaultRecord record_;
  env::Loop& loop_;
  Surroundings around_;
  std::vector<env::Timer> timers_;
};

}  // namespace teamster::cli
