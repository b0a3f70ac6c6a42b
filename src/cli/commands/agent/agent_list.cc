#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/agent/agent_presence.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/agent_text.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

// What the roster and the record say together.
std::string state_of(const Presence& presence, const hub::TeamMember& member) {
  if (!member.is_live) return "gone";
  if (!presence.host_lives) return "lost";  // live in the roster, and nobody runs it
  if (member.is_running) return "working";
  return presence.record->state == "failing" ? "failing" : "idle";
}

struct ListedAgent {
  std::string team;
  hub::TeamMember member;
  Presence presence;  // with a record

  const agent::Record& record() const { return *presence.record; }
};

Json document_of(const ListedAgent& agent) {
  const agent::Record& record = agent.record();
  Json document = {{"team", agent.team},
                   {"member", agent.member.name},
                   {"driver", record.driver},
                   {"state", state_of(agent.presence, agent.member)},
                   {"epoch", agent.member.epoch.value},
                   {"host_pid", record.host.pid},
                   {"agent_pid", record.agent_pid},
                   {"directory", record.directory},
                   {"turns", record.turns},
                   {"unread", agent.member.unread},
                   {"usage", agent.member.usage_json()}};
  if (!record.model.empty()) document["model"] = record.model;
  if (!record.trouble.empty()) document["trouble"] = record.trouble;
  return document;
}

Result<std::vector<ListedAgent>> find_agents(const Context& context, const Arguments& arguments) {
  std::vector<std::string> teams = arguments.values("team");
  if (teams.empty())
    for (const auto& team : TRY(context.ask(hub::ListTeams{}))) teams.push_back(team.ref);
  std::vector<ListedAgent> agents;
  for (const auto& team : teams) {
    const auto status = TRY(context.ask(hub::GetTeamStatus{team}));
    for (const auto& member : status.members) {
      auto presence = TRY(presence_of(context, status.ref, member.name));
      if (presence.record) agents.push_back({status.team, member, std::move(presence)});
    }
  }
  return agents;
}

Result<int> run_agent_list(Context& context, const Arguments& arguments) {
  const auto agents = TRY(find_agents(context, arguments));
  if (context.wants_json()) {
    Json documents = Json::array();
    for (const auto& agent : agents) documents.push_back(document_of(agent));
    context.print_json({{"agents", std::move(documents)}});
    return 0;
  }
  if (agents.empty()) {
    context.note("no agents; start one with `teamster agent start`\n");
    return 0;
  }
  Table table({"TEAM", "MEMBER", "DRIVER", "STATE", "TURNS", "UNREAD", "USAGE"});
  for (const auto& agent : agents) {
    const std::string trouble = printable_line(agent.record().trouble);
    table.add({printable_line(agent.team), printable_line(agent.member.name), printable_line(agent.record().driver),
               state_of(agent.presence, agent.member), std::to_string(agent.record().turns),
               std::to_string(agent.member.unread),
               trouble.empty() ? usage_text(agent.member.usage_json()) : context.palette().red(trouble)});
  }
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
