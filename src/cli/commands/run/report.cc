#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/text/run_text.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_report(Context& context, const Arguments& arguments) {
  const engine::RunService runs = TRY(runs_of(context));
  const engine::RunView view = TRY(runs.view(TRY(runs.meant(arguments.value("RUN")))));
  if (!view.has_ended())
    return fail(Code::not_found, fmt::format("run {} has no report yet: it is {}", view.run(), view.status()),
                fmt::format("Go on with `{}`", view.next()));
  const std::string status = view.status();
  const std::string& reason = view.reading.state().reason;
  std::string report = view.reading.report();
  // Of a run that was ended without its engine.
  if (report.empty()) report = fmt::format("{}: {}{}{}", view.run(), status, reason.empty() ? "" : ": ", reason);
  const auto& used = view.reading.state().usage;
  const workflow::RunUsage members = used.contains("run") ? used.at("run") : workflow::RunUsage{};
  if (context.wants_json())
    context.print_json(
        {{"run", view.run()},
         {"status", status},
         {"reason", reason},
         {"report", report},
         {"lead", {{"turns", 0}, {"tokens", 0}, {"cost_usd", 0}}},
         {"members", {{"turns", members.turns}, {"tokens", members.tokens}, {"cost_usd", members.usd}}}});
  else
    context.print(report_text(report) +
                  fmt::format("\nlead: 0 tokens, it is code; members: {}\n", run_usage_text(members)));
  return 0;
}

}  // namespace

Command report() {
  return {
      .path = "report",
      .topic = "Runs",
      .summary = "Show the last words of a run",
      .description = "The report that its workflow describes, or how it ended. Exit code 1 while it has not ended.",
      .hub = HubUse::reads,
      .positionals = {{.name = "RUN", .type = ValueType::run, .help = "Its name"}},
      .examples = {{"teamster report implement-spec-20261116-1a2b", "What was done?"}},
      .run = run_report,
  };
}

}  // namespace teamster::cli::commands
