#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/skills/offered_skills.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/printable.h"

namespace teamster::cli::commands {
namespace {

Result<int> show_resource(Context& context, const skills::Catalogue& catalogue, const Arguments& arguments) {
  const std::string name = arguments.value("SKILL");
  const std::string path = arguments.value("resource");
  const std::string content = TRY(catalogue.resource(name, path));
  if (context.wants_json())
    context.print_json({{"name", name}, {"resource", path}, {"content", content}});
  else
    context.print(printable_block(content, ""));
  return kExitDone;
}

Json skill_document(const skills::KnownSkill& skill, const std::string& body,
                    const std::vector<skills::Resource>& resources) {
  Json list = Json::array();
  for (const auto& resource : resources) list.push_back({{"path", resource.path}, {"bytes", resource.bytes}});
  return {{"name", skill.head.name},
          {"description", skill.head.description},
          {"from", skill.from},
          {"path", skill.place},
          {"license", skill.head.license},
          {"compatibility", skill.head.compatibility},
          {"metadata", skill.head.metadata},
          {"allowed_tools", skill.head.allowed_tools},
          {"body", body},
          {"resources", std::move(list)}};
}

Result<int> run_skills_show(Context& context, const Arguments& arguments) {
  const skills::Catalogue catalogue(TRY(places_of_skills(context, arguments)));
  if (arguments.has("resource")) return show_resource(context, catalogue, arguments);
  const std::string name = arguments.value("SKILL");
  const skills::KnownSkill skill = TRY(catalogue.find(name));
  const std::string body = TRY(catalogue.body(name));
  const auto resources = TRY(catalogue.resources(name));
  if (context.wants_json()) {
    context.print_json(skill_document(skill, body, resources));
    return kExitDone;
  }
  context.print(fmt::format("{}: {}\nfrom {}, {}\n\n{}", skill.head.name, printable_line(skill.head.description),
                            skill.from, printable_line(skill.place), printable_block(body, "")));
  if (!resources.empty()) context.print("\nresources, for --resource:\n");
  for (const auto& resource : resources)
    context.print(fmt::format("  {} ({} bytes)\n", printable_line(resource.path), resource.bytes));
  return kExitDone;
}

}  // namespace

Command skills_show() {
  return {
      .path = "skills show",
      .topic = "Skills",
      .summary = "Show the instructions of a skill, or a file beside them",
      .description =
          "What an agent gets from the tool read_skill. With --json also the other fields of its front matter.",
      .hub = HubUse::reads,
      .positionals = {{.name = "SKILL", .help = "Its name"}},
      .flags = {{.name = "resource", .value = "PATH", .help = "Print this file of the skill instead"},
                workflow_of_skills_flag()},
      .examples = {{"teamster skills show working-in-a-team", "What does it say?"},
                   {"teamster skills show drawing --resource references/pencils.md", "A file that lies beside it"}},
      .run = run_skills_show,
  };
}

}  // namespace teamster::cli::commands
