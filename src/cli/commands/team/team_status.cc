#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/team/claude_teams.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/team_text.h"

namespace teamster::cli::commands {
namespace {

Result<int> show_one(Context& context, const Json& args) {
  const Json status = TRY(context.read("team.status", args));
  if (context.wants_json())
    context.print_json(status);
  else
    context.print(team_status_text(context, status));
  return 0;
}

Result<Json> all_statuses(const Context& context) {
  Json statuses = Json::array();
  const Json list = TRY(context.read("team.list", Json::object()));
  for (const auto& team : list_in(list, "teams")) {
    auto status = context.read("team.status", {{"team", raw_text_in(team, "team")}});
    // Deleted since the list was made.
    if (!status && status.error().code == Code::not_found) continue;
    statuses.push_back(TRY(std::move(status)));
  }
  return statuses;
}

void print_claude_teams(const Context& context, const Json& teams) {
  if (teams.empty()) return;
  context.print("Claude Code's own teams\n");
  bool has_orphan = false;
  for (const auto& team : teams) {
    has_orphan = has_orphan || flag_in(team, "orphan");
    context.print(fmt::format("  {}{}\n", flag_in(team, "orphan") ? context.palette().red("orphan ") : "",
                              claude_team_text(team)));
  }
  if (has_orphan) context.print("  Clean up: teamster team cleanup --claude-code\n");
}

void print_orphans(const Context& context, const Json& orphans) {
  if (orphans.empty()) return;
  context.print("orphans\n");
  for (const auto& orphan : orphans) context.print(fmt::format("  {}\n", orphan_text(orphan)));
  context.print("  Clean up: teamster team cleanup\n");
}

Result<int> run_team_status(Context& context, const Arguments& arguments) {
  if (arguments.has("TEAM") || context.acts_as_member()) return show_one(context, arguments.fields({"TEAM"}));
  const Json teams = TRY(all_statuses(context));
  const Json answer = TRY(context.read("team.orphans", Json::object()));
  const Json& orphans = list_in(answer, "orphans");
  const Json claude_teams = find_claude_teams(context);
  if (context.wants_json()) {
    context.print_json({{"teams", teams}, {"orphans", orphans}, {"claude_teams", claude_teams}});
    return 0;
  }
  if (teams.empty() && orphans.empty()) context.note("no teams\n");
  for (const auto& status : teams) context.print(team_status_text(context, status) + "\n");
  print_orphans(context, orphans);
  print_claude_teams(context, claude_teams);
  return 0;
}

}  // namespace

Command team_status() {
  return {
      .path = "team status",
      .topic = "Teams",
      .summary = "Show members, tasks and messages of a team",
      .description =
          "Without a team: of all teams, then the orphans, that is teams whose owner has gone, with age and "
          "how to clean them up, and teams that Claude Code keeps in its own directory.",
      .hub = HubUse::reads,
      .positionals = {{.name = "TEAM", .type = ValueType::team, .help = "The team", .required = false}},
      .examples = {{"teamster team status demo", "Who does what?"}, {"teamster team status", "All teams and orphans"}},
      .run = run_team_status,
  };
}

}  // namespace teamster::cli::commands
