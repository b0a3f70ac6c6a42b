// SubRuns: the runs that a run has started, in the same process: each a LiveRun of its own, made from its parent's
// setup. After a crash the one that a step had begun is found by its key, or by the step itself, and taken up; one that
// has ended meanwhile is as good as done. Ending one cancels it, whether it lives here or nobody drives it. Owned by
// the LiveRun above; on its loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/effects.h"
#include "engine/live_run.h"
#include "engine/run_closing.h"
#include "engine/run_preparation.h"
#include "engine/run_reading.h"
#include "env/later.h"
#include "env/loop.h"
#include "protocol/client/calls.h"

namespace teamster::engine {

class SubRuns {
 public:
  using Settle = Effects::Settle;

  SubRuns(const LiveRunParts& parts, const LiveRun& above);
  SubRuns(const SubRuns&) = delete;
  SubRuns& operator=(const SubRuns&) = delete;

  // A sub_run or an end_sub_run.
  void begin(const Effect& effect, Settle settle);
  void let_go();

  std::int64_t agent_pid(const std::string& member) const;
  std::optional<std::vector<std::int64_t>> agents_at_work() const;
  std::vector<std::string> open_questions() const;

 private:
  // One effect of the parent.
  struct Entry {
    Effect effect;
    Settle settle;
    std::unique_ptr<RunPreparation> preparation = {};
    std::unique_ptr<LiveRun> run = {};
    std::unique_ptr<RunClosing> closing = {};
    std::vector<std::string> ends = {};  // effects that end it, and wait for that
    env::Timer later = {};
  };

  void prepare(const std::string& id);
  void prepared(const std::string& id, Result<PreparedRun> outcome);
  void prepare_later(const std::string& id);
  void take_up(const std::string& id, const std::string& run);
  void read_end(const std::string& id, const std::string& run, const std::shared_ptr<RunReading>& reading);
  void over(const std::string& id, const Result<void>& outcome);
  void end(const std::string& id);
  void close(const std::string& id, const std::string& of);
  void done(const std::string& id, Json answer, std::optional<workflow::event::TurnUsage> usage = {});
  void failed(const std::string& id, const std::string& error);
  void settle(const std::string& id, workflow::EventBody body);
  RunRequest request_for(const Effect& effect, cli::FoundWorkflow found) const;

  const LiveRunParts& parts_;
  const LiveRun& above_;
  hub::Calls calls_;
  RunFinding finding_;
  std::map<std::string, Entry> entries_;  // by effect, until it is settled
  bool is_leaving_ = false;
  env::Later later_;
};

}  // namespace teamster::engine
