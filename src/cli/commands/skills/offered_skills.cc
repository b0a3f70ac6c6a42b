#include "cli/commands/skills/offered_skills.h"

#include <nlohmann/json.hpp>

#include "cli/text/printable.h"
#include "project/workflow_place.h"
#include "skills/places.h"

namespace teamster::cli {

Flag workflow_of_skills_flag() {
  return {.name = "workflow", .value = "WORKFLOW", .help = "With the skills of this workflow, as members of its runs"};
}

Result<std::vector<std::unique_ptr<skills::Source>>> places_of_skills(const Context& context,
                                                                      const Arguments& arguments) {
  env::Files& files = context.outside().world().files;
  skills::Places places;
  places.project = TRY(context.directory());
  if (arguments.has("workflow")) {
    FoundWorkflow found = TRY(WorkflowPlaces(files, context.outside().variable).find(arguments.value("workflow")));
    places.workflow = std::move(found.bundle);
    places.workflow_place = found.path;
  }
  return skills::make_sources(files, std::move(places), context.outside().variable);
}

Json problems_json(const std::vector<workflow::Problem>& problems) {
  Json list = Json::array();
  for (const auto& problem : problems)
    list.push_back(
        {{"file", problem.file}, {"line", problem.line}, {"column", problem.column}, {"what", problem.what}});
  return list;
}

std::string problem_lines(const std::vector<workflow::Problem>& problems) {
  std::string lines;
  for (const auto& problem : problems) lines += printable_line(problem.text()) + "\n";
  return lines;
}

}  // namespace teamster::cli
