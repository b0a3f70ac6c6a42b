// RunPreparation: what comes before a run: its workflow, arguments, values, ledger and preconditions, and whether the
// same thing is under way or done already. Each stop has its own words, and nothing was touched then. The same for a
// run that a user starts and for one that another run starts. Owned by whoever starts the run; calls back once, from
// the loop, and not after it is gone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/active_teams.h"
#include "engine/ledger_following.h"
#include "engine/run_finding.h"
#include "engine/run_setup.h"
#include "env/later.h"
#include "env/world.h"
#include "project/preconditions.h"
#include "project/settings.h"
#include "project/workflow_place.h"
#include "workflow/core/run_record.h"
#include "workflow/core/words.h"

namespace teamster::engine {

struct RunRequest {
  cli::FoundWorkflow found;
  std::vector<std::string> words = {};             // the workflow's entry and arguments in their order,
  TypedFlags flags = {};                           // and its flags,
  std::optional<NamedWords> named = std::nullopt;  // or all of them by their names
  RunSetup setup = {};                             // without its digest
  Json people = {};                                // around the run; null: nobody was named
  std::string run = {};                            // its name; empty: one is chosen
  // Where it begins, of a run that goes on with what a file says.
  std::optional<workflow::event::Resumption> resume = std::nullopt;
  // A run of the same thing that was started since then and has ended counts as this one.
  std::optional<WallTime> since = std::nullopt;
};

// A new run, and all it needs to begin.
struct RunToStart {
  workflow::Pinned pinned;
  RunSetup setup;
  std::string key;
  workflow::event::Started started = {};
  std::vector<std::string> warnings = {};  // for who starts it
};
struct RunToTakeUp {
  std::string run;
};
struct RunThatEnded {
  std::string run;
};
// What it was started for is to end the run of the same thing.
struct RunToCancel {
  std::string run;                 // that is under way; empty: none is
  std::vector<std::string> files;  // of what it is about, in the project
};
using PreparedRun = std::variant<RunToStart, RunToTakeUp, RunThatEnded, RunToCancel>;

class RunPreparation {
 public:
  using Done = std::function<void(Result<PreparedRun>)>;

  RunPreparation(const env::World& world, hub::Client& hub, Variable variable, OpenGit open_git = open_git_program);
  RunPreparation(const RunPreparation&) = delete;
  RunPreparation& operator=(const RunPreparation&) = delete;

  // Called once.
  void prepare(RunRequest request, Done done);

 private:
  Result<void> read_project();
  void choose(const std::vector<ListedRun>& rows);
  void take_up(const ListedRun& live);
  void cancel(const ListedRun* live);
  // Who is in the way of whom, for a workflow that has one team at a time.
  void find_active(const std::function<void()>& then);
  PreconditionOptions preconditions() const;
  void check_preconditions();
  void choose_name();
  void finish(Result<PreparedRun> outcome);

  env::World world_;
  const Variable variable_;
  const OpenGit open_git_;
  RunFinding finding_;
  RunRequest request_;
  Done done_;
  RunToStart prepared_;
  std::optional<LedgerFound> ledger_;
  ActiveTeams active_teams_;
  std::optional<ActiveTeam> active_;
  std::unique_ptr<Preconditions> preconditions_;
  env::Later later_;
};

// The key that `words` give a run of the workflow in its project, whatever else is missing for it.
Result<std::string> key_for(const env::World& world, const Variable& variable, const RunRequest& request);

// Whether everything is there that its agents need, also those of the runs that it is sure to start. Changes nothing.
Result<void> check_agents(const env::World& world, const Variable& variable, const RunRequest& request);

// As they are typed: the entry and the workflow's arguments in their order, and its flags.
struct TypedWords {
  std::vector<std::string> words = {};
  TypedFlags flags = {};
};
// From their names; a flag may also be among the arguments.
Result<TypedWords> words_of_named(const workflow::Workflow& workflow, const NamedWords& named);

}  // namespace teamster::engine
