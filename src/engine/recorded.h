// What the engine shows of its journal to those who watch: a record as it stands there, and the named points at which
// faults strike. Values.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "workflow/core/run_record.h"

namespace teamster::engine {

// A record as it stands in the journal.
struct Recorded {
  std::int64_t n = 0;
  WallTime at;
  workflow::RunRecord record;
};

// A named point of the journal: `step.done:verify.1:after`.
struct Point {
  std::string kind;
  std::string step;
  std::int64_t attempt = 0;
  bool after = false;  // the commit
  std::string run = {};

  std::string text() const;
};

// Whether a turn has ended without an answer because its member had asked something, which is no failure.
bool is_pause(const workflow::RunRecord& record);

}  // namespace teamster::engine
