#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/workflow_text.h"
#include "project/workflow_place.h"
#include "workflow/format/graph.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_workflow_graph(Context& context, const Arguments& arguments) {
  const WorkflowPlaces places(context.outside().world().files, context.outside().variable);
  const FoundWorkflow found = TRY(places.find(arguments.value("WORKFLOW")));
  const workflow::Workflow workflow = TRY(valid_workflow(found));
  const std::string format = arguments.value("format");
  const std::string drawing = format == "dot" ? workflow::dot_graph(workflow) : workflow::mermaid_graph(workflow);
  if (context.wants_json())
    context.print_json({{"name", workflow.name}, {"format", format}, {"graph", drawing}});
  else
    context.print_as_it_is(drawing);
  return 0;
}

}  // namespace

Command workflow_graph() {
  return {
      .path = "workflow graph",
      .topic = "Workflows",
      .summary = "Draw a workflow",
      .description = "Phases by the shape of their kind, ways with their conditions and the limits of their loops.",
      .hub = HubUse::reads,
      .positionals = {{.name = "WORKFLOW",
                       .type = ValueType::workflow,
                       .help = "A name, or the path of its directory"}},
      .flags = {{.name = "format",
                 .value = "FORMAT",
                 .help = "For which program",
                 .fallback = "mermaid",
                 .choices = {"mermaid", "dot"}}},
      .examples = {{"teamster workflow graph implement-spec", "For a Markdown page that shows Mermaid"},
                   {"teamster workflow graph implement-spec --format dot | dot -Tsvg > graph.svg", "For Graphviz"}},
      .run = run_workflow_graph,
  };
}

}  // namespace teamster::cli::commands
