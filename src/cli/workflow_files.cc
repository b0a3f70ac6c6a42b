#include "cli/workflow_files.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/name.h"
#include "base/text.h"
#include "builtin/files.h"
#include "env/files.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kFileMaxBytes = std::size_t{10} * 1024 * 1024;
constexpr std::size_t kFilesMax = 1000;
constexpr int kDepthMax = 8;
constexpr const char* kBuiltin = "workflows";

// All files below, by their paths from there on. Whoever made the directory may have made it large.
Result<void> read_directory(env::Files& files, const std::string& directory, const std::string& prefix, int depth,
                            workflow::Bundle& bundle) {
  if (depth > kDepthMax)
    return fail(Code::invalid, fmt::format("{} has more than {} levels of directories", directory, kDepthMax));
  for (const auto& name : TRY(files.list(directory))) {
    const std::string path = directory + "/" + name;
    const auto status = TRY(files.status(path));
    if (!status || name.front() == '.') continue;
    if (status->is_directory) {
      TRY_VOID(read_directory(files, path, prefix + name + "/", depth + 1, bundle));
      continue;
    }
    if (bundle.size() >= kFilesMax)
      return fail(Code::invalid, fmt::format("{} has more than {} files", directory, kFilesMax));
    bundle[prefix + name] = TRY(files.read(path, kFileMaxBytes));
  }
  return {};
}

std::vector<std::string> places(const Context& context) {
  std::vector<std::string> found = {std::filesystem::current_path().string() + "/.teamster/workflows"};
  const auto config = context.outside().variable("XDG_CONFIG_HOME");
  const auto home = context.outside().variable("HOME");
  if (config && !config->empty())
    found.push_back(*config + "/teamster/workflows");
  else if (home && !home->empty())
    found.push_back(*home + "/.config/teamster/workflows");
  return found;
}

bool is_directory(env::Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && *status && (*status)->is_directory;
}

std::set<std::string> builtin_names() {
  std::set<std::string> names;
  for (const auto& [path, content] : builtin::files_below(kBuiltin))
    if (path.ends_with("/workflow.yaml")) names.insert(path.substr(0, path.find('/')));
  return names;
}

Result<FoundWorkflow> from_directory(env::Files& files, const std::string& directory) {
  FoundWorkflow found{std::filesystem::path(directory).filename().string(), directory, {}};
  TRY_VOID(read_directory(files, directory, "", 0, found.bundle));
  return found;
}

std::string known_names(const Context& context) {
  std::vector<std::string> names;
  for (const auto& each : all_workflows(context)) names.push_back(each.name);
  return join(names, ", ");
}

}  // namespace

Result<FoundWorkflow> find_workflow(const Context& context, const std::string& name) {
  env::Files& files = context.outside().world().files;
  if (name.find('/') != std::string::npos || name == ".") {
    if (!is_directory(files, name))
      return fail(Code::not_found, fmt::format("there is no directory {}", quoted(name, 200)),
                  "Name a directory with a workflow.yaml in it");
    return from_directory(files, std::filesystem::absolute(name).lexically_normal().string());
  }
  TRY_VOID(Name::parse("workflow", name));
  for (const auto& place : places(context))
    if (is_directory(files, place + "/" + name)) return from_directory(files, place + "/" + name);
  workflow::Bundle bundle = builtin::files_below(fmt::format("{}/{}", kBuiltin, name));
  if (!bundle.empty()) return FoundWorkflow{name, "built in", std::move(bundle)};
  return fail(Code::not_found, fmt::format("there is no workflow {}", name),
              fmt::format("There are: {}. Own ones go to .teamster/workflows/NAME", known_names(context)));
}

std::vector<FoundWorkflow> all_workflows(const Context& context) {
  env::Files& files = context.outside().world().files;
  std::set<std::string> names = builtin_names();
  for (const auto& place : places(context)) {
    const auto listed = files.list(place);
    if (!listed) continue;
    for (const auto& name : *listed)
      if (is_directory(files, place + "/" + name) && Name::parse("workflow", name)) names.insert(name);
  }
  std::vector<FoundWorkflow> all;
  for (const auto& name : names)
    if (auto found = find_workflow(context, name)) all.push_back(*std::move(found));
  return all;
}

Result<workflow::Workflow> load_checked(const FoundWorkflow& found) {
  auto loaded = workflow::load_workflow(found.bundle);
  if (loaded.workflow) return *std::move(loaded.workflow);
  std::vector<std::string> lines;
  for (const auto& problem : loaded.problems) lines.push_back("  " + problem.text());
  return fail(Code::invalid, fmt::format("the workflow {} has mistakes:\n{}\n", found.name, join(lines, "\n")),
              fmt::format("Mend them; `teamster workflow validate {}` shows them again", found.name));
}

}  // namespace teamster::cli
