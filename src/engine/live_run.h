// LiveRun: a run that this process drives, with all it needs to go on: its effects, its crew, and the runs that it
// starts, which live in the same process with leases of their own. What is to be seen of all of them goes to one
// RunObserver. Owned by a command, or by the run above it; on the loop of its world.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/redaction.h"
#include "base/result.h"
#include "engine/run.h"
#include "engine/run_effects.h"
#include "engine/run_setup.h"
#include "env/later.h"
#include "env/world.h"
#include "project/settings.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "protocol/client/run_calls.h"
#include "workflow/core/words.h"

namespace teamster::engine {

class SubRuns;

// Whoever watches. All are called from the loop.
struct RunObserver {
  // One that was there goes on from this state.
  std::function<void(const std::string& run, const workflow::RunState& state)> on_taken_up =
      [](const std::string&, const workflow::RunState&) {};
  std::function<void(const std::string& run, const Recorded&)> on_record = [](const std::string&, const Recorded&) {};
  // Where faults strike.
  std::function<void(const Point&)> on_point = [](const Point&) {};
  std::function<void(const std::string& member, const std::string& step, std::int64_t pid)> on_turn =
      [](const std::string&, const std::string&, std::int64_t) {};
  std::function<void(const std::string& line)> on_note = [](const std::string&) {};
  // A question waits for somebody; `again`: an engine before this one has asked it.
  std::function<void(const std::string& run, const workflow::RunCommand& question, bool again)> on_question =
      [](const std::string&, const workflow::RunCommand&, bool) {};
  // It does not any more: `by` answered it, wherever; where it is empty it was given up.
  std::function<void(const std::string& run, const std::string& question, const std::string& by)> on_question_over =
      [](const std::string&, const std::string&, const std::string&) {};
  // What the run has come to with each of its records, told before the record is.
  std::function<void(const std::string& run, const workflow::RunState& state)> on_state =
      [](const std::string&, const workflow::RunState&) {};
  // An agent does or says something in its turn.
  std::function<void(const std::string& run, const std::string& member, const agent::Activity&)> on_activity =
      [](const std::string&, const std::string&, const agent::Activity&) {};
};

// What a person says in a rehearsal, and when.
struct PlayedReply {
  Json answer;
  std::string by;
  std::string how = "script";
  Json note = {};
  Duration after{};  // since the question was asked
};

// What a run and the runs that it starts have in common.
struct LiveRunParts {
  env::World world;
  env::World stage;  // whose timers jump in a rehearsal; otherwise the same world
  hub::Client& hub;
  hub::Home home;
  Variable variable;
  OpenGit open_git = open_git_program;
  RunObserver observer = {};
  // What people answer in a rehearsal; nullopt: they are asked.
  std::function<std::optional<PlayedReply>(const workflow::RunCommand& question)> people =
      [](const workflow::RunCommand&) { return std::nullopt; };
  // Whether a git that is none of ours may be at work in this directory; one cannot know, so it may.
  std::function<bool(const std::string& directory)> git_is_at_work = [](const std::string&) { return true; };
  // Ends what an engine that was killed together with its keeper has left.
  std::function<void()> end_leftovers = [] {};
  std::int64_t snapshot_every = kSnapshotEvery;  // records
};

class LiveRun {
 public:
  // Last, and once: the run has ended, was let go, or why this process can drive it no more.
  using Over = std::function<void(Result<void>)>;

  LiveRun(const LiveRunParts& parts, workflow::Pinned pinned, RunSetup setup, Over on_over);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  // A new one.
  Result<void> start(const std::string& key, workflow::event::Started started);
  // One that is there.
  void take_up();
  void cancel(const std::string& by, const std::string& how);
  // Gives the leases back: any process can take the run up at once.
  void let_go();

  const std::string& name() const { return pinned_.run; }
  const workflow::RunState& state() const { return run_.state(); }
  const RunSetup& setup() const { return setup_; }
  const workflow::Pinned& pinned() const { return pinned_; }
  const std::string& report() const { return report_; }

  // Of an agent of this run or of one below it; 0: no process runs.
  std::int64_t agent_pid(const std::string& member) const;
  // Agents that would have to be asleep for the run to wait; nullopt while it is busy otherwise.
  std::optional<std::vector<std::int64_t>> agents_at_work() const;
  // RUN/STEP.ATTEMPT of what waits for a person, in this run and those below it.
  std::vector<std::string> open_questions() const;

 private:
  RunEffectsOptions effects_options();
  RunHandlers run_handlers();
  void recorded(const Recorded& record);
  void asked(const Effect& question);
  void play(const PlayedReply& reply, const Effect& question);
  void over(const Result<void>& outcome);

  const LiveRunParts& parts_;
  const workflow::Pinned pinned_;
  const RunSetup setup_;
  const Redaction redaction_;
  Over on_over_;
  std::unique_ptr<SubRuns> sub_runs_;
  RunEffects effects_;
  Run run_;
  std::string report_;
  std::vector<std::string> asked_;            // questions that were told to the observer, by id
  std::map<std::string, env::Timer> played_;  // replies of a rehearsal that come later, by question
  env::Later later_;
};

// All that is needed to take the run up: as it was pinned, and how it was started.
struct PinnedRun {
  workflow::Pinned pinned;
  RunSetup setup;
};
Result<PinnedRun> read_pinned_run(env::Files& files, const hub::Home& home, const hub::GetRun::Answer& run);

}  // namespace teamster::engine
