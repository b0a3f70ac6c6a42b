#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/team/left_team_documents.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/left_teams.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/text/team_text.h"

namespace teamster::cli::commands {
namespace {

using engine::LeftTeam;

// Those of Claude Code are somebody else's: they are deleted when the user named them, or agrees to each.
Result<std::vector<LeftTeam>> find_left(const Context& context, const engine::LeftTeams& left,
                                        const Arguments& arguments) {
  const Duration least_age = arguments.has("older-than") ? arguments.duration("older-than") : Duration::zero();
  auto teams = TRY(left.ours(least_age));
  const bool asks_each = !arguments.has("yes") && context.outside().input_is_terminal;
  if (arguments.has("claude-code") || asks_each || arguments.has("dry-run"))
    for (auto& team : left.of_claude_code(least_age)) teams.push_back(std::move(team));
  return teams;
}

int warn_of(Context& context, const std::vector<LeftTeam>& teams) {
  if (context.wants_json())
    context.print_json({{"orphans", documents_of(teams)}});
  else
    for (const auto& team : teams) context.print(printable_block(engine::warning_about(team) + "\n", ""));
  return kExitDone;
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
  context.note(fmt::format("{}\nDelete {}? (y/n) ", orphan_text(team.orphan), printable_line(team.orphan.team)));
  const auto answer = context.outside().read_line();
  return answer && (*answer == "y" || *answer == "Y" || *answer == "yes");
}

// What became of one team.
struct Cleaned {
  const char* result = "kept";
  std::optional<Error> error = {};
};

Cleaned clean_one(const Context& context, const engine::LeftTeams& left, const LeftTeam& team, bool without_asking) {
  if (!without_asking && !consents(context, team)) return {};
  const auto deleted = left.remove(team);
  return deleted ? Cleaned{"deleted"} : Cleaned{"failed", deleted.error()};
}

// {team, place, age_ms, reason, result, error?}
Json result_document(const LeftTeam& team, const Cleaned& cleaned) {
  Json document = document_of(team);
  document["result"] = cleaned.result;
  if (cleaned.error) document.update(error_document(*cleaned.error));
  return document;
}

std::string result_text(const LeftTeam& team, const Cleaned& cleaned) {
  std::string text = fmt::format("{}: {}", printable_line(team.orphan.team), cleaned.result);
  if (!cleaned.error) return text + "\n";
  text += fmt::format(" ({}) at {}\n", printable_line(cleaned.error->what), printable_line(team.orphan.place));
  return cleaned.error->next.empty() ? text : text + fmt::format("  {}\n", printable_line(cleaned.error->next));
}

Result<int> run_team_cleanup(Context& context, const Arguments& arguments) {
  const bool without_asking = arguments.has("yes");
  if (without_asking && arguments.has("dry-run"))
    return fail(Code::invalid, "--yes and --dry-run exclude each other", "Leave one of them out");
  const engine::LeftTeams left = TRY(left_teams_of(context));
  const auto teams = TRY(find_left(context, left, arguments));
  if (arguments.has("dry-run")) return warn_of(context, teams);
  if (!teams.empty() && !without_asking && !context.outside().input_is_terminal)
    return refuse_without_consent(context, teams);
  Json results = Json::array();
  bool has_failed = false;
  for (const auto& team : teams) {
    const Cleaned cleaned = clean_one(context, left, team, without_asking);
    has_failed = has_failed || cleaned.error;
    if (!context.wants_json()) context.print(result_text(team, cleaned));
    results.push_back(result_document(team, cleaned));
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
          "An orphan is a team whose owner has gone for good, or of which nothing is left but its directory. A live "
          "team "
          "is never one, nor is that of a run that can be resumed. Without a terminal to ask on, --yes is needed. "
          "Teams "
          "that Claude Code left in its own directory are deleted when no process of theirs lives, and only with your "
          "word for each or with --claude-code.",
      .hub = HubUse::writes,
      .flags =
          {{.name = "older-than", .value = "TIME", .type = ValueType::duration, .help = "Only orphans of that age"},
           {.name = "claude-code", .help = "Also those that Claude Code left behind"},
           {.name = "dry-run", .help = "Warn of them all, Claude Code's too, and delete nothing: for hooks"},
           {.name = "yes", .help = "Delete all without asking"}},
      .examples = {{"teamster team cleanup", "Look at each and decide"},
                   {"teamster team cleanup --older-than 1h --yes", "From a script"}},
      .run = run_team_cleanup,
  };
}

}  // namespace teamster::cli::commands
