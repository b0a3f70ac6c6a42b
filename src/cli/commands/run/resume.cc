#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/run/run_taking_up.h"
#include "cli/commands/run/run_telling.h"
#include "cli/commands/run/state_file.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/answer_fields.h"

namespace teamster::cli::commands {
namespace {

// Flags of `run` that matter where a run is begun from a file.
constexpr std::array kOfRun = {"driver", "scripts", "set", "budget"};

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
    if (decision != workflow::verdict::kRerun && decision != workflow::verdict::kSkip)
      return fail(Code::invalid, fmt::format("--decide {} is neither STEP=rerun nor STEP=skip", each),
                  "The step's name is in `teamster status RUN`");
    const workflow::told::Decide decide{each.substr(0, equals), decision, "operator"};
    TRY_VOID(tell_run(context, run, decide, {.step = each}));
  }
  return {};
}

// What a file says is under way goes on as `run` would, with the same checks.
Result<int> take_up_state(Context& context, const Arguments& arguments) {
  if (arguments.has("RUN") || arguments.has("decide"))
    return fail(Code::invalid, "--state names what goes on, so RUN and --decide mean nothing", "Leave one of them out");
  const StateOwner owner = TRY(owner_of_state(context, arguments.value("state")));
  std::vector<std::string> words;
  for (const char* flag : kOfRun)
    for (const auto& value : arguments.values(flag)) words.push_back(fmt::format("--{}={}", flag, value));
  if (arguments.has("no-wait")) words.emplace_back("--no-wait");
  words.insert(words.end(), {"--", owner.workflow});
  words.insert(words.end(), owner.words.begin(), owner.words.end());
  const Command command = run_workflow();
  return command.run(context, TRY(Arguments::parse(command, words, false)));
}

Result<int> run_resume(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot resume runs", "Run it as the operator, without a token");
  if (arguments.has("state")) return take_up_state(context, arguments);
  for (const char* flag : kOfRun)
    if (arguments.has(flag))
      return fail(Code::invalid, fmt::format("a run goes on as it was started: --{} is for --state", flag),
                  "Leave it out");
  const std::string run = arguments.has("RUN") ? arguments.value("RUN") : TRY(interrupted_run(context));
  TRY_VOID(tell_decisions(context, run, arguments.values("decide")));
  return print_end(context, TRY(take_up_run(context, run, {.waits = !arguments.has("no-wait")})));
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
          "side effects happened, you decide. With --state it goes on with what a file says is under way: the manifest "
          "of a workflow's ledger, whoever wrote it.",
      .hub = HubUse::writes,
      .positionals = {{.name = "RUN", .help = "Its name; the only interrupted one without it", .required = false}},
      .flags =
          {{.name = "state",
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
           {.name = "set", .value = "NAME=VALUE", .help = "With --state: a setting", .repeatable = true},
           {.name = "budget", .value = "AMOUNT", .help = "With --state: what it may use at most", .repeatable = true},
           {.name = "decide",
            .value = "STEP=HOW",
            .help = "What becomes of a step that may have happened: rerun or skip",
            .repeatable = true},
           {.name = "no-wait", .help = "Leave with exit code 4 when it waits for a person"}},
      .examples = {{"teamster resume", "The only run that was interrupted"},
                   {"teamster resume --state progress/spec-08/manifest.json", "What somebody else has begun"},
                   {"teamster resume collab-20261116-04d2 --decide announce.1=skip",
                    "It was announced before the crash"}},
      .run = run_resume,
  };
}

}  // namespace teamster::cli::commands
