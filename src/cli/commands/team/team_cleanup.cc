#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/commands/team/claude_teams.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/team_text.h"

namespace teamster::cli::commands {
namespace {

Result<Json> find_orphans(const Context& context, const Arguments& arguments) {
  const Json answer = TRY(context.read("team.orphans", Json::object()));
  const std::int64_t least_age_ms = arguments.has("older-than") ? to_ms(arguments.duration("older-than")) : 0;
  Json orphans = Json::array();
  for (const auto& orphan : list_in(answer, "orphans"))
    if (number_in(orphan, "age_ms") >= least_age_ms) orphans.push_back(orphan);
  if (!arguments.has("claude-code")) return orphans;
  for (const auto& team : find_claude_teams(context))
    if (flag_in(team, "orphan") && number_in(team, "age_ms") >= least_age_ms) orphans.push_back(team);
  return orphans;
}

tl::unexpected<Error> refuse_without_consent(Context& context, const Json& orphans) {
  const Error error{
      Code::refused,
      counted(static_cast<std::int64_t>(orphans.size()), "orphaned team") + " to delete, and nobody to ask",
      "Pass --yes to delete them all"};
  if (context.wants_json()) {
    Json document = error_document(error);
    document["orphans"] = orphans;
    context.print_json(document);
  } else {
    for (const auto& orphan : orphans) context.print(orphan_text(orphan) + "\n");
  }
  return fail(error);
}

bool consents(const Context& context, const Json& orphan) {
  context.note(fmt::format("Delete {}? [y/N] ", orphan_text(orphan)));
  const auto answer = context.outside().read_line();
  return answer && (*answer == "y" || *answer == "Y" || *answer == "yes");
}

// While somebody was asked, another team of the same name may have come to life: whoever
// deletes looks again.
Result<void> delete_orphan(const Context& context, const Json& orphan) {
  const std::string team = raw_text_in(orphan, "team");
  if (raw_text_in(orphan, "of") == "claude-code") return remove_claude_team(context, team);
  TRY_VOID(context.write("team.delete", {{"team", team}, {"force", true}, {"only_orphan", true}}, {.step = team}));
  return {};
}

// {team, place, age_ms, reason, result, error?}
Json clean_one(const Context& context, const Json& orphan, bool without_asking) {
  Json result = orphan;
  if (!without_asking && !consents(context, orphan)) {
    result["result"] = "kept";
    return result;
  }
  const auto deleted = delete_orphan(context, orphan);
  result["result"] = deleted ? "deleted" : "failed";
  if (!deleted) result["error"] = error_document(deleted.error())["error"];
  return result;
}

Result<int> run_team_cleanup(Context& context, const Arguments& arguments) {
  const Json orphans = TRY(find_orphans(context, arguments));
  const bool without_asking = arguments.has("yes");
  if (!orphans.empty() && !without_asking && !context.outside().input_is_terminal)
    return refuse_without_consent(context, orphans);
  Json results = Json::array();
  bool has_failed = false;
  for (const auto& orphan : orphans) {
    const Json result = clean_one(context, orphan, without_asking);
    const Json& error = object_in(result, "error");
    has_failed = has_failed || !error.empty();
    if (!context.wants_json())
      context.print(fmt::format(
          "{}: {}{}\n", text_in(result, "team"), text_in(result, "result"),
          error.empty() ? "" : fmt::format(" ({}) at {}", text_in(error, "what"), text_in(orphan, "place"))));
    results.push_back(result);
  }
  if (context.wants_json()) context.print_json({{"results", results}});
  if (orphans.empty()) context.note("no orphaned teams\n");
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
