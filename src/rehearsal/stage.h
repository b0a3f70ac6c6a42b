// Stage: what a rehearsal plays on and all that is behind it: a scratch repository, scripts, a home of its own whose
// time jumps, and the engines that drive the run, one after the other when faults kill them. Everything is checked
// before anything is written. Owned by the command, which runs its loop; its destructor leaves nothing, unless what
// was played is to be kept.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/world.h"
#include "project/workflow_place.h"
#include "rehearsal/fault.h"
#include "rehearsal/plan.h"
#include "rehearsal/played_engine.h"

namespace teamster::cli {

// Paths are absolute.
struct StageOptions {
  FoundWorkflow workflow;
  std::string workflow_word;                // by which an engine finds it from the scratch repository
  WorkflowPlaces places;                    // where those are whose sub-runs it starts
  std::vector<std::string> arguments = {};  // of the workflow; empty: those of its plan
  std::string project = {};                 // a repository of the user, of which the last commit is played on
  std::string scripts = {};                 // directory of ROLE.json and people.json; empty: rehearsal/ of the project
  std::string stakeholders = {};            // file of the people around the run; empty: nobody is named
  std::string keep = {};                    // directory that stays; empty: nothing does
  std::vector<StagedFault> faults = {};
  std::optional<std::uint64_t> seed = {};
  bool is_coloured = false;  // what engines write
};

struct Ending {
  std::optional<int> exit;  // of the last engine; none when it was killed
  std::string status;       // of the run, when it had ended before its engine was killed
  std::vector<StagedFault> never_struck;
};

class Stage {
 public:
  Stage(const env::World& world, StageOptions options) : world_(world), options_(std::move(options)) {}
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Once, and first. Runs the loop while programs do.
  Result<void> set();
  // Runs the loop until the run is over. What engines write goes to `output` as it comes, in whole lines.
  Result<Ending> play(const PlayedEngine::Output& output);
  // From the loop: what is being set is given up, a run is cancelled; the second time its engine is killed.
  void interrupt();

  const std::string& directory() const { return directory_; }
  const std::string& home() const { return home_; }
  const std::string& run() const { return run_; }

 private:
  // What is checked first.
  Result<void> read_plan();
  Result<void> check();
  Result<void> check_scripts(const workflow::Workflow& workflow, const std::string& entry) const;
  Result<void> check_project();
  Result<std::string> stakeholders() const;
  // Those that were given, or else those of the plan.
  const std::vector<std::string>& arguments() const {
    return options_.arguments.empty() ? plan_.arguments : options_.arguments;
  }
  // What is written then.
  Result<void> make_directory();
  Result<void> make_repository();
  Result<void> make_home();
  // What is played.
  Result<env::ExitStatus> drive(bool has_begun, const PlayedEngine::Output& output);
  Result<std::optional<std::string>> status_of_run();
  void stop_hub();
  Result<std::string> run_program(const std::string& command, const std::string& directory);

  env::World world_;
  const StageOptions options_;
  workflow::Workflow workflow_;
  Plan plan_;
  PlannedFiles files_;
  std::string repository_;  // of the user's project, and where in it the project is
  std::string prefix_;
  std::string run_;
  std::string directory_;  // everything is in it
  std::string project_;    // where engines work: the directory, or below it
  std::string scripts_;
  std::string home_;
  bool directory_was_there_ = false;
  bool is_set_ = false;
  bool has_played_ = false;
  int interrupts_ = 0;
  std::unique_ptr<PlayedEngine> engine_;
};

}  // namespace teamster::cli
