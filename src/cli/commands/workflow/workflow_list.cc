#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"
#include "project/workflow_place.h"
#include "workflow/format/entry.h"
#include "workflow/format/load.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_workflow_list(Context& context, const Arguments&) {
  const WorkflowPlaces places(context.outside().world().files, context.outside().variable);
  const auto all = TRY(places.all());
  Json documents = Json::array();
  Table table({"WORKFLOW", "FROM", "PHASES", "ENTRIES", "ABOUT"});
  for (const auto& found : all) {
    const auto loaded = workflow::load_workflow(found.bundle);
    const std::string about = loaded.workflow ? loaded.workflow->about : "";
    const auto entries = loaded.workflow ? workflow::entry_names(*loaded.workflow) : std::vector<std::string>();
    const std::size_t phases = loaded.workflow ? loaded.workflow->phases.size() : 0;
    documents.push_back({{"name", found.name},
                         {"from", found.from},
                         {"path", found.path},
                         {"digest", workflow::digest(found.bundle)},
                         {"valid", loaded.workflow.has_value()},
                         {"phases", phases},
                         {"entries", entries},
                         {"about", about}});
    table.add({found.name, found.from, loaded.workflow ? fmt::format("{}", phases) : "-",
               entries.empty() ? "-" : fmt::format("{}", entries.size()),
               loaded.workflow ? printable_line(about)
                               : fmt::format("has problems: teamster workflow validate {}", found.name)});
  }
  if (context.wants_json())
    context.print_json({{"workflows", std::move(documents)}});
  else
    context.print(table.text(context.columns()));
  return 0;
}

}  // namespace

Command workflow_list() {
  return {
      .path = "workflow list",
      .topic = "Workflows",
      .summary = "Show which workflows there are",
      .description =
          "Those of the project (.teamster/workflows), your own (~/.config/teamster/workflows) and the built-in ones; "
          "of the same name the first counts.",
      .hub = HubUse::reads,
      .examples = {{"teamster workflow list", "What can be run here?"}},
      .run = run_workflow_list,
  };
}

}  // namespace teamster::cli::commands
