// Rules of the roster: who belongs to a team, in which epoch, and what happens when an
// epoch ends. A member is live from its joining until its epoch ends, whatever its process does.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "team/operation.h"

namespace teamster::team {

Result<Outcome> create_team(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> join_team(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> leave_team(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> list_teams(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> team_status(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> list_orphans(Scene& scene, const Actor& actor, const Json& args);

// Ends the member's epoch and releases what it had claimed. Returns the released tasks.
Result<std::vector<TaskId>> end_epoch(Scene& scene, std::string_view actor, const store::MemberRow& member,
                                      std::string_view reason);

// Whether the process that owns the team, or drives the run that does, is gone. A team made by hand has none
// and is never an orphan; nor is one whose owner cannot be seen from here.
bool is_orphan(Scene& scene, const store::TeamRow& team);

}  // namespace teamster::team
