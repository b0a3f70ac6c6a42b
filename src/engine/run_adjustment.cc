#include "engine/run_adjustment.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "engine/run_budget.h"
#include "project/workflow_settings.h"
#include "workflow/format/configuration.h"

namespace teamster::engine {
namespace {

Json budget_json(const workflow::Budget& budget) {
  Json json = Json::object();
  if (budget.usd) json["usd"] = *budget.usd;
  if (budget.tokens) json["tokens"] = *budget.tokens;
  if (budget.turns) json["turns"] = *budget.turns;
  if (budget.time) json["time_ms"] = to_ms(*budget.time);
  return json;
}

tl::unexpected<Error> no_such_setting(const std::string& name, const workflow::Workflow& workflow) {
  std::vector<std::string> known;
  for (const auto& value : workflow.values)
    if (value.kind == workflow::Value::Kind::config) known.push_back(value.of);
  for (const auto& each : workflow::configurable_names(workflow))
    known.push_back(fmt::format("workflows.{}.{}", workflow.name, each));
  const auto meant = closest(name, known);
  return fail(Code::invalid,
              fmt::format("the setting {} means nothing to {}{}", quoted(name, 100), workflow.name,
                          meant ? fmt::format(", did you mean {}?", *meant) : ""),
              "What it was found to be when the run started stays; name a setting that the workflow uses");
}

}  // namespace

Result<workflow::told::Adjust> told_of(const RunAdjustment& adjustment, const workflow::Workflow& workflow) {
  workflow::told::Adjust told;
  std::map<std::string, Setting> of_workflow;
  const std::string prefix = fmt::format("workflows.{}.", workflow.name);
  for (const auto& each : adjustment.settings) {
    const auto [name, value] = TRY(parse_setting(each));
    bool is_known = name.starts_with(prefix);
    if (is_known) of_workflow[name] = {value, "--set", "--set"};
    for (const auto& known : workflow.values) {
      if (known.kind != workflow::Value::Kind::config || known.of != name) continue;
      told.values[known.name] = value;
      is_known = true;
    }
    if (!is_known) return no_such_setting(name, workflow);
  }
  told.configuration = TRY(configuration_for(workflow, of_workflow));
  if (!adjustment.budget.empty()) told.budget = budget_json(TRY(parse_budget(adjustment.budget)));
  return told;
}

}  // namespace teamster::engine
