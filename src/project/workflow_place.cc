#include "project/workflow_place.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/name.h"
#include "base/text.h"
#include "builtin/files.h"
#include "workflow/format/load.h"

namespace teamster::cli {
namespace {

constexpr int kDepthMax = 8;
constexpr const char* kSkillsFrom = "skills/from.txt";

std::map<std::string, workflow::Bundle> built_in_workflows() {
  std::map<std::string, workflow::Bundle> all;
  for (const auto& [name, contents] : builtin::files_below("workflows")) {
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) all[name.substr(0, slash)][name.substr(slash + 1)] = contents;
  }
  return all;
}

bool is_path(const std::string& text) {
  return text == "." || text == ".." || text.find('/') != std::string::npos || text.ends_with(".yaml");
}

std::string without_last_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string lines_of(const workflow::Loaded& loaded) {
  std::vector<std::string> lines;
  for (const auto& problem : loaded.problems) lines.push_back("  " + problem.text());
  return join(lines, "\n");
}

}  // namespace

WorkflowPlaces::WorkflowPlaces(env::Files& files, const Variable& variable, std::string project)
    : files_(files), project_(std::move(project)) {
  places_.push_back({"project", in_project(".teamster/workflows")});
  const auto configuration = variable("XDG_CONFIG_HOME");
  const auto home = variable("HOME");
  if (configuration && !configuration->empty())
    places_.push_back({"user", *configuration + "/teamster/workflows"});
  else if (home && !home->empty())
    places_.push_back({"user", *home + "/.config/teamster/workflows"});
}

std::string WorkflowPlaces::in_project(const std::string& path) const {
  return project_.empty() || path.starts_with('/') ? path : project_ + "/" + path;
}

Result<FoundWorkflow> WorkflowPlaces::find(const std::string& name_or_path) const {
  FoundWorkflow found = TRY(find_alone(name_or_path));
  TRY_VOID(add_skills(found));
  return found;
}

// Skills of another workflow, without copies of them: those of its own come first.
Result<void> WorkflowPlaces::add_skills(FoundWorkflow& found) const {
  const auto from = found.bundle.find(kSkillsFrom);
  if (from == found.bundle.end()) return {};
  const auto other = find_alone(std::string(trimmed(from->second)));
  if (!other) return fail(other.error().within(kSkillsFrom));
  for (const auto& [name, contents] : other->bundle)
    if (name.starts_with("skills/") && name != kSkillsFrom) found.bundle.emplace(name, contents);
  return {};
}

Result<FoundWorkflow> WorkflowPlaces::find_alone(const std::string& name_or_path) const {
  if (is_path(name_or_path)) return at_path(in_project(name_or_path));
  const Name name = TRY(Name::parse("workflow", name_or_path));
  for (const auto& place : places_) {
    const std::string directory = fmt::format("{}/{}", place.directory, name.text());
    if (!TRY(files_.status(directory))) continue;
    auto bundle = TRY(read_directory(directory));
    return FoundWorkflow{name.text(), place.from, directory, std::move(bundle)};
  }
  auto built_in = built_in_workflows();
  if (const auto it = built_in.find(name.text()); it != built_in.end())
    return FoundWorkflow{name.text(), "built-in", name.text(), std::move(it->second)};
  std::vector<std::string> known;
  for (const auto& found : TRY(all())) known.push_back(found.name);
  if (TRY(files_.status(in_project(name.text() + "/" + std::string(workflow::kWorkflowFile)))))
    return fail(Code::not_found, fmt::format("there is no workflow '{}'", name.text()),
                fmt::format("The directory of that name here has one: ./{}", name.text()));
  const auto meant = closest(name.text(), known);
  return fail(Code::not_found, fmt::format("there is no workflow '{}'", name.text()),
              meant ? fmt::format("Did you mean {}?", *meant) : fmt::format("There are: {}", join(known, ", ")));
}

Result<FoundWorkflow> WorkflowPlaces::at_path(const std::string& path) const {
  std::string directory = without_last_slash(path);
  if (directory.ends_with(workflow::kWorkflowFile)) {
    directory.resize(directory.size() - std::string_view(workflow::kWorkflowFile).size());
    directory = directory.empty() ? "." : without_last_slash(directory);
  }
  const auto status = TRY(files_.status(directory));
  if (!status || !status->is_directory)
    return fail(Code::not_found, fmt::format("{} is no directory", quoted(directory, 200)),
                "Give the directory of a workflow, or a name that `teamster workflow list` shows");
  auto bundle = TRY(read_directory(directory));
  const std::size_t slash = directory.rfind('/');
  return FoundWorkflow{directory.substr(slash == directory.npos ? 0 : slash + 1), "path", directory, std::move(bundle)};
}

