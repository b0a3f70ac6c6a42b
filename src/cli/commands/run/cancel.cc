#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/left_teams.h"
#include "cli/framework/replying.h"
#include "cli/framework/runs.h"
#include "cli/framework/waiting.h"
#include "cli/framework/work_files.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_cancel(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot cancel runs", "Run it as the operator, without a token");
  const engine::RunService runs = TRY(runs_of(context));
  const std::string run = TRY(runs.meant(arguments.value("RUN")));
  TRY_VOID(check_spec_flags(arguments));
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  WorkFiles files;
  if (arguments.has("delete-spec")) {
    files.project = TRY(runs.pinned(run)).setup.project;
    files.paths = TRY(runs.files_of(run));
  }
  if (arguments.has("delete-spec") && files.paths.empty())
    return fail(Code::invalid, fmt::format("the workflow of {} has no files of its own to delete", run),
                "Leave --delete-spec out");
  const hub::Home home = TRY(context.home());
  const env::World world = context.outside().world();
  hub::Client hub(world, home, hub::Access::operator_of_home());
  const std::string status =
      TRY(runs.cancel(live_parts(context, world, world, hub, home), run, speaker(context, arguments), timeout));
  const bool has_ended = status != "ending";
  Json deleted = Json::array();
  if (has_ended) deleted = TRY(settle_work_files(context, arguments, runs, files, false));
  if (context.wants_json())
    context.print_json({{"run", run}, {"status", status}, {"deleted", std::move(deleted)}});
  else if (has_ended)
    context.print(fmt::format("{} is {}\n", run, status));
  else
    context.print(fmt::format("{} was told; see `teamster watch {}`\n", run, run));
  std::set<std::string> told;
  if (has_ended) warn_of_left_teams(context, told);
  return has_ended ? kExitDone : kExitNothing;
}

}  // namespace

Command cancel() {
  return {
      .path = "cancel",
      .topic = "Runs",
      .summary = "End a run",
      .description =
          "The run ends its sub-runs, its teams and itself; what its members did stays. Where no process drives it any "
          "more this command ends it. Exit code 1 when it has not ended in time: it goes on ending.",
      .hub = HubUse::writes,
      .positionals = {{.name = "RUN",
                       .type = ValueType::run,
                       .help = "Its name; or RUN/STEP.ATTEMPT, for the run that this step has started"}},
      .flags = {{.name = "as", .value = "NAME", .help = "Who cancels; your user name without it"},
                {.name = "timeout",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "How long to wait for its end",
                 .fallback = "60s"},
                {.name = "delete-spec", .help = "Then delete what it was about: the `files` of its workflow"},
                {.name = "keep-spec", .help = "Keep them, as without this flag"}},
      .examples = {{"teamster cancel implement-spec-20261116-1a2b", "End it and its team"},
                   {"teamster cancel ralph-20261118-1a2b --delete-spec", "And the spec's directory goes, too"}},
      .run = run_cancel,
  };
}

}  // namespace teamster::cli::commands
