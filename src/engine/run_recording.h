// RunRecording: begins a run and drives it no further: its start is in the journal, with everything it needs, and
// whoever takes it up goes on. For work that another tool has begun. Owned by whoever imports; on the loop of its
// world; calls back once, and not after it is gone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "engine/effects.h"
#include "engine/live_run.h"
#include "engine/run.h"
#include "engine/run_preparation.h"

namespace teamster::engine {

class RunRecording : public Effects {
 public:
  // The name of the run.
  using Done = std::function<void(Result<std::string>)>;

  RunRecording(const LiveRunParts& parts, RunToStart run, Done done);

  void start();

 private:
  void begin(const Effect&, const workflow::RunState&, Settle) override {}
  void drop(const std::string&) override {}
  Result<void> follow(const workflow::RunState&) override { return {}; }
  void finish(Result<std::string> outcome);

  const LiveRunParts& parts_;
  RunToStart to_start_;
  Done done_;
  std::unique_ptr<Run> run_;
};

}  // namespace teamster::engine
