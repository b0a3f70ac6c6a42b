// JournalFold: the state of a run out of the pages of its journal, in the order in which the hub hands them out.
// A value, driven by the run that is taken up.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "base/result.h"
#include "engine/snapshot.h"

namespace teamster::engine {

class JournalFold {
 public:
  // From a state that was kept, or from the beginning.
  explicit JournalFold(Snapshot kept) : folded_(std::move(kept)) {}

  // An answer of `run.events`. Code::internal when it is none, Code::invalid when a record cannot be read.
  Result<void> add(Json page);
  // As of the last record; leaves nothing.
  Snapshot take();

 private:
  Result<void> add_event(Json& event);

  Snapshot folded_;
};

}  // namespace teamster::engine
