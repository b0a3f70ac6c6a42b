#include "agent/driver.h"

#include <fmt/format.h>

#include "agent/claude/claude_driver.h"
#include "agent/command/command_driver.h"
#include "base/text.h"
#include "env/files.h"
#include "env/processes.h"

namespace teamster::agent {

const std::vector<const Driver*>& all_drivers() {
  static const ClaudeDriver kClaude;
  static const CommandDriver kCommand;
  static const ScriptDriver kScript;
  static const std::vector<const Driver*> kAll = {&kClaude, &kCommand, &kScript};
  return kAll;
}

Result<const Driver*> find_driver(std::string_view name) {
  std::vector<std::string> names;
  for (const Driver* driver : all_drivers()) {
    if (driver->name() == name) return driver;
    names.emplace_back(driver->name());
  }
  const auto meant = closest(name, names);
  return fail(Code::invalid, fmt::format("there is no driver {}", quoted(name, 80)),
              meant ? fmt::format("Did you mean {}?", *meant) : fmt::format("Use one of {}", join(names, ", ")));
}

std::string find_on_path(const env::World& world, const std::string& name) {
  constexpr std::uint32_t kExecutable = 0111;
  const auto is_program = [&](const std::string& path) {
    const auto status = world.files.status(path);
    return status && *status && !(*status)->is_directory && ((*status)->mode & kExecutable) != 0;
  };
  if (name.find('/') != name.npos) return is_program(name) ? name : std::string();
  const std::string path = world.processes.variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string candidate = path.substr(at, end - at) + "/" + name;
    if (candidate.front() == '/' && is_program(candidate)) return candidate;
    at = end + 1;
  }
  return {};
}

}  // namespace teamster::agent
