#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"
#include "cli/text/team_text.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

std::string owner_text(const hub::ListedTeam& team) {
  if (team.is_orphan) return "orphan";
  return team.owner ? std::to_string(team.owner->pid) : "-";
}

Result<int> run_team_list(Context& context, const Arguments&) {
  if (context.wants_json()) return context.print_answer(hub::ListTeams{});
  const auto teams = TRY(context.ask(hub::ListTeams{}));
  if (teams.empty()) {
    context.note("no teams\n");
    return 0;
  }
  Table table({"TEAM", "LIVE", "AGE", "OWNER", "TASKS", "PROJECT"});
  for (const auto& team : teams)
    table.add({printable_line(team.team), std::to_string(team.live_members), age_text(team.created, context.now()),
               owner_text(team), task_counts_text(team.tasks),
               team.project.empty() ? "-" : printable_line(team.project)});
  context.print(table.text(context.columns()));
  return 0;
}

}  // namespace

Command team_list() {
  return {
      .path = "team list",
      .topic = "Teams",
      .summary = "List all teams",
      .description =
          "With the number of live members, age, the process that owns it, tasks, and the project of a run's team.",
      .hub = HubUse::reads,
      .examples = {{"teamster team list", "Which teams are there?"},
                   {"teamster team list --json | jq -r '.teams[].team'", "Their names alone"}},
      .run = run_team_list,
  };
}

}  // namespace teamster::cli::commands
