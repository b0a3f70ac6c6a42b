#include "workflow/format/configuration.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster::workflow {
namespace {

// One thing that can be set, and where it is kept.
struct Setting {
  std::string name;
  std::string* text = nullptr;                       // of an agent
  std::function<void(Duration)> take_duration = {};  // of what takes time
};

void add_role(const std::string& name, Role& role, std::vector<Setting>& settings) {
  if (role.is_native) return;
  for (const auto& [key, text] :
       {std::pair{"driver", &role.driver}, std::pair{"model", &role.model}, std::pair{"effort", &role.effort}})
    settings.push_back({.name = fmt::format("roles.{}.{}", name, key), .text = text});
}

void add_phase(Phase& phase, std::vector<Setting>& settings) {
  const auto add = [&](const char* key, Duration& duration) {
    settings.push_back({.name = fmt::format("phases.{}.{}", phase.id, key),
                        .take_duration = [&duration](Duration given) { duration = given; }});
  };
  if (phase.kind == Phase::Kind::agent || phase.kind == Phase::Kind::fanout) add("limit", phase.limit);
  if (phase.kind == Phase::Kind::check || phase.kind == Phase::Kind::notify)
    if (phase.check) add("limit", phase.check->limit);
  if (!phase.question) return;
  add("remind", phase.question->remind);
  add("deadline", phase.question->deadline);
}

// The settings point into the workflow.
std::vector<Setting> settings_of(Workflow& workflow) {
  std::vector<Setting> settings;
  for (auto& [name, role] : workflow.roles) add_role(name, role, settings);
  for (auto& phase : workflow.phases) add_phase(phase, settings);
  settings.push_back({.name = "questions.remind",
                      .take_duration = [&workflow](Duration given) { workflow.questions.remind = given; }});
  settings.push_back({.name = "questions.deadline",
                      .take_duration = [&workflow](Duration given) { workflow.questions.deadline = given; }});
  // Of all steps: what the author said for some was not about this user's provider.
  settings.push_back({.name = "ladder.patience", .take_duration = [&workflow](Duration given) {
                        workflow.ladder.patience = given;
                        for (auto& [name, role] : workflow.roles) role.ladder.patience.reset();
                        for (auto& phase : workflow.phases) phase.ladder.patience.reset();
                      }});
  return settings;
}

std::string problem_with_value(const Setting& setting, const std::string& value) {
  if (setting.text != nullptr) return value.empty() ? "it is empty: leave it out" : "";
  const auto duration = parse_duration(value);
  if (duration && *duration > Duration::zero()) return "";
  return fmt::format("it must be a length of time, such as 30s, 5m or 2h, not {}", quoted(value, 80));
}

// Names of questions whose reminder would come too late.
std::vector<std::string> late_reminders(const Workflow& workflow) {
  std::vector<std::string> names;
  const auto is_late = [](Duration remind, Duration deadline) {
    return deadline > Duration::zero() && remind > deadline;
  };
  for (const auto& phase : workflow.phases)
    if (phase.question && is_late(phase.question->remind, phase.question->deadline))
      names.push_back(fmt::format("phases.{}.", phase.id));
  if (is_late(workflow.questions.remind, workflow.questions.deadline)) names.emplace_back("questions.");
  return names;
}

}  // namespace

std::vector<std::string> configurable_names(const Workflow& workflow) {
  Workflow copy = workflow;
  std::vector<std::string> names;
  for (const auto& setting : settings_of(copy)) names.push_back(setting.name);
  return names;
}

std::vector<std::pair<std::string, std::string>> problems_of(const Configuration& configuration,
                                                             const Workflow& workflow) {
  std::vector<std::pair<std::string, std::string>> problems;
  Workflow copy = workflow;
  const auto settings = settings_of(copy);
  for (const auto& [name, value] : configuration) {
    const auto found = std::find_if(settings.begin(), settings.end(),
                                    [&name = name](const Setting& setting) { return setting.name == name; });
    if (found != settings.end()) {
      if (std::string what = problem_with_value(*found, value); !what.empty()) problems.emplace_back(name, what);
      continue;
    }
    const auto meant = closest(name, configurable_names(workflow));
    problems.emplace_back(name, fmt::format("the workflow {} has nothing of this name{}", workflow.name,
                                            meant ? fmt::format(", did you mean {}?", *meant) : ""));
  }
  if (!problems.empty()) return problems;
  configure(copy, configuration);
  for (const auto& late : late_reminders(copy))
    for (const auto& [name, value] : configuration)
      if (name == late + "remind" || name == late + "deadline") {
        problems.emplace_back(name, "the reminder would come later than the deadline");
        break;
      }
  return problems;
}

void configure(Workflow& workflow, const Configuration& configuration) {
  if (configuration.empty()) return;
  for (auto& setting : settings_of(workflow)) {
    const auto given = configuration.find(setting.name);
    if (given == configuration.end() || !problem_with_value(setting, given->second).empty()) continue;
    if (setting.text != nullptr)
      *setting.text = given->second;
    else
      setting.take_duration(*parse_duration(given->second));
  }
}

}  // namespace teamster::workflow
