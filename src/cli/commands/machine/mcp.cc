#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/run_name.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "engine/run_setup.h"
#include "env/loop.h"
#include "mcp/server.h"
#include "mcp/team_tools.h"

namespace teamster::cli::commands {
namespace {

// An agent without the skills of its workflow can still do something; without tools it cannot.
void add_workflow_of(const Context& context, const hub::Home& home, const std::string& run, skills::Places& places) {
  const auto read = [&]() -> Result<workflow::Bundle> {
    const RunName name = TRY(RunName::parse(run));
    return engine::read_bundle(context.outside().world().files, home, name.text());
  };
  auto bundle = read();
  if (!bundle)
    return context.note(fmt::format("the skills of the run's workflow are missing: {}\n", bundle.error().text()));
  places.workflow = *std::move(bundle);
  places.workflow_place = "workflow";
}

Result<int> run_mcp(Context& context, const Arguments& arguments) {
  const hub::Home home = TRY(context.home());
  mcp::TeamToolsOptions options;
  options.team = arguments.value("team");
  options.member = arguments.value("member");
  options.token_file = arguments.value("token-file");
  options.host_delivers = arguments.value("inbox") == "host";
  options.delivers = arguments.has("deliver");
  options.skill_places.named = arguments.values("skills");
  options.skill_places.project = arguments.has("project") ? arguments.value("project") : TRY(context.directory());
  if (options.delivers && options.host_delivers)
    return fail(Code::invalid, "--deliver and --inbox host exclude each other: a message has one way to its reader");
  const env::World world = context.outside().world();
  if (arguments.has("run")) add_workflow_of(context, home, arguments.value("run"), options.skill_places);
  bool has_finished = false;
  mcp::TeamTools tools(world, home, std::move(options));
  mcp::Server server(world, context.outside().standard_streams(), tools, [&] { has_finished = true; });
  server.start();
  world.loop.run_until([&] { return has_finished; });
  return kExitDone;
}

}  // namespace

Command mcp() {
  return {
      .path = "mcp",
      .topic = "Machine",
      .summary = "Give an agent the tools of its team, over MCP on its pipes",
      .description =
          "Agents start it themselves, as an MCP server of theirs. It acts as the member and as nobody else, with the "
          "token in the member's directory, and ends when its input does. It never starts a hub: while there is none, "
          "calls wait. Revisions 2025-06-18, 2025-11-25 and 2026-07-28 of MCP are spoken.",
      .flags =
          {{.name = "team", .value = "TEAM", .type = ValueType::team, .help = "The team", .required = Required::yes},
           named_member_flag("Who the agent is"),
           {.name = "token-file",
            .value = "FILE",
            .type = ValueType::file,
            .help = "The member's token, if it is not in the member's directory"},
           {.name = "inbox",
            .value = "WHO",
            .help = "Who hands messages to the agent: the read_inbox tool, or the host that runs the agent",
            .fallback = "tools",
            .choices = {"tools", "host"}},
           {.name = "deliver", .help = "Bring queued messages with every result: for agents nobody can interrupt"},
           {.name = "skills",
            .value = "DIR",
            .type = ValueType::file,
            .help = "Where read_skill looks for NAME/SKILL.md, before the project's, the user's and the built-in ones",
            .repeatable = true},
           {.name = "project",
            .value = "DIR",
            .type = ValueType::file,
            .help = "Whose skills are offered; without it the directory in which it is started"},
           {.name = "run", .value = "RUN", .help = "Offer the skills of the workflow of this run, before all others"}},
      .examples = {{"claude mcp add team -- teamster mcp --team demo --member builder", "For Claude Code"},
                   {"teamster mcp --team demo --member reviewer --deliver --skills .agents/skills",
                    "For an agent that only reads what its tools return"}},
      .run = run_mcp,
  };
}

}  // namespace teamster::cli::commands
