#include "engine/run_drivers.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/driver_choice.h"
#include "base/text.h"
#include "env/files.h"
#include "workflow/format/configuration.h"
#include "workflow/format/entry.h"

namespace teamster::engine {
namespace {

constexpr const char* kDriverOfRolesThatNameNone = "claude";

std::string driver_of(const RunSetup& setup, const workflow::Role& role) {
  if (const auto own = setup.drivers.find(role.name); own != setup.drivers.end()) return own->second;
  if (!setup.driver.empty()) return setup.driver;
  return role.driver.empty() ? kDriverOfRolesThatNameNone : role.driver;
}

// A run goes on from any directory, so a program that is named from the project's on is found there.
std::string found_from(const std::string& project, const std::string& program) {
  const bool is_relative_path = !program.starts_with('/') && program.find('/') != std::string::npos;
  return is_relative_path ? project + "/" + program : program;
}

// `Bash(git *)` allows some uses of the tool Bash; which, the policy of permissions knows.
std::vector<std::string> tool_names(const workflow::Role& role) {
  std::vector<std::string> names;
  for (const auto& rule : role.tools) {
    std::string name = rule.substr(0, rule.find('('));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

Result<void> check_scripts(const DriverCheck& check, const std::vector<std::string>& missing) {
  if (missing.empty()) return {};
  if (check.setup.scripts.empty())
    return fail(Code::invalid, "the script driver needs scripts",
                fmt::format("Name the directory with ROLE.json of each role: {} DIRECTORY", check.scripts_flag));
  return fail(Code::not_found, fmt::format("{} has no script for {}", check.setup.scripts, join(missing, ", ")),
              fmt::format("Write {}/{}.json, or name another directory with {}", check.setup.scripts, missing.front(),
                          check.scripts_flag));
}

}  // namespace

Result<agent::MemberOptions> driver_options(const RunSetup& setup, const workflow::Role& role) {
  agent::DriverChoice choice = TRY(agent::DriverChoice::parse(driver_of(setup, role)));
  agent::MemberOptions options;
  options.driver = choice.driver;
  options.start.directory = setup.project;
  options.start.arguments = std::move(choice.command);
  if (!options.start.arguments.empty())
    options.start.arguments.front() = found_from(setup.project, options.start.arguments.front());
  const std::string& auth = setup.auth.empty() ? role.auth : setup.auth;
  if (auth == "env") options.environment.login = agent::Login::env;
  if (auth == "file") {
    if (setup.auth_file.empty())
      return fail(Code::invalid, "its `auth: file` needs a file that holds the key", "Name it with --auth-file FILE");
    options.environment.login = agent::Login::file;
    options.environment.login_file = setup.auth_file;
  }
  if (!setup.scripts.empty()) options.start.script = fmt::format("{}/{}.json", setup.scripts, role.name);
  return options;
}

Result<agent::MemberOptions> member_options(const RunSetup& setup, const workflow::Pinned& pinned,
                                            const workflow::RunState& state, const workflow::Role& role) {
  workflow::Workflow workflow;
  workflow.roles[role.name] = role;
  workflow::configure(workflow, state.configuration);
  const workflow::Role& wanted = workflow.roles.at(role.name);
  agent::MemberOptions options = TRY(driver_options(setup, wanted));
  options.run = pinned.run;
  const std::string model = TRY(workflow::short_text(pinned, {state}, wanted.model));
  if (model != "default") options.start.model = model;
  options.start.effort = wanted.effort;
  options.start.instructions = TRY(workflow::instructions_for(pinned, state, role));
  options.start.tools = tool_names(role);
  options.permissions = TRY(agent::PermissionPolicy::make({role.tools, {}, false}));
  return options;
}

Result<void> check_drivers(const env::World& world, const DriverCheck& check) {
  std::vector<std::string> without_script;
  for (const auto& name : workflow::roles_within(check.workflow, check.entry)) {
    const workflow::Role& role = check.workflow.roles.at(name);
    if (role.is_native) continue;
    auto options = driver_options(check.setup, role);
    if (!options) return fail(options.error().within("role " + name));
    const auto usable = options->driver->check(world, options->start);
    if (usable) continue;
    // Its own words name the flag of another command.
    if (options->driver->needs().script)
      without_script.push_back(name);
    else
      return fail(usable.error().within("role " + name));
  }
  return check_scripts(check, without_script);
}

}  // namespace teamster::engine
