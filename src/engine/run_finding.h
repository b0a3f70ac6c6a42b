// RunFinding: which run something is about: the one under way for a key, the one that a step has started, a name that
// is free. Owned by whoever asks; calls back once, from the loop, and not after it is gone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "env/random.h"
#include "protocol/client/calls.h"
#include "protocol/client/run_calls.h"
#include "workflow/format/usage.h"

namespace teamster::engine {

using hub::ListedRun;
using workflow::NamedWords;

class RunFinding {
 public:
  template <class Found>
  using Then = std::function<void(Result<Found>)>;

  explicit RunFinding(hub::Client& hub) : calls_(hub) {}

  // In the order in which they were started; `all`: also those that have ended.
  void rows(bool all, Then<std::vector<ListedRun>> then);
  // The run that this effect, RUN/STEP.ATTEMPT, has started and that has not ended.
  void under_way_for(const std::string& parent, Then<std::optional<std::string>> then);
  // With what it was started.
  void start_of(const std::string& run, const Then<NamedWords>& then);
  // `STEM` and four digits that no run has yet: of 300 runs in a day two would else have the same.
  void free_name(const std::string& stem, env::Random& random, Then<std::string> then);

 private:
  void try_name(const std::string& stem, env::Random& random, int tries, const Then<std::string>& then);

  hub::Calls calls_;
};

// Of these the newest of this workflow and key that has not ended.
const ListedRun* live_run_of(const std::vector<ListedRun>& rows, const std::string& workflow, const std::string& key);
// The newest of this workflow and key that was started at that time or later and has ended.
const ListedRun* ended_run_of(const std::vector<ListedRun>& rows, const std::string& workflow, const std::string& key,
                              WallTime since);

// One run at a time for each key: that of the workflow in its project, since one home serves many projects; of a
// workflow without one the effect, RUN/STEP.ATTEMPT, that starts it. Empty for none.
std::string key_of_run(const std::string& key, const std::string& project, const std::string& parent);
// The effect that has started a run, from what the run was started with; empty: a person did.
std::string parent_of_run(const hub::GetRun::Answer& run);

}  // namespace teamster::engine
