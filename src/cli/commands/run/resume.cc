#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands/run/going_on.h"
#include "cli/framework/arguments.h"
#include "cli/framework/background_run.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/replying.h"
#include "cli/framework/run_at_terminal.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "project/state_file.h"

namespace teamster::cli::commands {
namespace {

// Those that nobody drives, oldest first.
Result<std::vector<std::string>> interrupted_runs(const engine::RunService& runs) {
  std::vector<std::string> found;
  for (const auto& run : TRY(runs.list(false)))
    if (!run.is_driven()) found.push_back(run.run);
  return found;
}

// Without a name: the only one that nobody drives.
Result<std::string> interrupted_run(const engine::RunService& runs) {
  const auto found = TRY(interrupted_runs(runs));
  if (found.empty()) return fail(Code::not_found, "no run waits to be resumed", "See all with `teamster status --all`");
  if (found.size() > 1)
    return fail(Code::invalid, fmt::format("{} runs can be resumed: {}", found.size(), join(found, ", ")),
                "Name one, or use --all");
  return found.front();
}

// STEP=rerun or STEP=skip, told to the run before it is taken up.
Result<void> tell_decisions(const Context& context, const engine::RunService& runs, const std::string& run,
                            const std::vector<std::string>& given) {
  for (const auto& each : given) {
    const std::size_t equals = each.rfind('=');
    const std::string decision = equals == std::string::npos ? "" : each.substr(equals + 1);
    if (decision != workflow::verdict::kRerun && decision != workflow::verdict::kSkip)
      return fail(Code::invalid, fmt::format("--decide {} is neither STEP=rerun nor STEP=skip", each),
                  "The step's name is in `teamster status RUN`");
    TRY_VOID(runs.decide(run, each.substr(0, equals), decision, user_name(context)));
  }
  return {};
}

// The run under way of which the file is the state, if there is one.
Result<std::optional<std::string>> live_run_of(const engine::RunService& runs, const engine::StateOwner& owner,
                                               const std::string& project) {
  std::vector<std::string> found;
  for (const auto& row : TRY(runs.list(false))) {
    if (row.workflow != owner.workflow || TRY(runs.is_sub_run(row.run))) continue;
    if (row.run == owner.run) return std::optional(row.run);
    const auto pinned = runs.pinned(row.run);
    if (!owner.run.empty() || !pinned || pinned->setup.project != project) continue;
    const workflow::RunState state = TRY(runs.view_row(row)).reading.state();
    const Json& args = state.args;
    if (!owner.entry.empty() && state.entry != owner.entry) continue;
    const auto& wanted = owner.arguments.items();
    if (std::all_of(wanted.begin(), wanted.end(),
                    [&](const auto& each) { return args.value(each.key(), Json()) == each.value(); }))
      found.push_back(row.run);
  }
  if (found.empty()) return std::optional<std::string>();
  if (found.size() == 1) return std::optional(found.front());
  return fail(Code::invalid, fmt::format("{} runs have this state: {}", found.size(), join(found, ", ")),
              "Name one: `teamster resume RUN`");
}

// A run that is there goes on as it was started; what a file says and no run knows begins as `run` would, with the same
// checks.
Result<int> take_up_state(Context& context, const Arguments& arguments) {
  if (arguments.has("RUN") || arguments.has("decide") || arguments.has("all"))
    return fail(Code::invalid, "--state names what goes on, so RUN, --all and --decide mean nothing",
                "Leave one of them out");
  env::Files& files = context.outside().world().files;
  const WorkflowPlaces places(files, context.outside().variable);
  const engine::StateOwner owner = TRY(engine::owner_of_state(files, places, arguments.value("state")));
  const engine::RunService runs = TRY(runs_of(context));
  if (const auto live = TRY(live_run_of(runs, owner, std::filesystem::current_path().string()))) {
    RunAtTerminal terminal(context, TRY(context.home()), {.waits = !arguments.has("no-wait")});
    return print_end(context, TRY(terminal.take_up(runs, *live)));
  }
  return run_from_state(context, arguments, owner,
                        arguments.has("no-wait") ? std::vector<std::string>{"--no-wait"} : std::vector<std::string>());
}

// Each in a process of its own, in the background: none waits for another.
Result<int> resume_all(Context& context, const Arguments& arguments) {
  if (arguments.has("RUN") || arguments.has("decide"))
    return fail(Code::invalid, "--all resumes every run, so RUN and --decide mean nothing", "Leave one of them out");
  const engine::RunService runs = TRY(runs_of(context));
  const hub::Home home = TRY(context.home());
  Json resumed = Json::array();
  int code = kExitDone;
  for (const auto& row : TRY(runs.list(false))) {
    const std::string& run = row.run;
    // A sub-run goes on with the run above it.
    if (row.is_driven() || TRY(runs.is_sub_run(run))) continue;
    const auto background = start_in_background(context, home, run, {"resume", run});
    Json entry = background ? background->json() : Json{{"run", run}, {"error", background.error().text()}};
    if (!background) code = kExitNothing;
    if (!context.wants_json())
      context.print(background ? background->text()
                               : fmt::format("{}: {}\n", run, printable_line(background.error().text())));
    resumed.push_back(std::move(entry));
  }
  if (context.wants_json())
    context.print_json({{"runs", resumed}});
  else if (resumed.empty())
    context.note("no run waits to be resumed\n");
  return resumed.empty() ? kExitNothing : code;
}

Result<int> run_resume(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot resume runs", "Run it as the operator, without a token");
  if (arguments.has("state")) return take_up_state(context, arguments);
  for (const char* flag : {"driver", "scripts"})
    if (arguments.has(flag))
      return fail(Code::invalid, fmt::format("a run goes on as it was started: --{} is for --state", flag),
                  "Leave it out");
  const engine::RunAdjustment adjustment{arguments.values("set"), join(arguments.values("budget"), ",")};
  if (arguments.has("all") && !adjustment.empty())
    return fail(Code::invalid, "--set and --budget change one run, and --all resumes every one", "Name the run");
  if (arguments.has("all")) return resume_all(context, arguments);
  const engine::RunService runs = TRY(runs_of(context));
  const std::string run = arguments.has("RUN") ? TRY(runs.meant(arguments.value("RUN"))) : TRY(interrupted_run(runs));
  TRY_VOID(runs.check_project(run));
  const engine::RunView seen = TRY(runs.view(run));
  if (seen.has_ended() || arguments.has("from"))
    TRY_VOID(runs.reopen(run, arguments.has("from") ? arguments.value("from") : "", user_name(context)));
  if (!adjustment.empty()) TRY_VOID(runs.adjust(run, adjustment, user_name(context)));
  if (seen.is_held() && (arguments.has("from") || !adjustment.empty())) {
    context.note(fmt::format("{} {} in the process that drives it: teamster watch {}\n", run,
                             arguments.has("from") ? "goes back to " + arguments.value("from") : "goes on so", run));
    return kExitDone;
  }
  TRY_VOID(tell_decisions(context, runs, run, arguments.values("decide")));
  RunAtTerminal terminal(context, TRY(context.home()), {.waits = !arguments.has("no-wait")});
  return print_end(context, TRY(terminal.take_up(runs, run)));
}

}  // namespace

Command resume() {
  return {
      .path = "resume",
      .topic = "Runs",
      .summary = "Go on with a run that was interrupted, blocked or failed",
      .description =
          "Reads the run's journal and goes on inside the phase where it was: what is settled is not done again, "
          "members "
          "come back with their context where their driver can resume. Where nobody can know whether something with "
          "side effects happened, you decide. A run that ended blocked or failed is reopened: it goes on with the "
          "phase "
          "where it stood, or with --from at an earlier one, whose answers and those behind it are given anew. With "
          "--state it goes on with what a file says is under way: the manifest "
          "of a workflow's ledger or the file of its `state`, whoever wrote it: the run under way that has this state, "
          "or a new one with the arguments that path and file say.",
      .hub = HubUse::writes,
      .positionals = {{.name = "RUN",
                       .type = ValueType::run,
                       .help = "Its name; the only interrupted one without it",
                       .required = false}},
      .flags = {{.name = "all", .help = "Every run that nobody drives, each in the background: after a reboot"},
                {.name = "state",
                 .value = "FILE",
                 .type = ValueType::file,
                 .help = "Go on with this instead, as progress/spec-08/manifest.json"},
                {.name = "driver",
                 .value = "DRIVER",
                 .help = "With --state: how agents are run, as of `teamster run`",
                 .repeatable = true},
                {.name = "scripts",
                 .value = "DIRECTORY",
                 .type = ValueType::file,
                 .help = "With --state, of the script driver: where ROLE.json are"},
                {.name = "set",
                 .value = "NAME=VALUE",
                 .help = "A setting from now on, as checks.test='make test' or workflows.NAME.roles.ROLE.model=MODEL",
                 .repeatable = true},
                {.name = "budget",
                 .value = "AMOUNT",
                 .help = "What the whole run may use at most from now on; a question for a spent one is settled by it",
                 .repeatable = true},
                {.name = "from",
                 .value = "PHASE",
                 .help = "Go back to this phase: what was answered before it stays, it and what follows is done again"},
                {.name = "decide",
                 .value = "STEP=HOW",
                 .help = "What becomes of a step that may have happened: rerun or skip",
                 .repeatable = true},
                {.name = "no-wait", .help = "Leave with exit code 4 when it waits for a person"}},
      .examples = {{"teamster resume", "The only run that was interrupted"},
                   {"teamster resume --all", "After a reboot: everything that was under way"},
                   {"teamster resume 04d2 --from design", "Do the design and all behind it again"},
                   {"teamster resume 04d2 --budget 20usd --set workflows.collab.roles.writer.model=opus",
                    "With more money and another model"},
                   {"teamster resume --state progress/spec-08/manifest.json", "What somebody else has begun"},
                   {"teamster resume --state .my-state.json", "By the file that other programs read"},
                   {"teamster resume collab-20261116-04d2 --decide announce.1=skip",
                    "It was announced before the crash"}},
      .run = run_resume,
  };
}

}  // namespace teamster::cli::commands
