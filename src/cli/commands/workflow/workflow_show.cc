#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/printable.h"
#include "cli/text/workflow_text.h"
#include "project/workflow_place.h"

namespace teamster::cli::commands {
namespace {

// One file as it is: to begin a workflow of one's own from it.
Result<int> show_file(Context& context, const FoundWorkflow& found, const std::string& name) {
  const auto it = found.bundle.find(name);
  if (it == found.bundle.end()) {
    std::vector<std::string> known;
    for (const auto& [file, contents] : found.bundle) known.push_back(file);
    return fail(Code::not_found, fmt::format("the workflow {} has no file {}", found.name, quoted(name, 100)),
                fmt::format("It has: {}", join(known, ", ")));
  }
  if (context.wants_json())
    context.print_json({{"name", found.name}, {"file", name}, {"contents", it->second}});
  else if (context.outside().output_is_terminal)
    context.print(printable_block(it->second, ""));
  else
    context.print_as_it_is(it->second);
  return 0;
}

Result<int> run_workflow_show(Context& context, const Arguments& arguments) {
  const WorkflowPlaces places(context.outside().world().files, context.outside().variable);
  const FoundWorkflow found = TRY(places.find(arguments.value("WORKFLOW")));
  if (arguments.has("file")) return show_file(context, found, arguments.value("file"));
  const workflow::Workflow workflow = TRY(valid_workflow(found));
  if (context.wants_json())
    context.print_json(workflow_document(found, workflow));
  else
    context.print(workflow_text(found, workflow, context.columns()));
  return 0;
}

}  // namespace

Command workflow_show() {
  return {
      .path = "workflow show",
      .topic = "Workflows",
      .summary = "Show the phases, loops and files of a workflow",
      .description = "With --json also its arguments, roles, files and digest.",
      .hub = HubUse::reads,
      .positionals = {{.name = "WORKFLOW",
                       .type = ValueType::workflow,
                       .help = "A name, or the path of its directory"}},
      .flags = {{.name = "file", .value = "FILE", .help = "Print this file of it instead"}},
      .examples = {{"teamster workflow show implement-spec", "What happens, and in which order?"},
                   {"teamster workflow show implement-spec --file workflow.yaml", "How is it written?"}},
      .run = run_workflow_show,
  };
}

}  // namespace teamster::cli::commands
