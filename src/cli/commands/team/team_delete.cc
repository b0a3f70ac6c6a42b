#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/record.h"
#include "base/limits.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/loop.h"
#include "env/processes.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

// On top of the deadline that the members get: the hub answers when that has passed.
constexpr Duration kSlack = std::chrono::seconds(5);

// How long agents may take to end, and how often it is looked whether they have.
constexpr Duration kAgentsGone =
    limits::kAgentCloseGrace + limits::kAgentTermGrace + limits::kAgentDrainDeadline + kSlack;
constexpr Duration kLookAgainAfter = std::chrono::milliseconds(50);
constexpr Duration kHostTakesNote = std::chrono::milliseconds(500);

using ShutDown = hub::ShutDownTeam::Answer;

Result<void> check_flags(const Arguments& arguments) {
  if (arguments.has("force") && arguments.has("shutdown"))
    return fail(Code::invalid, "--force and --shutdown exclude each other",
                "--shutdown asks the members first and then forces");
  if (arguments.has("reason") && !arguments.has("shutdown"))
    return fail(Code::invalid, "--reason goes with --shutdown", "It is what the members are told");
  return {};
}

Result<ShutDown> shut_down(const Context& context, const Arguments& arguments) {
  const hub::ShutDownTeam ask{.team = arguments.value("TEAM"),
                              .reason = arguments.optional_value("reason"),
                              .deadline = limits::kShutdownAnswerDeadline};
  return context.ask(ask, {.step = "shutdown", .wait = limits::kShutdownAnswerDeadline + kSlack});
}

// Names that either step ended by force, each once.
std::vector<std::string> all_forced(std::vector<std::string> names, const std::vector<std::string>& deleted) {
  for (const auto& name : deleted)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

void add_to(Json& document, const ShutDown& shutdown) {
  Json rejected = Json::array();
  for (const auto& each : shutdown.rejected) rejected.push_back({{"name", each.name}, {"reason", each.reason}});
  document["approved"] = shutdown.approved;
  document["rejected"] = std::move(rejected);
  document["forced"] = shutdown.forced;
}

void print_result(const Context& context, const std::string& team, const ShutDown& ended) {
  context.print(fmt::format("team {} deleted\n", team));
  if (!ended.approved.empty()) context.print(fmt::format("  approved  {}\n", joined_names(ended.approved)));
  for (const auto& rejection : ended.rejected)
    context.print(
        fmt::format("  rejected  {}: {}\n", printable_line(rejection.name), printable_line(rejection.reason)));
  if (!ended.forced.empty()) context.print(fmt::format("  forced    {}\n", joined_names(ended.forced)));
}

// Processes of the team's agents, and those that host them: of members whose directories are there.
std::vector<std::int64_t> processes_of(const Context& context, const hub::Home& home, const std::string& team) {
  const env::World world = context.outside().world();
  std::vector<std::int64_t> pids;
  for (const auto& member : world.files.list(home.team_directory(team)).value_or(std::vector<std::string>())) {
    const auto record = agent::Record::load(world.files, home.member_directory(team, member));
    if (record && record->agent_pid != 0 && world.processes.is_alive(record->host)) pids.push_back(record->agent_pid);
  }
  return pids;
}

// Agents that were told to go write until they are gone. Who deletes a team finds nothing of it afterwards.
Result<void> leave_no_directory(const Context& context, const hub::Home& home, const std::string& team,
                                const std::vector<std::int64_t>& pids) {
  const env::World world = context.outside().world();
  const Instant until = world.clock.now() + kAgentsGone;
  const auto pause = [&](Duration span) {
    bool is_over = false;
    const env::Timer timer = world.loop.after(span, [&] { is_over = true; });
    world.loop.run_until([&] { return is_over; });
  };
  const auto lives = [&](std::int64_t pid) { return world.processes.identify(pid).has_value(); };
  while (std::any_of(pids.begin(), pids.end(), lives) && world.clock.now() < until) pause(kLookAgainAfter);
  // Their hosts take note of their end, and take away what they have left.
  if (!pids.empty()) pause(kHostTakesNote);
  const auto status = world.files.status(home.team_directory(team));
  // Somebody else may have made the team again meanwhile.
  if (!status || !*status || context.ask(hub::GetTeamStatus{team})) return {};
  return world.files.remove_tree(home.team_directory(team));
}

Result<int> run_team_delete(Context& context, const Arguments& arguments) {
  TRY_VOID(check_flags(arguments));
  const bool asks_first = arguments.has("shutdown");
  ShutDown ended;
  const hub::Home home = TRY(context.home());
  const auto pids = processes_of(context, home, arguments.value("TEAM"));
  if (asks_first) ended = TRY(shut_down(context, arguments));
  const hub::DeleteTeam remove{.team = arguments.value("TEAM"), .force = asks_first || arguments.has("force")};
  Json document = TRY(context.ask_for_document(remove, {.step = asks_first ? "delete" : ""}));
  const auto deleted = TRY(hub::read_answer<hub::DeleteTeam>(document));
  ended.forced = all_forced(std::move(ended.forced), deleted.forced);
  TRY_VOID(leave_no_directory(context, home, remove.team, pids));
  if (asks_first) add_to(document, ended);
  if (context.wants_json())
    context.print_json(document);
  else
    print_result(context, remove.team, ended);
  return 0;
}

}  // namespace

Command team_delete() {
  return {
      .path = "team delete",
      .topic = "Teams",
      .summary = "Delete a team",
      .description =
          "A team with live members is refused unless --force ends them, or --shutdown asks each to go, "
          "waits 10 s for their answers and then ends those that stayed. Its journal stays until "
          "`teamster gc`.",
      .hub = HubUse::writes,
      .positionals = {{.name = "TEAM", .type = ValueType::team, .help = "The team"}},
      .flags = {{.name = "force", .help = "End live members without asking"},
                {.name = "shutdown", .help = "Ask live members to go, then end those that stay"},
                {.name = "reason", .value = "TEXT", .help = "What the members are told, with --shutdown"}},
      .examples = {{"teamster team delete demo --shutdown --reason \"phase complete\"", "The polite way"},
                   {"teamster team delete demo --force", "At once"}},
      .run = run_team_delete,
  };
}

}  // namespace teamster::cli::commands
