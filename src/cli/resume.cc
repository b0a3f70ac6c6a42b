#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/answer.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/run_taking_up.h"

namespace teamster::cli::commands {
namespace {

// Without a name: the only one that nobody drives.
Result<std::string> interrupted_run(const Context& context) {
  const Json page = TRY(context.read("run.list", Json::object()));
  std::vector<std::string> found;
  for (const auto& run : list_in(page, "runs"))
    if (!flag_in(object_in(run, "holder"), "alive")) found.push_back(raw_text_in(run, "run"));
  if (found.empty()) return fail(Code::not_found, "no run waits to be resumed", "See all with `teamster status --all`");
  if (found.size() > 1)
    return fail(Code::invalid, fmt::format("{} runs can be resumed: {}", found.size(), fmt::join(found, ", ")),
                "Name one");
  return found.front();
}

// STEP=rerun or STEP=skip, told to the run before it is taken up.
Result<void> tell_decisions(const Context& context, const std::string& run, const std::vector<std::string>& given) {
  for (const auto& each : given) {
    const std::size_t equals = each.find('=');
    const std::string decision = equals == std::string::npos ? "" : each.substr(equals + 1);
    if (decision != "rerun" && decision != "skip")
      return fail(Code::invalid, fmt::format("--decide {} is neither STEP=rerun nor STEP=skip", each),
                  "The step's name is in `teamster status RUN`");
    Json body = {{"step", each.substr(0, equals)}, {"decision", decision}, {"by", "operator"}};
    TRY_VOID(context.write("run.tell", {{"run", run}, {"what", "decide"}, {"body", std::move(body)}}, {.step = each}));
  }
  return {};
}

Result<int> run(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot resume runs", "Run it as the operator, without a token");
  const std::string run = arguments.has("RUN") ? arguments.value("RUN") : TRY(interrupted_run(context));
  TRY_VOID(tell_decisions(context, run, arguments.values("decide")));
  return print_end(context, TRY(take_up_run(context, run, !arguments.has("no-wait"))));
}

}  // namespace

Command resume() {
  return {
      .path = "resume",
      .topic = "Runs",
      .summary = "Go on with a run that was interrupted",
      .description =
          "Reads the run's journal and goes on inside the phase where it was: what is settled is not done again, "
          "members "
          "come back with their context where their driver can resume. Where nobody can know whether something with "
          "side effects happened, you decide.",
      .hub = HubUse::writes,
      .positionals = {{.name = "RUN", .help = "Its name; the only interrupted one without it", .required = false}},
      .flags = {{.name = "decide",
                 .value = "STEP=HOW",
                 .help = "What becomes of a step that may have happened: rerun or skip",
                 .repeatable = true},
                {.name = "no-wait", .help = "Leave with exit code 4 when it waits for a person"}},
      .examples = {{"teamster resume", "The only run that was interrupted"},
                   {"teamster resume collab-20261116-04d2 --decide announce.1=skip",
                    "It was announced before the crash"}},
      .run = run,
  };
}

}  // namespace teamster::cli::commands
