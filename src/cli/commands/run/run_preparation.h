// What `run` and `rehearse` do before a run starts: arguments, values, the ledger, preconditions;
// each stop with its own words and nothing touched. Uses the process's loop while programs run.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/framework/context.h"
#include "engine/ledger_following.h"
#include "env/random.h"
#include "workflow/core/run_record.h"
#include "workflow/core/words.h"

namespace teamster::cli {

struct RunRequest {
  std::string project;
  std::vector<std::string> words;  // the workflow's arguments
  std::vector<std::string> settings;
};

struct PreparedRun {
  std::string key;
  workflow::event::Started started = {};
  std::optional<engine::LedgerFound> ledger;
};

// `pinned.run` may be empty still. A ledger that is done or blocked is returned as it is found.
Result<PreparedRun> prepare_run(Context& context, const workflow::Pinned& pinned, const RunRequest& request);
// For a run that is new; one with a ledger has begun before. Adds the skills that it needs.
Result<void> check_preconditions(Context& context, const workflow::Pinned& pinned, const std::string& project,
                                 PreparedRun& prepared);

// The workflow's arguments in their order, from NAME=VALUE each.
Result<std::vector<std::string>> words_of_named(const workflow::Workflow& workflow,
                                                const std::vector<std::string>& given);

// `<workflow>-<yyyymmdd>-<4 hex>` that no run has yet: of 300 runs in a day two would else have the same.
std::string new_run_id(const Context& context, const std::string& workflow);
// The first of these that is free.
std::string free_run_id(const std::string& stem, env::Random& random,
                        const std::function<bool(const std::string& run)>& is_taken);

}  // namespace teamster::cli
