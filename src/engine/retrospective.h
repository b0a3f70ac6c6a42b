// Retrospective: a run looked back at: what its journal shows about how it was worked, the worst first, and what each
// phase and member has cost. Made from a journal that was read and the workflow as it was pinned; pure, a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/run_reading.h"
#include "workflow/core/retrospect.h"

namespace teamster::engine {

struct PhaseCost {
  std::string phase;
  std::int64_t entered = 0;
  workflow::RunUsage usage;
  std::int64_t worked_ms = 0;
};

struct MemberCost {
  std::string member;
  std::string role;
  workflow::RunUsage usage;
  std::int64_t tries_again = 0;  // turns that were a rung of the ladder
  std::int64_t refused = 0;      // answers that could not be used
  std::int64_t idle_ms = 0;      // between its turns
  std::int64_t longest_prompt = 0;
  std::int64_t window_percent = 0;  // that the longest prompt filled; 0: nobody knows the window
};

struct Retrospective {
  std::vector<workflow::Finding> findings;
  std::vector<PhaseCost> phases;    // in the workflow's order
  std::vector<MemberCost> members;  // by name
  std::int64_t waited_for_people_ms = 0;
  std::int64_t turns = 0;  // of members: every request to a model belongs to one of them
};

Retrospective retrospective_of(const workflow::Pinned& pinned, const RunReading& reading);

}  // namespace teamster::engine
