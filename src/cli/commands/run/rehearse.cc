#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/shell_words.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "project/workflow_place.h"
#include "rehearsal/stage.h"
#include "rehearsal/stub_scripts.h"
#include "workflow/core/stakeholders.h"

namespace teamster::cli::commands {
namespace {

// Without a slash at its end; empty: the flag is not given.
std::string path_of(const Arguments& arguments, const char* flag) {
  if (!arguments.has(flag)) return {};
  std::string path = std::filesystem::absolute(arguments.value(flag)).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

Result<StageOptions> stage_options(Context& context, const Arguments& arguments) {
  const WorkflowPlaces places(context.outside().world().files, context.outside().variable);
  FoundWorkflow found = TRY(places.find(arguments.value("WORKFLOW")));
  const std::string word = found.from == "built-in" ? found.name : std::filesystem::absolute(found.path).string();
  StageOptions options{.workflow = std::move(found), .workflow_word = word, .places = places};
  options.arguments = arguments.values("ARGUMENT");
  options.project = path_of(arguments, "project");
  options.scripts = path_of(arguments, "script");
  options.keep = path_of(arguments, "keep");
  options.stakeholders = path_of(arguments, "stakeholders");
  if (!options.stakeholders.empty()) {
    const std::string text = TRY(context.outside().world().files.read(options.stakeholders, limits::kYamlMaxBytes));
    TRY_VOID(read_stakeholders(arguments.value("stakeholders"), text, TRY(load_checked(options.workflow))));
  }
  for (const auto& fault : arguments.values("fault")) options.faults.push_back(TRY(StagedFault::parse(fault)));
  if (arguments.has("seed")) options.seed = static_cast<std::uint64_t>(arguments.number("seed"));
  options.is_coloured = context.palette().is_on();
  return options;
}

// The run is in a home that other commands do not look at by themselves.
void say_how_to_look(const Context& context, const Stage& stage, bool is_kept) {
  if (!is_kept)
    return context.print(
        fmt::format("\nrun {} is gone with its rehearsal; `--keep DIRECTORY` keeps both to look at\n", stage.run()));
  context.print(fmt::format("\nkept in {}; look at its run with\n", stage.directory()));
  // On two lines that a shell takes for one, so that it can be pasted.
  context.print_as_it_is(
      fmt::format("  TEAMSTER_HOME={} \\\n    teamster report {}\n", as_shell_word(stage.home()), stage.run()));
  context.print("  (or status, log, replay)\n");
}

int code_of_ending(const Ending& ending) {
  const int code = ending.exit ? *ending.exit : exit_code_of(ending.status);
  return code == kExitDone && !ending.never_struck.empty() ? kExitNothing : code;
}

void print_ending(Context& context, const Arguments& arguments, const Stage& stage, const Ending& ending) {
  const bool is_kept = arguments.has("keep");
  Json never_struck = Json::array();
  for (const auto& fault : ending.never_struck) {
    never_struck.push_back(fault.text());
    if (!context.wants_json()) context.note(fmt::format("fault '{}' never struck\n", fault.text()));
  }
  if (!context.wants_json()) return say_how_to_look(context, stage, is_kept);
  context.print_json({{"workflow", arguments.value("WORKFLOW")},
                      {"run", stage.run()},
                      {"exit", code_of_ending(ending)},
                      {"seed", arguments.has("seed") ? Json(arguments.number("seed")) : Json()},
                      {"kept", is_kept ? Json(stage.directory()) : Json()},
                      {"home", is_kept ? Json(stage.home()) : Json()},
                      {"never_struck", std::move(never_struck)}});
}

// Scripts to begin with, for a workflow that has none; nothing is played.
Result<int> write_stubs(Context& context, const Arguments& arguments) {
  const StageOptions options = TRY(stage_options(context, arguments));
  std::string directory = options.scripts;
  if (directory.empty()) {
    // They go to the project, or to a workflow of the user's own.
    const bool is_built_in = options.workflow.from == "built-in";
    if (options.project.empty() && is_built_in)
      return fail(Code::invalid, "--init writes scripts for a project of yours, and none is named",
                  "Add --project DIRECTORY, or name where they go: --script DIRECTORY");
    directory = (options.project.empty() ? options.workflow.path : options.project) + "/rehearsal";
  }
  const FileContents scripts = TRY(stub_scripts(options.workflow, options.places));
  const auto written = TRY(write_stub_scripts(context.outside().world().files, directory, scripts));
  if (context.wants_json()) {
    context.print_json({{"workflow", options.workflow.name}, {"scripts", directory}, {"written", written}});
    return kExitDone;
  }
  for (const auto& path : written) context.print(fmt::format("wrote {}\n", path));
  std::vector<std::string> words = arguments.values("ARGUMENT");
  words.insert(words.begin(), arguments.value("WORKFLOW"));
  for (const char* flag : {"project", "script", "stakeholders"})
    if (arguments.has(flag)) words.insert(words.end(), {std::string("--") + flag, arguments.value(flag)});
  std::string line = "teamster rehearse";
  for (const auto& word : words) line += " " + as_shell_word(word);
  context.print("Each answers so that the run goes on; edit what agents do and people say. Play them with\n");
  context.print_as_it_is("  " + line + "\n");
  return kExitDone;
}

Result<int> run_rehearse(Context& context, const Arguments& arguments) {
  if (arguments.has("init")) return write_stubs(context, arguments);
  Stage stage(context.outside().kept_world(), TRY(stage_options(context, arguments)));
  std::vector<env::Registration> signals;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    signals.push_back(context.outside().watch_signal(number, [&] { stage.interrupt(); }));
  TRY_VOID(stage.set());
  if (arguments.has("seed") && !context.wants_json()) context.print(fmt::format("seed {}\n", arguments.number("seed")));
  const Ending ending = TRY(stage.play([&](std::string_view lines) {
    if (context.wants_json()) return;
    context.print(lines);
    context.outside().out.flush();
  }));
  print_ending(context, arguments, stage, ending);
  return code_of_ending(ending);
}

}  // namespace

Command rehearse() {
  return {
      .path = "rehearse",
      .topic = "Runs",
      .summary = "Play a whole run with scripted agents: no key, no tokens",
      .description =
          "Scripted agents are real processes that really edit files and run commands, in a scratch repository with an "
          "example project or a copy of yours; people answer from the script, and nobody waits for a time that only "
          "has "
          "to pass. Faults are struck at named points, each once, and the run has to get over them. Exit code 1 also "
          "when a fault has never struck.",
      .hub = HubUse::of_its_own,
      .positionals = {{.name = "WORKFLOW", .type = ValueType::workflow, .help = "Its name, or a directory"},
                      {.name = "ARGUMENT",
                       .help = "Words and flags as the workflow wants them, instead of those in its rehearsal.json",
                       .required = false,
                       .repeatable = true}},
      .flags = {{.name = "project",
                 .value = "DIRECTORY",
                 .type = ValueType::file,
                 .help = "A git repository of yours: its last commit is copied and played on, instead of the example"},
                {.name = "script",
                 .value = "DIRECTORY",
                 .type = ValueType::file,
                 .help = "Other scripts than rehearsal/ in the project: ROLE.json, people.json"},
                {.name = "init",
                 .help = "Write scripts to begin with, ROLE.json for each role and people.json, and play nothing; "
                         "those that are there are not overwritten"},
                {.name = "stakeholders",
                 .value = "FILE",
                 .type = ValueType::file,
                 .help = "YAML: who owns the run, who is to be asked, and what they know about"},
                {.name = "fault",
                 .value = "FAULT",
                 .help = "'crash|mute|slow|garbage MEMBER@STEP.ATTEMPT' or 'kill WHO@EVENT:STEP.ATTEMPT:before|after'",
                 .repeatable = true},
                {.name = "seed",
                 .value = "N",
                 .type = ValueType::count,
                 .help = "Permute who is ready first and how long scripted pauses take, the same way for the same N"},
                {.name = "keep",
                 .value = "DIRECTORY",
                 .type = ValueType::file,
                 .help = "Leave the scratch repository there, and the run to be looked at"}},
      .passes_flags = true,
      .examples = {{"teamster rehearse implement-spec --keep /tmp/notes", "A spec from text to commit, and look at it"},
                   {"teamster rehearse implement-spec --fault 'kill engine@step.done:verify.1:after'",
                    "The engine dies in the middle, and goes on"},
                   {"teamster rehearse implement-spec --fault 'crash builder@fix.1'", "An agent crashes"},
                   {"teamster rehearse implement-spec 03 --project . --script my-scripts", "In a copy of your project"},
                   {"teamster rehearse ./my-workflow --project . --init",
                    "Scripts for a workflow of your own, to be edited and played without --init"}},
      .run = run_rehearse,
  };
}

}  // namespace teamster::cli::commands
