#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/printable.h"
#include "project/workflow_place.h"
#include "skills/places.h"
#include "skills/validation.h"
#include "workflow/format/load.h"

namespace teamster::cli::commands {
namespace {

struct Validated {
  FoundWorkflow found;
  workflow::Loaded loaded;
};

// A workflow whose skills cannot be used would run without them.
void add_problems_of_skills(const workflow::Bundle& bundle, workflow::Loaded& loaded) {
  const auto source = skills::make_workflow_source(bundle, "");
  const auto names = source->names();
  if (!names) return;
  for (const auto& name : *names) {
    auto skill = skills::validate_skill(*source, name);
    std::move(skill.problems.begin(), skill.problems.end(), std::back_inserter(loaded.problems));
    loaded.problems_left_out += skill.problems_left_out;
  }
}

Json document_of(const Validated& one) {
  Json problems = Json::array();
  for (const auto& problem : one.loaded.problems)
    problems.push_back(
        {{"file", problem.file}, {"line", problem.line}, {"column", problem.column}, {"what", problem.what}});
  return {{"name", one.found.name},
          {"from", one.found.from},
          {"path", one.found.path},
          {"digest", workflow::digest(one.found.bundle)},
          {"valid", one.loaded.problems.empty()},
          {"problems", std::move(problems)},
          {"problems_left_out", one.loaded.problems_left_out}};
}

void print(const Context& context, const Validated& one) {
  for (const auto& problem : one.loaded.problems)
    context.print(fmt::format("{}/{}\n", printable_line(one.found.path), printable_line(problem.text())));
  if (one.loaded.problems_left_out > 0)
    context.print(fmt::format("{}: {} more problems\n", printable_line(one.found.path), one.loaded.problems_left_out));
  if (one.loaded.workflow && one.loaded.problems.empty())
    context.print(
        fmt::format("{}: ok, {} phases\n", printable_line(one.found.path), one.loaded.workflow->phases.size()));
}

Result<int> run_workflow_validate(Context& context, const Arguments& arguments) {
  const WorkflowPlaces places(context.outside().world().files, context.outside().variable);
  std::vector<Validated> all;
  for (const auto& word : arguments.values("WORKFLOW")) {
    Validated one;
    one.found = TRY(places.find(word));
    one.loaded = workflow::load_workflow(one.found.bundle);
    add_problems_of_skills(one.found.bundle, one.loaded);
    all.push_back(std::move(one));
  }
  Json documents = Json::array();
  bool is_valid = true;
  for (const auto& one : all) {
    is_valid = is_valid && one.loaded.problems.empty();
    if (context.wants_json())
      documents.push_back(document_of(one));
    else
      print(context, one);
  }
  if (context.wants_json()) context.print_json({{"workflows", std::move(documents)}});
  return is_valid ? kExitDone : kExitNothing;
}

}  // namespace

Command workflow_validate() {
  return {
      .path = "workflow validate",
      .topic = "Workflows",
      .summary = "Check the files of workflows",
      .description =
          "Says what is wrong as FILE:LINE:COLUMN and what was expected, all of it at once. Exit code 1 when something "
          "is. The format is described in docs/formats/workflow.md.",
      .hub = HubUse::reads,
      .positionals = {{.name = "WORKFLOW",
                       .type = ValueType::workflow,
                       .help = "A name, or the path of its directory",
                       .repeatable = true}},
      .examples = {{"teamster workflow validate .teamster/workflows/review", "Is what I am writing right?"},
                   {"teamster workflow validate implement-spec --json | jq '.workflows[].problems'", "For a script"}},
      .run = run_workflow_validate,
  };
}

}  // namespace teamster::cli::commands
