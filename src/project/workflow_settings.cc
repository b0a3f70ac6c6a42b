#include "project/workflow_settings.h"

#include <fmt/format.h>

#include "agent/driver_choice.h"

namespace teamster::engine {

Result<workflow::Configuration> configuration_for(const workflow::Workflow& workflow,
                                                  const std::map<std::string, Setting>& settings) {
  const std::string prefix = fmt::format("workflows.{}.", workflow.name);
  workflow::Configuration configuration;
  for (const auto& [name, setting] : settings)
    if (name.starts_with(prefix)) configuration[name.substr(prefix.size())] = setting.value;
  const auto refuse = [&](const std::string& name, const std::string& what) {
    const Setting& setting = settings.at(prefix + name);
    return fail(Code::invalid, fmt::format("{}: {}{}: {}", setting.place, prefix, name, what),
                fmt::format("See what {0} has with `teamster workflow show {0}`", workflow.name));
  };
  for (const auto& [name, value] : configuration) {
    if (settings.at(prefix + name).is_list) return refuse(name, "a list cannot stand here");
    if (!name.ends_with(".driver")) continue;
    if (const auto choice = agent::DriverChoice::parse(value); !choice) return refuse(name, choice.error().text());
  }
  if (const auto problems = workflow::problems_of(configuration, workflow); !problems.empty())
    return refuse(problems.front().first, problems.front().second);
  return configuration;
}

}  // namespace teamster::engine
