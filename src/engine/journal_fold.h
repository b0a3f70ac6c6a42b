// JournalFold: the state of a run out of the pages of its journal, in the order in which the hub hands them out.
// A value, driven by the run that is taken up.
#pragma once

#include <vector>

#include "base/result.h"
#include "engine/snapshot.h"
#include "protocol/client/run_calls.h"

namespace teamster::engine {

class JournalFold {
 public:
  // From a state that was kept, or from the beginning.
  explicit JournalFold(Snapshot kept) : folded_(std::move(kept)) {}

  // The records of a page. Code::invalid when one of them cannot be read.
  Result<void> add(std::vector<hub::RunJournalEvent> page);
  // As of the last record; leaves nothing.
  Snapshot take();

 private:
  Result<void> add_event(hub::RunJournalEvent event);

  Snapshot folded_;
};

}  // namespace teamster::engine
