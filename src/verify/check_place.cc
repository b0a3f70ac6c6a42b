#include "verify/check_place.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "env/files.h"
#include "env/loop.h"
#include "verify/bounded_program.h"
#include "verify/verify_limits.h"

namespace teamster::verify {
namespace {

constexpr const char* kUsualPath = "/usr/local/bin:/usr/bin:/bin";
constexpr const char* kDepthVariable = "TEAMSTER_VERIFY_DEPTH";
constexpr std::size_t kRootMaxBytes = 16 * 1024;
constexpr unsigned kMayBeRun = 0111;

}  // namespace

std::string find_program(const env::World& world, const std::string& name) {
  const std::string path = world.processes.variable("PATH").value_or(kUsualPath);
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string directory = path.substr(at, end - at);
    at = end + 1;
    // A part without a slash in front depends on where we are.
    if (!directory.starts_with('/')) continue;
    const auto status = world.files.status(directory + "/" + name);
    if (status && *status && !(*status)->is_directory && ((*status)->mode & kMayBeRun) != 0)
      return directory + "/" + name;
  }
  return {};
}

std::vector<std::string> check_environment(env::Processes& processes) {
  const std::string own = processes.own_executable();
  const std::string directory = own.substr(0, std::max<std::size_t>(own.rfind('/') + 1, 1) - 1);
  const std::string path = processes.variable("PATH").value_or(kUsualPath);
  std::vector<std::string> environment;
  for (auto& entry : processes.environment())
    if (!entry.starts_with("PATH=") && !entry.starts_with(std::string(kDepthVariable) + "="))
      environment.push_back(std::move(entry));
  environment.push_back(directory.empty() ? "PATH=" + path : fmt::format("PATH={}:{}", directory, path));
  environment.push_back(fmt::format("{}={}", kDepthVariable, verification_depth(processes) + 1));
  return environment;
}

int verification_depth(env::Processes& processes) {
  const std::string text = processes.variable(kDepthVariable).value_or("");
  int depth = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), depth);
  return std::clamp(depth, 0, kVerifyDepthMax);
}

std::optional<std::string> find_repository_root(const env::World& world, const std::string& directory) {
  const std::string git = find_program(world, "git");
  if (git.empty()) return std::nullopt;
  std::optional<ProgramEnd> answer;
  auto program = BoundedProgram::start(world,
                                       {.arguments = {git, "rev-parse", "--show-toplevel"},
                                        .environment = world.processes.environment(),
                                        .directory = directory,
                                        .limit = kTreeLookMax,
                                        .bounds = {.head_bytes = kRootMaxBytes, .tail_bytes = 0},
                                        .keeps_errors = false},
                                       [&](ProgramEnd end) { answer.emplace(std::move(end)); });
  if (!program) return std::nullopt;
  world.loop.run_until([&] { return answer.has_value(); });
  if (!answer || !answer->succeeded() || answer->output.is_cut()) return std::nullopt;
  std::string root = answer->output.head();
  if (root.ends_with('\n')) root.pop_back();
  return root.empty() ? std::nullopt : std::optional(root);
}

}  // namespace teamster::verify
