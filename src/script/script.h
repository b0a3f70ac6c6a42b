// Script: what a scripted agent does, turn by turn, read from a JSON file and checked to the
// last key before anything runs. Immutable once made; errors name the file and the JSON
// pointer of the mistake.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "script/step.h"

namespace teamster::script {

struct Turn {
  std::optional<std::string> contains;  // only for prompts that have this in them
  bool repeats = false;                 // it is never used up
  std::vector<Step> steps;

  bool matches(std::string_view prompt) const { return !contains || prompt.find(*contains) != prompt.npos; }
};

struct Script {
  std::vector<Turn> turns;
  std::optional<std::vector<Step>> otherwise;

  std::size_t step_count() const;
};

// `file` stands in the errors.
Result<Script> parse_script(std::string_view text, std::string_view file);

}  // namespace teamster::script
