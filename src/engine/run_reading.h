// RunReading: a run as its journal tells it, for who looks at it or speaks to it: the folded state,
// when each thing happened, what is asked and what was told. A value, fed with the events of
// `run.events` in their order; never fails on what it cannot read, but says so in `notes`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/recorded.h"
#include "protocol/client/run_calls.h"
#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"
#include "workflow/core/told.h"

namespace teamster::engine {

// One try at a step: an effect from its beginning to its end.
struct StepAttempt {
  workflow::RunCommand command;
  std::int64_t n = 0;  // of the record that began it
  WallTime since;
  std::optional<WallTime> until;   // not while it is open
  std::string outcome;             // "done", "failed", "given up", …; empty while it is open
  workflow::RunEvent ending = {};  // that settled it; of no kind while it is open
};

// What others put into the journal for the engine to hear.
struct Told {
  std::int64_t n = 0;
  WallTime at;
  workflow::ToldBody body;
};

class RunReading {
 public:
  // An event as the hub hands it out: {n, at, kind, body}.
  void add(const Json& event);
  void add(const hub::RunJournalEvent& event);
  // Goes on from a state that was folded before.
  void begin_with(workflow::RunState state, std::int64_t n);

  const workflow::RunState& state() const { return state_; }
  std::int64_t last_n() const { return last_n_; }
  WallTime last_at() const { return last_at_; }
  std::optional<WallTime> phase_since() const { return phase_since_; }
  // By id; those that are open, and those that are over.
  const std::map<std::string, StepAttempt>& attempts() const { return attempts_; }
  const std::vector<Told>& told() const { return told_; }
  // Told, and not heard by the engine yet.
  std::vector<Told> unheard() const;
  // How many times each phase was entered.
  const std::map<std::string, std::int64_t>& entered() const { return entered_; }
  const std::string& report() const { return report_; }
  // Records that could not be read, kinds that this program does not know.
  const std::vector<std::string>& notes() const { return notes_; }

  // Called with each record of the engine before it is folded.
  std::function<void(const workflow::RunState& before, const Recorded& recorded)> on_record = {};

 private:
  void fold(const Recorded& recorded);
  void begin_attempts(const Recorded& recorded);
  void end_attempts(const Recorded& recorded);
  void note(std::int64_t n, const std::string& text);

  workflow::RunState state_;
  std::int64_t last_n_ = 0;
  WallTime last_at_;
  std::optional<WallTime> phase_since_;
  std::map<std::string, StepAttempt> attempts_;
  std::set<std::string> open_;  // ids of those that are
  std::map<std::string, std::int64_t> entered_;
  std::vector<Told> told_;
  std::string report_;
  std::vector<std::string> notes_;
};

// A page of the journal after this number.
using ReadPage = std::function<Result<hub::ReadRun::Answer>(std::int64_t after)>;

// From where the reading is to the end of the journal.
Result<void> read_to_end(RunReading& reading, const ReadPage& page);

}  // namespace teamster::engine
