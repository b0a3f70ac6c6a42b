// LeftTeam: a team that nobody runs any more, of ours or of Claude Code's own, as `team status` and `team cleanup` show
// it. Functions on the hub and on the user's files.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/context.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli {

struct LeftTeam {
  hub::Orphan orphan;
  Json document;  // what --json says about it
  bool is_orphan = true;
  bool is_of_claude_code = false;
  std::string details = {};  // beside who it is: members and tasks
};

// Those that the hub knows.
Result<std::vector<LeftTeam>> find_orphans(const Context& context);
// Claude Code's, whether somebody lives in them or not.
std::vector<LeftTeam> find_claude_teams(const Context& context);
// While somebody was asked, another team of the same name may have come to life: whoever deletes looks again.
Result<void> delete_left_team(const Context& context, const LeftTeam& team);

Json documents_of(const std::vector<LeftTeam>& teams);

}  // namespace teamster::cli
