// RunClosing: ends a run that nobody drives: it is told to cancel, its lease is taken, and the same Run drives it, with
// effects that only close: teams are deleted, sub-runs closed in the same way, nothing else is begun. Owned by whoever
// wants it ended; on the loop of its world; calls back once, and not after it is gone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/effects.h"
#include "engine/live_run.h"
#include "engine/run.h"
#include "engine/run_finding.h"
#include "protocol/client/calls.h"
#include "protocol/client/run_calls.h"

namespace teamster::engine {

class RunClosing : public Effects {
 public:
  // How it ended.
  using Done = std::function<void(Result<std::string>)>;

  RunClosing(const LiveRunParts& parts, std::string run, std::string by, Done done);

  void start();

 private:
  void begin(const Effect& effect, const workflow::RunState& state, Settle settle) override;
  void drop(const std::string& id) override;
  Result<void> follow(const workflow::RunState& state) override;

  void told();
  void drive(const hub::GetRun::Answer& run);
  void end_team(const Effect& effect, const Settle& settle);
  void end_sub_run(const Effect& effect, const Settle& settle);
  void finish(Result<std::string> outcome);

  const LiveRunParts& parts_;
  const std::string name_;
  const std::string by_;
  Done done_;
  hub::Calls calls_;
  RunFinding finding_;
  std::optional<PinnedRun> pinned_;  // not where its files are lost: then it ends without its own report
  std::unique_ptr<Run> run_;
  std::map<std::string, std::unique_ptr<RunClosing>> sub_runs_;  // by effect
};

}  // namespace teamster::engine
