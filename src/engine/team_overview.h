// TeamOverview: a team as somebody who asks about a piece of work sees it: for which spec its run works, in which phase
// that is, and what each member is at. Read anew each time; waits for the hub. A value, and functions on the service.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/hub_call.h"
#include "engine/run_service.h"
#include "protocol/client/team_calls.h"

namespace teamster::engine {

struct TeamOverview {
  std::string spec;   // what its run is about, as the key of its workflow says it; empty: nobody says
  std::string phase;  // of its run; empty: it has none
  hub::TeamStatus status;
  Json document;                             // the status as the hub gave it
  std::map<std::string, std::string> focus;  // by member, the subject of the task that it has

  // What a run has that has no team of its own: mailboxes, for people no team.
  bool is_only_mailboxes() const {
    return status.owner && !status.owner->run.empty() && status.owner->run == status.team;
  }
};

// All teams but orphans.
Result<std::vector<TeamOverview>> overview_of_teams(const HubCall& call, const RunService& runs);
// Of the runs that are about this spec: their key is it, or one of their arguments. Code::not_found when no such run is
// under way.
Result<std::vector<TeamOverview>> overview_for_spec(const HubCall& call, const RunService& runs,
                                                    const std::string& spec);

}  // namespace teamster::engine
