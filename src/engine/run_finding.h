// RunFinding: which run something is about: the one under way for a key, the one that a step has started, a name that
// is free. Reads all pages of the hub's list. Owned by whoever asks; calls back once, from the loop, and not after it
// is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "env/random.h"
#include "protocol/client/client.h"

namespace teamster::engine {

// A row of the hub's list of runs.
struct RunRow {
  std::string run;
  std::string workflow;
  std::string key;
  WallTime started;
  bool has_ended = false;
  bool is_held = false;  // by a process that lives
  std::int64_t holder_pid = 0;
};
RunRow read_run_row(const Json& row);

class RunFinding {
 public:
  template <class Found>
  using Then = std::function<void(Result<Found>)>;

  explicit RunFinding(hub::Client& hub) : hub_(hub) {}
  ~RunFinding() { *alive_ = false; }
  RunFinding(const RunFinding&) = delete;
  RunFinding& operator=(const RunFinding&) = delete;

  // In the order in which they were started; `all`: also those that have ended.
  void rows(bool all, Then<std::vector<RunRow>> then);
  // The run that this effect, RUN/STEP.ATTEMPT, has started and that has not ended.
  void under_way_for(const std::string& parent, Then<std::optional<std::string>> then);
  // `STEM` and four digits that no run has yet: of 300 runs in a day two would else have the same.
  void free_name(const std::string& stem, env::Random& random, Then<std::string> then);

 private:
  void read_page(const Json& args, const std::shared_ptr<std::vector<RunRow>>& rows,
                 const Then<std::vector<RunRow>>& then);
  void try_name(const std::string& stem, env::Random& random, int tries, const Then<std::string>& then);

  hub::Client& hub_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Of these the newest of this workflow and key that has not ended.
const RunRow* live_run_of(const std::vector<RunRow>& rows, const std::string& workflow, const std::string& key);
// The newest of this workflow and key that was started at that time or later and has ended.
const RunRow* ended_run_of(const std::vector<RunRow>& rows, const std::string& workflow, const std::string& key,
                           WallTime since);

// One run at a time for each key: that of the workflow in its project, since one home serves many projects; of a
// workflow without one the effect, RUN/STEP.ATTEMPT, that starts it. Empty for none.
std::string key_of_run(const std::string& key, const std::string& project, const std::string& parent);

}  // namespace teamster::engine
