#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/team/left_teams.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/text/team_text.h"

namespace teamster::cli::commands {
namespace {

Result<std::vector<LeftTeam>> find_left(const Context& context, const Arguments& arguments) {
  auto teams = TRY(find_orphans(context));
  if (arguments.has("claude-code"))
    for (auto& team : find_claude_teams(context))
      if (team.is_orphan) teams.push_back(std::move(team));
  const Duration least_age = arguments.has("older-than") ? arguments.duration("older-than") : Duration::zero();
  std::erase_if(teams, [&](const LeftTeam& team) { return team.orphan.age < least_age; });
  return teams;
}

tl::unexpected<Error> refuse_without_consent(Context& context, const std::vector<LeftTeam>& teams) {
  const Error error{Code::refused,
                    counted(static_cast<std::int64_t>(teams.size()), "orphaned team") + " to delete, and nobody to ask",
                    "Pass --yes to delete them all"};
  if (context.wants_json()) {
    Json document = error_document(error);
    document["orphans"] = documents_of(teams);
    context.print_json(document);
  } else {
    for (const auto& team : teams) context.print(orphan_text(team.orphan) + "\n");
  }
  return fail(error);
}

bool consents(const Context& context, const LeftTeam& team) {
  context.note(fmt::format("Delete {}? [y/N] ", orphan_text(team.orphan)));
  const auto answer = context.outside().read_line();
  return answer && (*answer == "y" || *answer == "Y" || *answer == "yes");
}

// What became of one team.
struct Cleaned {
  const char* result = "kept";
  std::optional<Error> error = {};
};

Cleaned clean_one(const Context& context, const LeftTeam& team, bool without_asking) {
  if (!without_asking && !consents(context, team)) return {};
  const auto deleted = delete_left_team(context, team);
  return deleted ? Cleaned{"deleted"} : Cleaned{"failed", deleted.error()};
}

// {team, place, age_ms, reason, result, error?}
Json document_of(const LeftTeam& team, const Cleaned& cleaned) {
  Json document = team.document;
  document["result"] = cleaned.result;
  if (cleaned.error) document.update(error_document(*cleaned.error));
  return document;
}

std::string text_of(const LeftTeam& team, const Cleaned& cleaned) {
  std::string why;
  if (cleaned.error)
    why = fmt::format(" ({}) at {}", printable_line(cleaned.error->what), printable_line(team.orphan.place));
  return fmt::format("{}: {}{}\n", printable_line(team.orphan.team), cleaned.result, why);
}

Result<int> run_team_cleanup(Context& context, const Arguments& arguments) {
  const auto teams = TRY(find_left(context, arguments));
  const bool without_asking = arguments.has("yes");
  if (!teams.empty() && !without_asking && !context.outside().input_is_terminal)
    return refuse_without_consent(context, teams);
  Json results = Json::array();
  bool has_failed = false;
  for (const auto& team : teams) {
    const Cleaned cleaned = clean_one(context, team, without_asking);
    has_failed = has_failed || cleaned.error;
    if (!context.wants_json()) context.print(text_of(team, cleaned));
    results.push_back(document_of(team, cleaned));
  }
  if (context.wants_json()) context.print_json({{"results", results}});
  if (teams.empty()) context.note("no orphaned teams\n");
  return has_failed ? kExitNothing : kExitDone;
}

}  // namespace

Command team_cleanup() {
  return {
      .path = "team cleanup",
      .topic = "Teams",
      .summary = "Delete orphaned teams, asking one by one",
      .description =
          "An orphan is a team whose owner has gone. A live team is never one. Without a terminal to ask on, "
          "--yes is needed. Teams that Claude Code left in its own directory are touched with --claude-code only, and "
          "only when no process of theirs lives.",
      .hub = HubUse::writes,
      .flags =
          {{.name = "older-than", .value = "TIME", .type = ValueType::duration, .help = "Only orphans of that age"},
           {.name = "claude-code", .help = "Also those that Claude Code left behind"},
           {.name = "yes", .help = "Delete all without asking"}},
      .examples = {{"teamster team cleanup", "Look at each and decide"},
                   {"teamster team cleanup --older-than 1h --yes", "From a script"}},
      .run = run_team_cleanup,
  };
}

}  // namespace teamster::cli::commands
