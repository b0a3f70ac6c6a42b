// SubRun: a run of another workflow in the same project, driven by a process of its own that this one
// keeps: `teamster run WORKFLOW --json`. After a crash the same command finds by its key, or by the effect
// that started it, what it had begun. Ending one is a process too: `teamster cancel RUN/STEP.ATTEMPT`.
// Owned by RunEffects; calls back once, from the loop; destroying it kills the process, and the run can be resumed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/effects.h"
#include "project/program.h"
#include "env/loop.h"
#include "env/world.h"
#include "workflow/core/run_record.h"

namespace teamster::engine {

struct SubRunOptions {
  std::string project;             // directory
  std::string home;                // of the hub
  std::vector<std::string> flags;  // as they were given for this run: --driver, --scripts
  std::string parent;              // this run
};

// The words of the command, of a sub_run or an end_sub_run. `again`: what was begun or done since then counts.
std::vector<std::string> sub_run_words(const SubRunOptions& options, const Effect& effect);
// {run, status, report} when it was done, else why not.
Result<Json> sub_run_answer(const ProgramOutcome& outcome);
// Whether the sub-run is over, or there is none.
bool is_sub_run_over(const ProgramOutcome& outcome);

class SubRun {
 public:
  SubRun(const env::World& world, SubRunOptions options, Effect effect, Effects::Settle settle);
  SubRun(const SubRun&) = delete;
  SubRun& operator=(const SubRun&) = delete;

  void start();

 private:
  void ended(const ProgramOutcome& outcome);
  bool is_worth_another_try(const ProgramOutcome& outcome) const;
  void fail_with(const std::string& error);

  env::World world_;
  const SubRunOptions options_;
  const Effect effect_;
  Effects::Settle settle_;
  int tries_ = 0;
  std::unique_ptr<Program> program_;
  env::Timer later_;
};

}  // namespace teamster::engine