Result<std::vector<FoundWorkflow>> WorkflowPlaces::all() const {
  std::map<std::string, FoundWorkflow> found;
  for (const auto& place : places_) {
    if (!TRY(files_.status(place.directory))) continue;
    for (const auto& name : TRY(files_.list(place.directory))) {
      const std::string directory = fmt::format("{}/{}", place.directory, name);
      const auto status = TRY(files_.status(directory));
      if (!status || !status->is_directory || !Name::parse("workflow", name) || found.contains(name)) continue;
      auto bundle = TRY(read_directory(directory));
      found[name] = {name, place.from, directory, std::move(bundle)};
    }
  }
  for (auto& [name, bundle] : built_in_workflows())
    if (!found.contains(name)) found[name] = {name, "built-in", name, std::move(bundle)};
  std::vector<FoundWorkflow> list;
  for (auto& [name, one] : found) list.push_back(std::move(one));
  return list;
}

Result<workflow::Bundle> WorkflowPlaces::read_directory(const std::string& directory) const {
  workflow::Bundle bundle;
  TRY_VOID(read_below(directory, "", 0, bundle));
  return bundle;
}

// Hidden files are no part of a workflow: editors and git keep theirs there.
Result<void> WorkflowPlaces::read_below(const std::string& directory, const std::string& prefix, int depth,
                                        workflow::Bundle& bundle) const {
  if (depth > kDepthMax)
    return fail(Code::failed, fmt::format("{}/{} is nested over {} directories deep", directory, prefix, kDepthMax));
  for (const auto& name : TRY(files_.list(prefix.empty() ? directory : directory + "/" + prefix))) {
    if (name.starts_with('.')) continue;
    const std::string relative = prefix.empty() ? name : prefix + "/" + name;
    const auto status = TRY(files_.status(directory + "/" + relative));
    if (!status) continue;
    if (status->is_directory) {
      TRY_VOID(read_below(directory, relative, depth + 1, bundle));
      continue;
    }
    if (bundle.size() >= limits::kWorkflowFilesMax)
      return fail(Code::failed, fmt::format("{} has more than {} files", directory, limits::kWorkflowFilesMax),
                  "Is this the directory of a workflow?");
    // A link that leads out of the directory is refused: a workflow is what its directory holds.
    auto contents = files_.read_beneath(directory, relative, limits::kWorkflowFileMaxBytes);
    if (!contents && contents.error().code == Code::invalid)
      return fail(Code::failed, contents.error().what, "A file of a workflow has at most 1 MiB");
    bundle[relative] = TRY(std::move(contents));
  }
  return {};
}

Result<workflow::Workflow> load_checked(const FoundWorkflow& found) {
  auto loaded = workflow::load_workflow(found.bundle);
  if (loaded.workflow) return *std::move(loaded.workflow);
  return fail(Code::invalid, fmt::format("the workflow {} has mistakes:\n{}\n", found.name, lines_of(loaded)),
              fmt::format("Mend them; `teamster workflow validate {}` shows them again", found.path));
}

std::vector<workflow::Workflow> sub_workflows(const WorkflowPlaces& places, const workflow::Workflow& workflow,
                                              SubWorkflows which) {
  std::vector<workflow::Workflow> found = {workflow};
  std::set<std::string> named = {workflow.name};
  for (std::size_t at = 0; at < found.size(); ++at) {
    const auto phases = found[at].phases;
    for (const auto& phase : phases) {
      const bool is_sure = phase.only.empty() && found[at].entries.empty();
      const bool may_be_left_out = which == SubWorkflows::sure_to_come && !is_sure;
      if (phase.workflow.empty() || may_be_left_out || !named.insert(phase.workflow).second) continue;
      const auto place = places.find(phase.workflow);
      if (!place) continue;
      if (auto loaded = load_checked(*place)) found.push_back(*std::move(loaded));
    }
  }
  found.erase(found.begin());
  return found;
}

Result<workflow::Workflow> load_of_run(const std::string& run, const workflow::Bundle& bundle, std::int64_t format) {
  const std::string next = "Go on with the version that started it, or cancel it and start a new one";
  if (format < 1 || format > workflow::kFormat)
    return fail(
        Code::refused,
        fmt::format("the workflow of run {} has the format {}, and this version of teamster knows formats up to {}",
                    run, format, workflow::kFormat),
        next);
  // What is of an older format is taken over where it means the same today.
  auto loaded = format == workflow::kFormat ? workflow::load_pinned(bundle) : workflow::load_workflow(bundle);
  if (loaded.workflow) return *std::move(loaded.workflow);
  return fail(
      Code::invalid,
      fmt::format("this version of teamster cannot read the workflow of run {}, which has the format {} ({} today):"
                  "\n{}\n",
                  run, format, workflow::kFormat, lines_of(loaded)),
      next);
}

}  // namespace teamster::cli
