#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/team/left_teams.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/team_text.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> show_one(Context& context, const hub::GetTeamStatus& get) {
  if (context.wants_json()) return context.print_answer(get);
  context.print(team_status_text(context, TRY(context.ask(get))));
  return 0;
}

// As the hub gave them.
Result<std::vector<Json>> all_statuses(const Context& context) {
  std::vector<Json> statuses;
  for (const auto& team : TRY(context.ask(hub::ListTeams{}))) {
    auto status = context.ask_for_document(hub::GetTeamStatus{team.team});
    // Deleted since the list was made.
    if (!status && status.error().code == Code::not_found) continue;
    statuses.push_back(TRY(std::move(status)));
  }
  return statuses;
}

void print_claude_teams(const Context& context, const std::vector<LeftTeam>& teams) {
  if (teams.empty()) return;
  context.print("Claude Code's own teams\n");
  bool has_orphan = false;
  for (const auto& team : teams) {
    has_orphan = has_orphan || team.is_orphan;
    context.print(fmt::format("  {}{}{}\n", team.is_orphan ? context.palette().red("orphan ") : "",
                              orphan_text(team.orphan), team.details));
  }
  if (has_orphan) context.print("  Clean up: teamster team cleanup --claude-code\n");
}

void print_orphans(const Context& context, const std::vector<LeftTeam>& orphans) {
  if (orphans.empty()) return;
  context.print("orphans\n");
  for (const auto& each : orphans) context.print(fmt::format("  {}\n", orphan_text(each.orphan)));
  context.print("  Clean up: teamster team cleanup\n");
}

Result<int> run_team_status(Context& context, const Arguments& arguments) {
  if (arguments.has("TEAM") || context.acts_as_member())
    return show_one(context, hub::GetTeamStatus{arguments.value("TEAM")});
  const auto teams = TRY(all_statuses(context));
  const auto orphans = TRY(find_orphans(context));
  const auto claude_teams = find_claude_teams(context);
  if (context.wants_json()) {
    context.print_json(
        {{"teams", teams}, {"orphans", documents_of(orphans)}, {"claude_teams", documents_of(claude_teams)}});
    return 0;
  }
  if (teams.empty() && orphans.empty()) context.note("no teams\n");
  for (const auto& status : teams) {
    const auto read = TRY(hub::read_answer<hub::GetTeamStatus>(status));
    context.print(team_status_text(context, read) + "\n");
  }
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
