#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands/agent/installed_agents.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"

namespace teamster::cli::commands {
namespace {

Json abilities_json(const agent::Abilities& can) {
  return {{"injects", can.injects}, {"interrupts", can.interrupts},
          {"resumes", can.resumes}, {"has_tools", can.has_tools},
          {"asks", can.asks},       {"costs", can.costs}};
}

Result<int> run_agent_drivers(Context& context, const Arguments&) {
  const auto drivers = find_installed(context.outside().world());
  if (context.wants_json()) {
    Json list = Json::array();
    for (const auto& [driver, found] : drivers)
      list.push_back({{"name", driver->name()},
                      {"summary", driver->summary()},
                      {"installed", found.problem.empty()},
                      {"program", found.program},
                      {"version", found.version},
                      {"problem", found.problem},
                      {"abilities", abilities_json(driver->abilities())}});
    context.print_json({{"drivers", std::move(list)}});
    return 0;
  }
  Table table({"DRIVER", "VERSION", "WHAT"});
  for (const auto& [driver, found] : drivers)
    table.add({std::string(driver->name()), found.problem.empty() ? printable_line(found.version) : "-",
               found.problem.empty() ? std::string(driver->summary()) : printable_line(found.problem)});
  context.print(table.text(context.columns()));
  return 0;
}

}  // namespace

Command agent_drivers() {
  return {
      .path = "agent drivers",
      .topic = "Agents",
      .summary = "Show how agents can be run, and which are installed",
      .description = "Looks for each driver's program on PATH and asks it for its version.",
      .hub = HubUse::reads,
      .examples = {{"teamster agent drivers", "What can I use here?"}},
      .run = run_agent_drivers,
  };
}

}  // namespace teamster::cli::commands
