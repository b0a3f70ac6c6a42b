#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/agent/agent_presence.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/agent_text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/table.h"

namespace teamster::cli::commands {
namespace {

// What the roster and the record say together.
std::string state_of(const Presence& presence, const Json& member) {
  if (raw_text_in(member, "state") != "live") return "gone";
  if (!presence.host_lives) return "lost";  // live in the roster, and nobody runs it
  if (flag_in(member, "running")) return "working";
  return presence.record->state == "failing" ? "failing" : "idle";
}

Json entry_of(const std::string& team, const Presence& presence, const Json& member) {
  const agent::Record& record = *presence.record;
  Json entry = {{"team", team},
                {"member", raw_text_in(member, "name")},
                {"driver", record.driver},
                {"state", state_of(presence, member)},
                {"epoch", number_in(member, "epoch")},
                {"host_pid", record.host.pid},
                {"agent_pid", record.agent_pid},
                {"directory", record.directory},
                {"turns", record.turns},
                {"unread", number_in(member, "unread")},
                {"usage", object_in(member, "usage")}};
  if (!record.model.empty()) entry["model"] = record.model;
  if (!record.trouble.empty()) entry["trouble"] = record.trouble;
  return entry;
}

Result<int> run_agent_list(Context& context, const Arguments& arguments) {
  std::vector<std::string> teams;
  if (arguments.has("team")) {
    teams.push_back(arguments.value("team"));
  } else {
    const Json answer = TRY(context.read("team.list", Json::object()));
    for (const auto& team : list_in(answer, "teams")) teams.push_back(raw_text_in(team, "team"));
  }
  Json agents = Json::array();
  for (const auto& team : teams) {
    const Json status = TRY(context.read("team.status", {{"team", team}}));
    for (const auto& member : list_in(status, "members")) {
      const Presence presence = TRY(presence_of(context, team, raw_text_in(member, "name")));
      if (presence.record) agents.push_back(entry_of(team, presence, member));
    }
  }
  if (context.wants_json()) {
    context.print_json({{"agents", std::move(agents)}});
    return 0;
  }
  if (agents.empty()) {
    context.note("no agents; start one with `teamster agent start`\n");
    return 0;
  }
  Table table({"TEAM", "MEMBER", "DRIVER", "STATE", "TURNS", "UNREAD", "USAGE"});
  for (const auto& agent : agents)
    table.add({text_in(agent, "team"), text_in(agent, "member"), text_in(agent, "driver"), text_in(agent, "state"),
               text_in(agent, "turns"), text_in(agent, "unread"),
               raw_text_in(agent, "trouble").empty() ? usage_text(object_in(agent, "usage"))
                                                     : context.palette().red(text_in(agent, "trouble"))});
  context.print(table.text(context.columns()));
  return 0;
}

}  // namespace

Command agent_list() {
  return {
      .path = "agent list",
      .topic = "Agents",
      .summary = "Show the agents, what they do and what they cost",
      .description =
          "States: idle, working, failing (its last turn failed), lost (its host died; start it again to resume), "
          "gone.",
      .hub = HubUse::reads,
      .flags = {{.name = "team", .value = "TEAM", .type = ValueType::team, .help = "Only of this team"}},
      .examples = {{"teamster agent list", "All of this home"}},
      .run = run_agent_list,
  };
}

}  // namespace teamster::cli::commands
