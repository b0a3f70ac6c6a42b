#include "rehearsal/plan.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "builtin/files.h"

namespace teamster::cli {
namespace {

constexpr const char* kShape = R"(It is {"project": "notes", "arguments": ["01"]}: see docs/formats/rehearsal.md)";
constexpr std::string_view kScripts = "rehearsal/";
constexpr const char* kOwnScripts = "rehearsal";

Result<void> check_keys(const Json& plan) {
  if (!plan.is_object()) return fail(Code::invalid, "rehearsal.json is no JSON object", kShape);
  for (const auto& [key, value] : plan.items())
    if (key != "project" && key != "arguments")
      return fail(Code::invalid, fmt::format("rehearsal.json has {}, which means nothing", quoted(key, 40)), kShape);
  return {};
}

// "./project/" → "project"
std::string normal(std::string path) {
  while (path.starts_with("./")) path.erase(0, 2);
  while (path.ends_with('/')) path.pop_back();
  return path;
}

FileContents below(const workflow::Bundle& bundle, const std::string& directory) {
  const std::string prefix = directory + "/";
  FileContents found;
  for (const auto& [name, content] : bundle)
    if (name.starts_with(prefix)) found[name.substr(prefix.size())] = content;
  return found;
}

// Those that can be rehearsed in.
std::vector<std::string> names_of_examples() {
  std::set<std::string> names;
  for (const auto& [path, content] : builtin::files_below("examples"))
    if (const std::size_t at = path.find("/" + std::string(kScripts)); at != std::string::npos)
      names.insert(path.substr(0, at));
  return {names.begin(), names.end()};
}

}  // namespace

Result<Plan> Plan::read(const std::string& workflow, const workflow::Bundle& bundle) {
  const auto file = bundle.find(kPlanFile);
  const bool has_scripts = !below(bundle, kOwnScripts).empty();
  if (file == bundle.end() && has_scripts) return Plan{};
  if (file == bundle.end())
    return fail(
        Code::not_found, fmt::format("workflow {} has no rehearsal.json", workflow),
        "Give it one, or scripts in rehearsal/ (--init writes some); or rehearse in a project of yours: --project "
        "DIRECTORY --script DIRECTORY");
  const auto json = parse_json(file->second);
  if (!json) return fail(json.error().within(kPlanFile));
  TRY_VOID(check_keys(*json));
  Plan plan;
  plan.project = normal(TRY(optional_string_field(*json, "project")).value_or(""));
  if (plan.project.empty() && !has_scripts)
    return fail(Code::invalid, "rehearsal.json names no `project`, and the workflow has no scripts in rehearsal/",
                kShape);
  const auto arguments = json->find("arguments");
  if (arguments == json->end()) return plan;
  if (!arguments->is_array()) return fail(Code::invalid, "`arguments` of rehearsal.json is no list", kShape);
  for (const auto& each : *arguments) {
    if (!each.is_string()) return fail(Code::invalid, "an argument in rehearsal.json is no text", kShape);
    plan.arguments.push_back(each.get<std::string>());
  }
  return plan;
}

Result<PlannedFiles> planned_files(const Plan& plan, const workflow::Bundle& bundle) {
  PlannedFiles files;
  if (plan.project.empty()) {
    files.project = below(bundle, std::string(kOwnScripts) + "/project");
    files.scripts = below(bundle, kOwnScripts);
    std::erase_if(files.scripts, [](const auto& file) { return file.first.starts_with("project/"); });
    if (!files.scripts.empty()) return files;
    return fail(Code::not_found, "the workflow has no scripts in rehearsal/",
                "Write them; --init writes some to begin with");
  }
  files.project = below(bundle, plan.project);
  if (files.project.empty()) files.project = builtin::files_below("examples/" + plan.project);
  if (files.project.empty()) {
    const auto examples = names_of_examples();
    const auto meant = closest(plan.project, examples);
    return fail(Code::not_found,
                fmt::format("rehearsal.json names the project {}, which is neither a directory of the workflow nor an "
                            "example",
                            quoted(plan.project, 80)),
                meant ? fmt::format("Did you mean {}?", *meant) : fmt::format("Examples are {}", join(examples, ", ")));
  }
  for (auto it = files.project.begin(); it != files.project.end();) {
    if (!it->first.starts_with(kScripts)) {
      ++it;
      continue;
    }
    files.scripts[it->first.substr(kScripts.size())] = it->second;
    it = files.project.erase(it);
  }
  return files;
}

}  // namespace teamster::cli
