// DrivenRun: a run driven by this process, with what its user sees of it: lines while it goes on,
// questions, the report, Ctrl-C (cancel it, or leave it to the background). Shared by `run`, `resume` and `rehearse`.
// Owned by the command; uses the process's loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/framework/context.h"
#include "rehearsal/rehearsal_faults.h"
#include "rehearsal/rehearsal_time.h"
#include "engine/run.h"
#include "engine/run_effects.h"
#include "engine/run_setup.h"
#include "protocol/client/home.h"
#include "workflow/core/words.h"

namespace teamster::cli {

struct DrivenRunOptions {
  hub::Home home;
  workflow::Pinned pinned;
  engine::RunSetup setup;
  bool waits = true;               // for people; otherwise it ends at the first question
  bool shows = true;               // lines while it goes on
  bool is_sub_run = false;         // the engine of another run has started this process
  std::string people_file = {};    // where `people` are from, for sub-runs
  std::vector<Fault> faults = {};  // of a rehearsal
  // What people answer, for rehearsals; nullopt: they are asked.
  std::function<std::optional<Json>(const workflow::RunCommand& question)> people = [](const workflow::RunCommand&) {
    return std::nullopt;
  };
};

class DrivenRun {
 public:
  DrivenRun(Context& context, DrivenRunOptions options);

  // Both run the loop until the run is over, and give the exit code.
  Result<int> start(const std::string& key, workflow::RunEvent started);
  Result<int> resume();

  const workflow::RunState& state() const { return run_->state(); }
  const std::string& report() const { return report_; }

 private:
  // In the middle: to a process in the background, or to nobody.
  enum class Leaving { no, to_background, to_nobody };

  std::unique_ptr<RehearsalTime> make_rehearsal_time();
  std::optional<std::vector<std::int64_t>> agents_at_work() const;
  Result<int> drive();
  bool is_over() const;
  void show(const engine::Recorded& recorded);
  void asked(const workflow::RunCommand& question, bool again);
  void interrupted();
  void choose();
  void cancel();
  void leave(Leaving how);
  Result<int> left();
  std::int64_t pid_of(const std::string& whom);
  Result<agent::MemberOptions> member_options(const workflow::Role& role, const std::string& member);
  void say(const std::string& line);

  Context& context_;
  DrivenRunOptions options_;
  env::World world_;
  hub::Client hub_;
  std::unique_ptr<RehearsalTime> time_;  // of a rehearsal; its timers go first
  RehearsalFaults faults_;
  std::unique_ptr<engine::RunEffects> effects_;
  std::unique_ptr<engine::Run> run_;
  std::optional<Result<void>> outcome_;
  std::string report_;
  std::string waiting_for_;
  bool is_stuck_ = false;  // in a rehearsal: on a question that nobody is there to answer
  int interrupts_ = 0;
  bool is_cancelled_ = false;
  env::Registration choice_;  // while the user is asked what Ctrl-C meant
  Leaving leaving_ = Leaving::no;
};

// 0 done, 1 anything else that ended it.
int exit_code_of(const std::string& status);

}  // namespace teamster::cli
