#include "workflow/core/run_state.h"

#include <fmt/format.h>

namespace teamster::workflow {

// In the namespace of the types, where the JSON library looks for them. Absent fields keep their
// defaults: a snapshot of an older program can be read.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunMember, role, team, has_preamble, temporary);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunAnswer, value, sequence);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunTries, retries, fresh, lost);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunUsage, turns, tokens, usd);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunCommand, kind, step, attempt, body);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunState, status, reason, ending, ending_reason, args, values, skills,
                                                people, told, start_phase, phase, sender, loops, attempts, answers,
                                                next_sequence, notes, members, teams, open, phase_team, items, gathered,
                                                tries, usage, worked_ms, raised);

std::string phase_of(const std::string& step) { return step.substr(0, step.find('/')); }

Json to_json(const RunState& state) { return Json(state); }

Result<RunState> state_from_json(const Json& json) {
  try {
    return json.get<RunState>();
  } catch (const Json::exception& error) {
    return fail(Code::invalid, fmt::format("the snapshot of the run cannot be read: {}", error.what()));
  }
}

}  // namespace teamster::workflow
