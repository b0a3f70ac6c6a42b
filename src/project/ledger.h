// The ledger: the files that people read and commit, kept in step with a run: an index and
// one artifact per answer (workflow::Ledger). Functions on values; the files are borrowed. A
// index of another tool is taken as it is and keys we do not know stay. Written whole and
// durably, so nobody reads a part; what leads out of the project is refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "env/files.h"

namespace teamster::engine {

enum class LedgerStatus { in_progress, done, blocked };
enum class LedgerPhaseStatus { pending, in_progress, done };

std::string_view to_string(LedgerStatus status);
std::string_view to_string(LedgerPhaseStatus status);

struct LedgerPhase {
  std::string key;  // see phase_key
  LedgerPhaseStatus status = LedgerPhaseStatus::pending;
  std::optional<std::string> latest;  // name of its newest artifact
};

struct LedgerState {
  std::vector<std::pair<std::string, Json>> fields;  // the workflow's own, in the order in which they are written
  LedgerStatus status = LedgerStatus::in_progress;
  std::int64_t current_phase = 1;
  std::int64_t next_sequence = 1;
  std::map<std::string, std::int64_t> iterations;  // by loop
  std::vector<LedgerPhase> phases;
};

struct LedgerPlace {
  std::string project;    // the project's directory
  std::string directory;  // of the ledger, from there on
  std::string index;      // name of the file in it that tells how far the run is: manifest.json

  std::string index_path() const { return directory + "/" + index; }
};

struct Artifact {
  std::int64_t sequence = 0;
  std::int64_t number = 0;  // of the phase
  std::string id;           // of the phase
  Json answer;
};

// "3_unit_tests" for phase 3, unit-tests.
std::string phase_key(std::int64_t number, const std::string& id);

// nullopt when there is no index. All fields beside the fixed ones are in `fields`.
Result<std::optional<LedgerState>> load_ledger(env::Files& files, const LedgerPlace& place);
// Changes in the file what differs from the state; other keys, and the order of all, stay as they
// are there. So what people may edit meanwhile is best left out of `fields`.
Result<void> save_ledger(env::Files& files, const LedgerPlace& place, const LedgerState& state);

// `name` is the workflow's: "{{sequence:03}}-p{{number:02}}-{{id}}.json".
Result<std::string> artifact_name(const std::string& name, const Artifact& artifact);
// Returns the file's name. The same content may be written again, as after a crash; a file with
// another content is left alone and Code::refused.
Result<std::string> write_artifact(env::Files& files, const LedgerPlace& place, const std::string& name,
                                   const Artifact& artifact);
// Of a name in an index.
Result<Json> read_artifact(env::Files& files, const LedgerPlace& place, const std::string& file);

// Removes what a killed process left of a write. Only for whoever holds the run.
Result<void> remove_torn_writes(env::Files& files, const LedgerPlace& place);

}  // namespace teamster::engine
