#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/table.h"
#include "cli/text/team_text.h"

namespace teamster::cli::commands {
namespace {

std::string owner_text(const Json& team) {
  const Json& owner = object_in(team, "owner");
  if (flag_in(team, "orphan")) return "orphan";
  return owner.empty() ? "-" : text_in(owner, "pid");
}

Result<int> run_team_list(Context& context, const Arguments&) {
  const Json answer = TRY(context.read("team.list", Json::object()));
  if (context.wants_json()) {
    context.print_json(answer);
    return 0;
  }
  const Json& teams = list_in(answer, "teams");
  if (teams.empty()) {
    context.note("no teams\n");
    return 0;
  }
  Table table({"TEAM", "LIVE", "AGE", "OWNER", "TASKS"});
  for (const auto& team : teams)
    table.add({text_in(team, "team"), text_in(team, "live_members"), age_in(team, "created", context.now()),
               owner_text(team), task_counts_text(object_in(team, "tasks"))});
  context.print(table.text(context.columns()));
  return 0;
}

}  // namespace

Command team_list() {
  return {
      .path = "team list",
      .topic = "Teams",
      .summary = "List all teams",
      .description = "With the number of live members, age, the process that owns it, and tasks.",
      .hub = HubUse::reads,
      .examples = {{"teamster team list", "Which teams are there?"},
                   {"teamster team list --json | jq -r '.teams[].team'", "Their names alone"}},
      .run = run_team_list,
  };
}

}  // namespace teamster::cli::commands
