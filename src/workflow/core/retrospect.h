// Retrospect: what a run shows about how it was worked: findings from its state alone, the worst first. Who looks back
// at a run reads them; those that are grave reach the prompts of what comes next in the same run. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "workflow/core/words.h"

namespace teamster::workflow {

enum class Severity { high, medium, low };
std::string_view to_string(Severity severity);

struct Finding {
  Severity severity = Severity::low;
  std::string kind;   // escalation, loop, accepted, strayed, …
  std::string about;  // as known_name: a skill, an item, a phase
  std::string text;
};

// The worst first, then by what they are about.
std::vector<Finding> findings_of(const Pinned& pinned, const RunState& state);
void sort_by_severity(std::vector<Finding>& findings);

// The grave ones as texts, for prompts; null when there are none.
Json lessons_of(const Pinned& pinned, const RunState& state);

}  // namespace teamster::workflow
