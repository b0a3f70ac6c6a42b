// Run: one execution of a workflow, driven: an event comes in, `workflow::next` names the commands,
// both are appended to the journal in one write, and only then the commands are acted on. It
// holds the run's lease and stops at once when it has lost it. Owned by the command; on its
// loop; may be killed anywhere and taken up by another process.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/effects.h"
#include "engine/journal_fold.h"
#include "engine/recorded.h"
#include "engine/snapshot.h"
#include "env/bond.h"
#include "env/loop.h"
#include "env/world.h"
#include "protocol/client/calls.h"
#include "protocol/client/client.h"
#include "protocol/client/run_calls.h"
#include "workflow/core/next.h"
#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"
#include "workflow/core/words.h"

namespace teamster::engine {

struct RunHandlers {
  // A run that was there is ours now, and goes on from here.
  std::function<void()> on_taken_up = [] {};
  std::function<void(const Recorded&)> on_record = [](const Recorded&) {};
  std::function<void(const Point&)> on_point = [](const Point&) {};
  // What comes in, before anything is decided or recorded.
  std::function<workflow::RunEvent(workflow::RunEvent)> cleaned = [](workflow::RunEvent event) { return event; };
  // Last. The state it ended with, or why this process can drive it no more.
  std::function<void(Result<void>)> on_over = [](const Result<void>&) {};
};

// Where the run's snapshots are, and after how many records the next one is due.
inline constexpr std::int64_t kSnapshotEvery = 1000;
struct RunSnapshots {
  SnapshotFile file;
  std::int64_t every = kSnapshotEvery;
};

class Run {
 public:
  Run(const env::World& world, hub::Client& hub, workflow::Pinned pinned, Effects& effects, RunHandlers handlers,
      RunSnapshots snapshots);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // A new one. `facts` go into the journal beside the event (digest of the bundle, project, …).
  void start(const std::string& key, workflow::RunEvent started, Json facts);
  // One that is there: takes the lease over, reads the journal, goes on with what is open.
  void resume();
  // Someone at this terminal, or the engine itself.
  void hear(workflow::RunEvent event);
  // Gives the lease back, so that any process can resume the run at once; then it is over here.
  void let_go();

  const workflow::RunState& state() const { return state_; }
  // Whether everything that was heard is recorded and acted on.
  bool is_settled() const { return is_going_ && !is_appending_ && !begins_open_ && events_.empty(); }
  const workflow::Pinned& pinned() const { return pinned_; }

 private:
  Snapshot kept_snapshot(std::int64_t last_n) const;
  void ask_for_pages();
  Result<void> take_up(std::int64_t after, hub::ReadRun::Answer page);
  void taken_up();
  void go_on();
  void begin_open();
  void append_next();
  workflow::RunRecord decide(workflow::RunEvent event);
  void appended(std::int64_t n_of_last);
  void begin(const workflow::RunCommand& command, WallTime since, bool again);
  void drop_given_up();
  void remember_times(const workflow::RunRecord& record, WallTime at);
  void write_snapshot();
  void listen();
  void told(const hub::RunJournalEvent& event);
  void renew_later();
  void stop(Result<void> outcome);
  template <class Call, class Then>
  void call(Call call, Then then, hub::CallOptions options = {});

  env::World world_;
  const workflow::Pinned pinned_;
  Effects& effects_;
  RunHandlers handlers_;
  const RunSnapshots snapshots_;
  workflow::RunState state_;    // as it is on the disk
  workflow::RunState decided_;  // and with what is on its way there
  Lease lease_;                 // 0: none yet
  std::int64_t n_ = 0;          // of the last record that is ours
  std::int64_t heard_ = 0;      // what others told, so far
  std::int64_t kept_n_ = 0;     // of the last snapshot
  // While the journal is read.
  std::optional<JournalFold> fold_;
  std::int64_t asked_ = 0;   // records up to here were asked for
  std::int64_t last_n_ = 0;  // it has at least as many
  std::deque<workflow::RunEvent> events_;
  std::vector<workflow::RunRecord> appending_;
  bool is_appending_ = false;
  bool is_going_ = false;
  bool begins_open_ = false;               // what an engine before us left open
  std::map<std::string, WallTime> since_;  // of open effects, and some that were
  std::map<std::string, bool> begun_;      // effects that were handed to effects_
  env::Timer renewal_;
  bool is_over_ = false;
  hub::Calls calls_;
  env::Bond bond_;
};

}  // namespace teamster::engine
