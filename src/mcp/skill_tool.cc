// The tool read_skill of TeamTools: a skill's text, a file that lies beside it, or the list of what there is.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "mcp/team_tools.h"

namespace teamster::mcp {

void TeamTools::read_skill(Json arguments, const Finish& finish) {
  if (!arguments.contains("name")) {
    finish(list_of_skills());
    return;
  }
  auto result = skill_or_resource(arguments);
  finish(result ? *std::move(result) : failure(result.error()));
}

Result<ToolResult> TeamTools::skill_or_resource(const Json& arguments) const {
  const auto name = arguments.at("name").get<std::string>();
  Json answer = {{"name", name}};
  if (const auto path = arguments.find("resource"); path != arguments.end()) {
    answer["resource"] = *path;
    answer["content"] = TRY(skills_.resource(name, path->get<std::string>()));
  } else {
    answer["content"] = TRY(skills_.body(name));
    answer["resources"] = Json::array();
    for (const auto& resource : TRY(skills_.resources(name))) answer["resources"].push_back(resource.path);
  }
  ToolResult result = success(answer);
  result.text = answer["content"].get<std::string>();
  if (!answer.contains("resources") || answer["resources"].empty()) return result;
  result.more_texts.push_back("Beside it, to be read with `resource`: " +
                              join(answer["resources"].get<std::vector<std::string>>(), ", "));
  return result;
}

// Some clients cut the description of a tool short, and with it the skills that it lists.
ToolResult TeamTools::list_of_skills() const {
  Json list = Json::array();
  std::string text;
  for (const auto& skill : skills_.skills()) {
    list.push_back({{"name", skill.head.name}, {"description", skill.head.description}});
    text += fmt::format("- {}: {}\n", skill.head.name, skill.head.description);
  }
  ToolResult result = success({{"content", text}, {"skills", std::move(list)}});
  result.text = text.empty() ? "No skills are offered here." : text;
  return result;
}

}  // namespace teamster::mcp
