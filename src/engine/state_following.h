// What other programs read about a run, its workflow's `state`: fields filled from the run, and kept in a JSON file
// that other keys may share. Files only; the task that can carry them instead is StateTask's.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "env/files.h"
#include "env/world.h"
#include "workflow/core/run_state.h"
#include "workflow/core/words.h"

namespace teamster::engine {

// The fields of the workflow's `state` as they are now; `a/b` is a field of a field. A text that is nothing but one
// source has that value as it is (a list, a number, null); other texts are texts.
Result<Json> state_fields(const workflow::Pinned& pinned, const workflow::RunState& state);

// Merged into what is there, and written only when that changes something. Code::invalid when the file is no JSON
// object: it stays as it is.
Result<void> follow_with_state_file(env::Files& files, const workflow::Pinned& pinned, const std::string& project,
                                    const workflow::RunState& state);

// The team that the file names now, by the field that is kept as {{run/team}}; empty: none, or there is no such file.
std::string team_in_state_file(env::Files& files, const workflow::Pinned& pinned, const std::string& project,
                               const workflow::RunState& state);

// The file by which others know of the run's team, absolute; empty: there is none.
std::string file_that_names_team(const workflow::Pinned& pinned, const std::string& project,
                                 const workflow::RunState& state);
// How long it takes until the file has been left alone for limits::kStateSettles: others may be at it, too. Zero: it
// has been, or is not there.
Duration settles_in(const env::World& world, const std::string& file);

// The workflow's `files`: paths in the project of what the run is about.
Result<std::vector<std::string>> files_of_work(const workflow::Pinned& pinned, const workflow::RunState& state);

// Paths in the project that the engine keeps in step with the run: its state, its ledger, the checklist it works off.
std::vector<std::string> files_that_follow(const workflow::Pinned& pinned, const workflow::RunState& state);

}  // namespace teamster::engine
