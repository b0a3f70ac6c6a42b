#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/people/question_reply.h"
#include "cli/commands/run/run_closing.h"
#include "cli/commands/run/run_taking_up.h"
#include "cli/commands/run/run_telling.h"
#include "cli/commands/run/run_view.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/waiting.h"
#include "cli/text/answer_fields.h"

namespace teamster::cli::commands {
namespace {

// Whether it ended in time.
Result<bool> wait_for_end(const Context& context, const std::string& run, std::int64_t after, Duration timeout) {
  const std::int64_t deadline = context.now().unix_ms + to_ms(timeout);
  while (true) {
    const std::int64_t left = deadline - context.now().unix_ms;
    if (left <= 0) return false;
    const Json page =
        TRY(context.read("run.events", {{"run", run}, {"after", after}}, std::chrono::milliseconds(left)));
    for (const auto& event : list_in(page, "events")) after = number_in(event, "n");
    if (flag_in(page, "ended")) return true;
    if (list_in(page, "events").empty()) return false;
  }
}

// RUN/STEP.ATTEMPT is the run that this step has started.
Result<std::string> run_meant(const Context& context, const std::string& given) {
  if (given.find('/') == std::string::npos) return given;
  const auto found = TRY(find_sub_run(context, given));
  if (found) return *found;
  return fail(Code::not_found, fmt::format("no run that {} has started is under way", given),
              "See all with `teamster status --all`");
}

Result<int> tell_its_engine(Context& context, const Arguments& arguments, const RunView& view) {
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  const std::string run = view.run();
  const workflow::told::Cancel cancel{speaker(context, arguments), kAtTerminal};
  const Json told = TRY(tell_run(context, run, cancel));
  const bool has_ended = TRY(wait_for_end(context, run, number_in(told, "n"), timeout));
  const std::string status = has_ended ? TRY(view_run(context, run)).status() : "ending";
  if (context.wants_json())
    context.print_json({{"run", run}, {"status", status}});
  else if (has_ended)
    context.print(fmt::format("{} is {}\n", run, status));
  else
    context.print(fmt::format("{} was told; see `teamster watch {}`\n", run, run));
  return has_ended ? kExitDone : kExitNothing;
}

Result<int> run_cancel(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot cancel runs", "Run it as the operator, without a token");
  const RunView view = TRY(view_run(context, TRY(run_meant(context, arguments.value("RUN")))));
  if (view.has_ended())
    return fail(Code::refused, fmt::format("run {} has ended: {}", view.run(), view.status()),
                fmt::format("See `teamster report {}`", view.run()));
  if (view.is_held()) return tell_its_engine(context, arguments, view);
  const std::string status = TRY(close_run(context, view, speaker(context, arguments)));
  if (context.wants_json())
    context.print_json({{"run", view.run()}, {"status", status}});
  else
    context.print(fmt::format("{} is {}\n", view.run(), status));
  return kExitDone;
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
      .positionals = {{.name = "RUN", .help = "Its name; or RUN/STEP.ATTEMPT, for the run that this step has started"}},
      .flags = {{.name = "as", .value = "NAME", .help = "Who cancels; your user name without it"},
                {.name = "timeout",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "How long to wait for its end",
                 .fallback = "60s"}},
      .examples = {{"teamster cancel implement-spec-20261116-1a2b", "End it and its team"}},
      .run = run_cancel,
  };
}

}  // namespace teamster::cli::commands
