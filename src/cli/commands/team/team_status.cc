#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/team/left_team_documents.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/left_teams.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "cli/text/team_text.h"
#include "engine/team_overview.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

// What is there beside the teams that somebody runs.
struct Leftovers {
  std::vector<engine::LeftTeam> orphans;
  std::vector<std::pair<engine::LeftTeam, interop::ClaudeTeam>> of_claude_code;

  Json json() const {
    Json claude_teams = Json::array();
    for (const auto& [left, team] : of_claude_code) claude_teams.push_back(document_of(left, team));
    return {{"orphans", documents_of(orphans)}, {"claude_teams", std::move(claude_teams)}};
  }
};

Result<Leftovers> find_leftovers(const Context& context) {
  const engine::LeftTeams teams = TRY(left_teams_of(context));
  Leftovers left{.orphans = TRY(teams.ours()), .of_claude_code = {}};
  for (auto& team : teams.all_of_claude_code()) {
    engine::LeftTeam one = teams.left(team);
    left.of_claude_code.emplace_back(std::move(one), std::move(team));
  }
  return left;
}

void print_leftovers(const Context& context, const Leftovers& left) {
  if (!left.orphans.empty()) {
    context.print(fmt::format("Orphaned Teams ({}):\n", left.orphans.size()));
    for (const auto& team : left.orphans) context.print(fmt::format("  {}\n", orphan_text(team.orphan)));
    context.print("  Clean up: teamster team cleanup\n");
  }
  if (left.of_claude_code.empty()) return;
  context.print(fmt::format("Claude Code's Own Teams ({}):\n", left.of_claude_code.size()));
  bool has_orphan = false;
  for (const auto& [one, team] : left.of_claude_code) {
    has_orphan = has_orphan || team.is_orphan;
    context.print(fmt::format("  {}{}{}\n", team.is_orphan ? context.palette().red("orphan ") : "",
                              orphan_text(one.orphan), details_of(team)));
  }
  if (has_orphan) context.print("  Clean up: teamster team cleanup --claude-code\n");
}

Result<int> show_one(Context& context, Json status) {
  if (context.wants_json())
    context.print_json(status);
  else
    context.print(team_status_text(context, TRY(hub::read_answer<hub::GetTeamStatus>(std::move(status)))));
  return 0;
}

Result<int> show_all(Context& context, const std::vector<engine::TeamOverview>& teams,
                     const std::optional<std::string>& spec) {
  const Leftovers left = TRY(find_leftovers(context));
  if (context.wants_json()) {
    Json document = left.json();
    document["teams"] = Json::array();
    for (const auto& team : teams) document["teams"].push_back(team.document);
    if (spec) document["spec"] = *spec;
    context.print_json(document);
    return 0;
  }
  const std::string text = team_overviews_text(context, teams, spec);
  if (text.empty() && left.orphans.empty()) context.note("no teams\n");
  context.print(text);
  print_leftovers(context, left);
  return 0;
}

Result<int> run_team_status(Context& context, const Arguments& arguments) {
  const std::string named = arguments.value("TEAM");
  if (arguments.has("TEAM") || context.acts_as_member()) {
    auto status = context.ask_for_document(hub::GetTeamStatus{named});
    const bool may_be_spec = !status && status.error().code == Code::not_found && !context.acts_as_member();
    if (!may_be_spec) return show_one(context, TRY(std::move(status)));
  }
  const engine::RunService runs = TRY(runs_of(context));
  const auto call = [&context](hub::Request request) { return context.read(std::move(request)); };
  if (!arguments.has("TEAM")) return show_all(context, TRY(engine::overview_of_teams(call, runs)), std::nullopt);
  return show_all(context, TRY(engine::overview_for_spec(call, runs, named)), named);
}

}  // namespace

Command team_status() {
  return {
      .path = "team status",
      .topic = "Teams",
      .summary = "Show what the members of a team, or of a spec's, are at",
      .description =
          "Of one team: members, tasks and messages. Of a spec, or without a name of all: the teams of the runs that "
          "work on it, their phase, who has which task; then the orphans, that is teams whose owner has gone for good, "
          "with age and how to clean them up, and teams that Claude Code keeps in its own directory. The team of a run "
          "that can be resumed is no orphan.",
      .hub = HubUse::reads,
      .positionals = {{.name = "TEAM",
                       .type = ValueType::team,
                       .help = "The team; or a spec, as the run that works on it was given it",
                       .required = false}},
      .examples = {{"teamster team status demo", "Who does what?"},
                   {"teamster team status auth", "Who works on the spec auth?"},
                   {"teamster team status", "All teams and orphans"}},
      .run = run_team_status,
  };
}

}  // namespace teamster::cli::commands
