#include "skills/places.h"

#include "builtin/files.h"

namespace teamster::skills {

std::unique_ptr<Source> make_workflow_source(const std::map<std::string, std::string>& files,
                                             const std::string& place) {
  constexpr std::string_view kDirectory = "skills/";
  std::map<std::string, std::string> found;
  for (const auto& [path, text] : files)
    if (path.starts_with(kDirectory)) found.emplace(path.substr(kDirectory.size()), text);
  return make_file_source("workflow", place.empty() ? "skills" : place + "/skills", std::move(found));
}

std::vector<std::unique_ptr<Source>> make_sources(env::Files& files, Places places, const Variable& variable) {
  std::vector<std::unique_ptr<Source>> sources;
  const auto add = [&](const char* from, const std::string& directory) {
    sources.push_back(make_directory_source(files, from, directory));
  };
  if (!places.workflow.empty()) sources.push_back(make_workflow_source(places.workflow, places.workflow_place));
  for (const auto& directory : places.named) add("named", directory);
  if (!places.project.empty()) {
    add("project", places.project + "/.teamster/skills");
    add("project", places.project + "/.claude/skills");
  }
  const auto home = variable("HOME").value_or("");
  const auto configuration = variable("XDG_CONFIG_HOME").value_or("");
  if (!configuration.empty())
    add("user", configuration + "/teamster/skills");
  else if (!home.empty())
    add("user", home + "/.config/teamster/skills");
  if (!home.empty()) add("user", home + "/.claude/skills");
  sources.push_back(make_file_source("built-in", "built-in", builtin::files_below("skills")));
  return sources;
}

}  // namespace teamster::skills
