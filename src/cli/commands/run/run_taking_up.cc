#include "cli/commands/run/run_taking_up.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/commands/run/run_view.h"
#include "project/project.h"
#include "project/workflow_place.h"
#include "engine/run_budget.h"

namespace teamster::cli {

Result<std::optional<std::string>> find_interrupted(Context& context, const std::string& workflow,
                                                    const std::string& key) {
  if (key.empty()) return std::optional<std::string>();
  Json args = Json::object();
  while (true) {
    const Json page = TRY(context.read("run.list", args));
    for (const auto& run : list_in(page, "runs")) {
      if (raw_text_in(run, "workflow") != workflow || raw_text_in(run, "key") != key) continue;
      const std::string id = raw_text_in(run, "run");
      if (!flag_in(object_in(run, "holder"), "alive")) return std::optional(id);
      return fail(Code::refused,
                  fmt::format("run {} of {} {} is under way in process {}", id, workflow, key,
                              number_in(object_in(run, "holder"), "pid")),
                  fmt::format("Watch it with `teamster watch {0}`, or end it with `teamster cancel {0}`", id));
    }
    if (!page.contains("next") || page["next"].is_null()) return std::optional<std::string>();
    args["after"] = page["next"];
  }
}

std::string key_of_sub_run(const std::string& parent) {
  return parent.size() <= limits::kKeyMaxBytes ? parent : to_hex(sha256(parent));
}

std::string key_in_project(const std::string& key, const std::string& project) {
  if (key.empty()) return key;
  const std::string whole = fmt::format("{} in {}", key, project);
  return whole.size() <= limits::kKeyMaxBytes ? whole : to_hex(sha256(whole));
}

Result<std::optional<std::string>> find_sub_run(const Context& context, const std::string& parent) {
  for (const auto& row : TRY(run_rows(context, false))) {
    const std::string run = raw_text_in(row, "run");
    const auto whole = context.read("run.get", {{"run", run}});
    if (whole && raw_text_in(object_in(*whole, "body"), "parent") == parent) return std::optional(run);
  }
  return std::optional<std::string>();
}

Result<std::optional<std::string>> find_ended_since(const Context& context, const std::string& workflow,
                                                    const std::string& key, WallTime since) {
  std::optional<std::string> found;
  for (const auto& row : TRY(run_rows(context, true))) {
    const auto started = parse_iso8601(raw_text_in(row, "started"));
    if (raw_text_in(row, "workflow") == workflow && raw_text_in(row, "key") == key && row.contains("ended") &&
        started && started->unix_ms >= since.unix_ms)
      found = raw_text_in(row, "run");
  }
  return found;
}

RunEnd end_of(const DrivenRun& run, const std::string& id, int code) {
  const workflow::RunState& state = run.state();
  return {code,
          {{"run", id}, {"status", state.status}, {"reason", state.reason}, {"report", run.report()}},
          run.report().empty() ? "" : "\n" + run.report() + "\n"};
}

int print_end(Context& context, const RunEnd& end) {
  if (context.wants_json())
    context.print_json(end.document);
  else
    context.print(end.text);
  return end.code;
}

Result<RunEnd> read_end(Context& context, const std::string& run) {
  const RunView view = TRY(view_run(context, run));
  const std::string& report = view.reading.report();
  return RunEnd{exit_code_of(view.status()),
                {{"run", run}, {"status", view.status()}, {"reason", view.reading.state().reason}, {"report", report}},
                fmt::format("{} is {}\n{}", run, view.status(), printable_block(report, ""))};
}

Result<DrivenRunOptions> read_run(Context& context, const std::string& run) {
  const Json answer = TRY(context.read("run.get", {{"run", run}}));
  DrivenRunOptions options{.home = TRY(context.home()), .pinned = {}, .setup = {}};
  options.setup = TRY(engine::RunSetup::from_json(object_in(answer, "body")));
  options.pinned.run = run;
  options.pinned.bundle =
      TRY(engine::load_bundle(context.outside().world().files, options.home, run, options.setup.digest));
  options.pinned.workflow = TRY(load_of_run(run, options.pinned.bundle));
  TRY_VOID(engine::apply_budget(options.setup.budget, options.pinned.workflow.budget));
  return options;
}

Result<void> check_project_of(const Context& context, const std::string& run) {
  const Json answer = TRY(context.read("run.get", {{"run", run}}));
  const auto setup = TRY(engine::RunSetup::from_json(object_in(answer, "body")));
  return engine::check_is_there({context.outside().world().files, setup.project});
}

Result<RunEnd> take_up_run(Context& context, const std::string& run, const TakingUp& how) {
  TRY_VOID(check_project_of(context, run));
  DrivenRunOptions options = TRY(read_run(context, run));
  options.waits = how.waits;
  options.is_sub_run = how.is_sub_run;
  DrivenRun driven(context, std::move(options));
  const int code = TRY(driven.resume());
  return end_of(driven, run, code);
}

}  // namespace teamster::cli
