#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "cli/text/run_json.h"
#include "cli/text/run_text.h"

namespace teamster::cli::commands {
namespace {

constexpr std::size_t kEndedShown = 5;

Result<int> status_of_one(Context& context, const std::string& given) {
  const engine::RunService runs = TRY(runs_of(context));
  const engine::RunView view = TRY(runs.view(TRY(runs.meant(given))));
  if (context.wants_json())
    context.print_json(view_json_in_full(view));
  else
    context.print(run_text(context, view));
  return exit_code_of(view);
}

// Those under way, and the last that ended.
Result<std::vector<engine::RunView>> shown_runs(const Context& context, bool all) {
  const engine::RunService runs = TRY(runs_of(context));
  const auto rows = TRY(runs.list(true));
  std::size_t ended = 0;
  for (const auto& row : rows)
    if (row.has_ended()) ++ended;
  std::vector<engine::RunView> views;
  for (const auto& row : rows) {
    const bool is_old = row.has_ended() && ended-- > kEndedShown;
    if (is_old && !all) continue;
    auto view = runs.view_row(row);
    if (!view && view.error().code == Code::not_found) continue;  // gone meanwhile
    if (!view) return fail(view.error());
    views.push_back(*std::move(view));
  }
  return views;
}

Result<int> run_status(Context& context, const Arguments& arguments) {
  if (arguments.has("RUN")) {
    if (arguments.has("all")) return fail(Code::invalid, "--all and RUN exclude each other", "Leave one of them out");
    return status_of_one(context, arguments.value("RUN"));
  }
  const auto views = TRY(shown_runs(context, arguments.has("all")));
  if (context.wants_json()) {
    Json runs = Json::array();
    for (const auto& view : views) runs.push_back(view_json(view));
    context.print_json({{"runs", std::move(runs)}});
  } else if (views.empty()) {
    context.note("no runs; start one with `teamster run WORKFLOW`\n");
  } else {
    context.print(runs_text(context, views));
  }
  return views.empty() ? kExitNothing : kExitDone;
}

}  // namespace

Command status() {
  return {
      .path = "status",
      .topic = "Runs",
      .summary = "Show the runs, or everything about one",
      .description =
          "Without RUN: the runs under way and the last that ended, with what waits for a person. A status is running, "
          "waiting (for a person), interrupted (no process drives it), ending, done, blocked, failed or cancelled. "
          "With RUN the exit code is 0 when it is done or goes on, 1 when it ended otherwise, 4 when it waits for a "
          "person.",
      .hub = HubUse::reads,
      .positionals = {{.name = "RUN", .type = ValueType::run, .help = "Its name", .required = false}},
      .flags = {{.name = "all", .help = "Also those that ended before"}},
      .examples = {{"teamster status", "What goes on?"},
                   {"teamster status implement-spec-20261116-1a2b", "Its steps, loops, members and usage"},
                   {"teamster status --json | jq -r '.runs[] | select(.status == \"interrupted\").run'",
                    "Which can be resumed?"}},
      .run = run_status,
  };
}

}  // namespace teamster::cli::commands
