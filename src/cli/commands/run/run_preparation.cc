#include "cli/commands/run/run_preparation.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/commands/run/project_settings.h"
#include "project/preconditions.h"
#include "project/project_values.h"
#include "env/clock.h"

namespace teamster::cli {
namespace {

Result<std::vector<engine::Skill>> needed_skills(const env::World& world, engine::PreconditionOptions options) {
  engine::Preconditions preconditions(world, std::move(options));
  std::optional<Result<std::vector<engine::Skill>>> checked;
  preconditions.check([&](Result<std::vector<engine::Skill>> outcome) { checked = std::move(outcome); });
  world.loop.run_until([&] { return checked.has_value(); });
  return *std::move(checked);
}

// A run of the workflow that a living process drives.
Result<std::string> active_run(const Context& context, const std::string& workflow) {
  const Json page = TRY(context.read("run.list", Json::object()));
  for (const auto& run : list_in(page, "runs"))
    if (raw_text_in(run, "workflow") == workflow && flag_in(object_in(run, "holder"), "alive"))
      return raw_text_in(run, "run");
  return std::string();
}

}  // namespace

Result<PreparedRun> prepare_run(Context& context, const workflow::Pinned& pinned, const RunRequest& request) {
  const env::World world = context.outside().world();
  const auto settings = TRY(read_settings(context, request.project, request.settings));
  const auto arguments = TRY(engine::resolve_arguments(pinned.workflow, request.words));
  const auto values = TRY(engine::resolve_values({world.files, request.project}, pinned.workflow, arguments,
                                                 [&](const std::string& name) -> std::optional<std::string> {
                                                   const auto found = settings.find(name);
                                                   if (found == settings.end()) return std::nullopt;
                                                   return found->second.value;
                                                 }));
  PreparedRun prepared;
  workflow::RunState state;
  state.args = arguments;
  state.values = values;
  prepared.key = TRY(workflow::short_text(pinned, {state}, pinned.workflow.key));
  prepared.started.args = state.args;
  prepared.started.values = state.values;
  prepared.ledger = TRY(engine::find_ledger(world.files, pinned, request.project, state));
  if (prepared.ledger) prepared.started.resume = prepared.ledger->resume;
  return prepared;
}

Result<void> check_preconditions(Context& context, const workflow::Pinned& pinned, const std::string& project,
                                 PreparedRun& prepared) {
  if (prepared.ledger) return {};
  workflow::event::Started& started = prepared.started;
  engine::PreconditionOptions conditions{project, pinned.workflow, started.args.get<engine::Arguments>(),
                                         started.values.get<engine::Values>()};
  conditions.active = TRY(active_run(context, pinned.workflow.name));
  std::vector<std::string> names;
  for (const auto& skill : TRY(needed_skills(context.outside().world(), std::move(conditions))))
    names.push_back(skill.name);
  started.skills = std::move(names);
  return {};
}

Result<std::vector<std::string>> words_of_named(const workflow::Workflow& workflow,
                                                const std::vector<std::string>& given) {
  std::map<std::string, std::string> named;
  for (const auto& each : given) {
    const std::size_t equals = std::min(each.find('='), each.size());
    const std::string name = each.substr(0, equals);
    const bool is_known = std::any_of(workflow.args.begin(), workflow.args.end(),
                                      [&](const workflow::Argument& argument) { return argument.name == name; });
    if (!is_known || equals == each.size())
      return fail(Code::invalid, fmt::format("workflow {} has no argument {}", workflow.name, quoted(each, 80)),
                  fmt::format("See them with `teamster workflow show {}`", workflow.name));
    named[name] = each.substr(equals + 1);
  }
  std::vector<std::string> words;
  for (const auto& argument : workflow.args) {
    const auto found = named.find(argument.name);
    if (found == named.end() && !argument.fallback) break;  // missing; whoever resolves the words says so
    words.push_back(found == named.end() ? *argument.fallback : found->second);
  }
  return words;
}

std::string new_run_id(const Context& context, const std::string& workflow) {
  const std::string day = to_iso8601(context.now()).substr(0, 10);
  const std::string stem = fmt::format("{}-{}{}{}-", workflow, day.substr(0, 4), day.substr(5, 2), day.substr(8, 2));
  return free_run_id(stem, context.outside().world().random, [&](const std::string& run) {
    return context.read("run.get", {{"run", run}}).has_value();
  });
}

std::string free_run_id(const std::string& stem, env::Random& random,
                        const std::function<bool(const std::string& run)>& is_taken) {
  // Where they are nearly used up the hub refuses one that is taken.
  constexpr int kTriesMax = 100;
  std::string run = stem + random.hex(2);
  for (int tries = 1; tries < kTriesMax && is_taken(run); ++tries) run = stem + random.hex(2);
  return run;
}

}  // namespace teamster::cli
