// The ledger of a run follows its state: artifacts of answers that count, then its index. And
// back: an index that is in progress, whoever wrote it, says where a new run goes on. Functions
// on values; writing the same again changes nothing.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "env/files.h"
#include "project/ledger.h"
#include "workflow/core/run_state.h"
#include "workflow/core/words.h"

namespace teamster::engine {

// Nothing happens for a workflow without a ledger.
Result<void> follow_with_ledger(env::Files& files, const workflow::Pinned& pinned, const std::string& project,
                                const workflow::RunState& state);

// What a killed engine left of a write. Only for whoever holds the run.
Result<void> clean_ledger(env::Files& files, const workflow::Pinned& pinned, const std::string& project,
                          const workflow::RunState& state);

struct LedgerFound {
  LedgerStatus status = LedgerStatus::in_progress;
  std::string path;                         // of the index, from the project on
  workflow::event::Resumption resume = {};  // where a new run begins
};
// nullopt: no ledger, or none yet. `state` holds the arguments and values alone.
Result<std::optional<LedgerFound>> find_ledger(env::Files& files, const workflow::Pinned& pinned,
                                               const std::string& project, const workflow::RunState& state);

}  // namespace teamster::engine
