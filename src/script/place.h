// Place: where a session of a scripted agent is in its script, what it has heard and what it
// has spent. It changes by records alone, so the file of its records makes it again after a
// crash. A value; owned by the player.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "script/usage.h"

namespace teamster::script {

// Which steps a prompt is answered with.
inline constexpr int kOtherwise = -1;
inline constexpr int kNothingLeft = -2;

struct Place {
  // A turn that has not ended.
  struct Current {
    int turn = kNothingLeft;  // index into the script's turns, or one of the above
    std::size_t next_step = 0;
    std::string said;
    Usage usage;
  };

  std::string session_id;
  std::string model;
  std::vector<std::string> heard;  // prompts and messages, each cut to limits::kScriptHeardMaxBytes
  int prompts = 0;
  std::set<int> used;  // turns of the script
  std::optional<Current> current;
  std::map<std::string, Usage> spent;  // by model
  std::map<std::string, Json> saved;   // answers of tools, by name

  Usage total() const;

  // The only way to change one. Code::invalid when the record makes no sense here.
  Result<void> apply(const Json& record);
  // From all records of a file, one a line. A last line without its end is what a crash left
  // of an unfinished write: it is not counted into `used_bytes`.
  static Result<Place> replay(std::string_view text, std::size_t& used_bytes);
};

// The records.
namespace record {
Json session(const std::string& id, const std::string& model);
Json model(const std::string& name);
// Without a turn: goes on with the current one.
Json prompt(std::string_view text, std::optional<int> turn);
Json message(std::string_view text);
struct StepFacts {
  std::optional<std::string> said = {};
  std::optional<Usage> usage = {};
  std::optional<std::pair<std::string, Json>> saved = {};
};
Json step(std::size_t index, const StepFacts& facts = {});
Json end();
}  // namespace record

}  // namespace teamster::script
