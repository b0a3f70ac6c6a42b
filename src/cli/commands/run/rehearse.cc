#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/line_reader.h"
#include "builtin/files.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/loop.h"
#include "env/processes.h"
#include "env/real/clock.h"
#include "project/program.h"
#include "project/workflow_place.h"
#include "protocol/client/client.h"
#include "rehearsal/rehearsal_faults.h"
#include "script/rehearsal_place.h"

namespace teamster::cli::commands {
namespace {

using namespace std::chrono_literals;

struct Rehearsal {
  std::string directory;  // everything is in it
  std::string project;    // the scratch repository
  std::string scripts;
  std::string home;
  std::vector<std::string> words;
  std::string seed;
};

// What the workflow brings for its rehearsal: an example project and the arguments.
Result<Json> plan_of(const FoundWorkflow& found) {
  const auto file = found.bundle.find("rehearsal.json");
  if (file == found.bundle.end())
    return fail(Code::not_found, fmt::format("workflow {} has no rehearsal.json", found.name),
                R"(It names an example project and arguments: {"project": "notes", "arguments": ["01"]})");
  auto plan = parse_json(file->second);
  if (!plan) return fail(plan.error().within("rehearsal.json"));
  TRY_VOID(string_field(*plan, "project"));
  return plan;
}

Result<void> write_files(env::Files& files, const std::string& directory,
                         const std::map<std::string, std::string>& contents) {
  for (const auto& [name, content] : contents) {
    const std::string path = directory + "/" + name;
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    if (error) return fail(Code::failed, fmt::format("cannot make the directory of {}: {}", path, error.message()));
    TRY_VOID(files.replace(path, content, 0644));
  }
  return {};
}

Result<std::string> scratch_directory(const Arguments& arguments) {
  if (arguments.has("keep")) {
    const std::filesystem::path keep = std::filesystem::absolute(arguments.value("keep")).lexically_normal();
    std::error_code error;
    if (std::filesystem::exists(keep, error) && !std::filesystem::is_empty(keep, error))
      return fail(Code::refused, fmt::format("{} is not empty", keep.string()),
                  "Name a directory that is not there yet");
    std::filesystem::create_directories(keep, error);
    if (error) return fail(Code::failed, fmt::format("cannot make {}: {}", keep.string(), error.message()));
    return keep.string();
  }
  std::string made = std::filesystem::temp_directory_path().string() + "/teamster-rehearsal-XXXXXX";
  if (::mkdtemp(made.data()) == nullptr)
    return fail(Code::failed, fmt::format("cannot make {}", made), "Is the disk full? Set TMPDIR to another place");
  return made;
}

// To its end, on the loop; the error has what it said.
Result<void> run_program(const env::World& world, const std::string& command, const std::string& directory) {
  std::optional<engine::ProgramOutcome> outcome;
  const auto program = TRY(engine::Program::start(world, engine::shell_command(world, command, directory),
                                                  [&](const engine::ProgramOutcome& ended) { outcome = ended; }));
  world.loop.run_until([&] { return outcome.has_value(); });
  if (outcome->succeeded()) return {};
  return fail(Code::failed, fmt::format("`{}` {}: {}", command, engine::describe(*outcome), outcome->output),
              "Is git installed?");
}

// What makes a home that of a rehearsal. With a seed its clock stands, so that how long a process really takes
// changes nothing.
Result<void> set_clock(const env::World& world, const Arguments& arguments, Rehearsal& rehearsal) {
  const std::string directory = script::rehearsal_directory(rehearsal.home);
  TRY_VOID(world.files.make_private_directory(directory));
  const bool stands = arguments.has("seed");
  const std::string clock = env::real::new_shared_clock(stands ? std::optional(world.clock.wall_now()) : std::nullopt);
  TRY_VOID(world.files.replace(script::clock_of_rehearsal(directory), clock, 0600));
  if (!stands) return {};
  rehearsal.seed = std::to_string(arguments.number("seed"));
  return world.files.replace(script::seed_of_rehearsal(directory), rehearsal.seed, 0600);
}

Result<Rehearsal> set_stage(Context& context, const Arguments& arguments, const FoundWorkflow& found) {
  const Json plan = TRY(plan_of(found));
  const env::World world = context.outside().world();
  Rehearsal rehearsal;
  rehearsal.directory = TRY(scratch_directory(arguments));
  // What is kept is the project; what the rehearsal needs beside it is hidden in it from git.
  rehearsal.project = rehearsal.directory;
  const std::string beside = rehearsal.directory + "/.git/rehearsal";
  rehearsal.scripts = beside + "/scripts";
  rehearsal.home = beside + "/home";
  for (const auto& word : list_in(plan, "arguments")) rehearsal.words.push_back(word.get<std::string>());
  auto project = builtin::files_below("examples/" + raw_text_in(plan, "project"));
  std::map<std::string, std::string> scripts;
  for (auto it = project.begin(); it != project.end();) {
    constexpr std::string_view kScripts = "rehearsal/";
    if (!it->first.starts_with(kScripts)) {
      ++it;
      continue;
    }
    scripts[it->first.substr(kScripts.size())] = it->second;
    it = project.erase(it);
  }
  if (project.empty())
    return fail(Code::not_found, fmt::format("there is no example {}", raw_text_in(plan, "project")));
  TRY_VOID(write_files(world.files, rehearsal.project, project));
  TRY_VOID(run_program(world,
                       "git init -q . && git config user.name Rehearsal && git config user.email rehearsal@localhost "
                       "&& git add -A && git commit -q -m 'chore: begin'",
                       rehearsal.project));
  if (arguments.has("script"))
    rehearsal.scripts = std::filesystem::absolute(arguments.value("script")).lexically_normal().string();
  else
    TRY_VOID(write_files(world.files, rehearsal.scripts, scripts));
  TRY_VOID(set_clock(world, arguments, rehearsal));
  return rehearsal;
}

// The engine as a process of its own, so that faults may kill it. Its output is ours.
Result<env::ExitStatus> run_engine(Context& context, const Rehearsal& rehearsal, std::vector<std::string> words) {
  const env::World world = context.outside().kept_world();
  env::Spawn spawn;
  spawn.program = world.processes.own_executable();
  spawn.arguments = {spawn.program};
  spawn.arguments.insert(spawn.arguments.end(), words.begin(), words.end());
  for (const auto& variable : world.processes.environment())
    if (!variable.starts_with("TEAMSTER_")) spawn.environment.push_back(variable);
  spawn.environment.push_back("TEAMSTER_HOME=" + rehearsal.home);
  // Its output goes to us, and ours to a terminal.
  if (context.palette().is_on()) spawn.environment.emplace_back("CLICOLOR_FORCE=1");
  spawn.directory = rehearsal.project;
  const auto child = TRY(world.processes.spawn(spawn));
  std::optional<env::ExitStatus> status;
  int open = 2;
  child->on_exit([&](env::ExitStatus ended) { status = ended; });
  LineReader output(limits::kAgentLineMaxBytes);
  LineReader errors(limits::kAgentLineMaxBytes);
  const auto pass_on = [&](env::Stream& stream, LineReader& lines) {
    stream.start({.on_bytes =
                      [&](std::string_view bytes) {
                        if (context.wants_json()) return;
                        lines.add(bytes);
                        while (const auto line = lines.next()) context.print(std::string(line->text) + "\n");
                        context.outside().out.flush();
                      },
                  .on_end = [&] { --open; },
                  .on_drained = [] {}});
  };
  pass_on(child->output(), output);
  pass_on(child->errors(), errors);
  // What it left behind may keep its pipes open.
  env::Timer drain;
  bool is_late = false;
  world.loop.run_until([&] {
    if (status && open > 0 && !drain) drain = world.loop.after(2s, [&] { is_late = true; });
    return status && (open == 0 || is_late);
  });
  return *status;
}

void stop_hub(const env::World& world, const Rehearsal& rehearsal) {
  hub::Client client(world, hub::Home(rehearsal.home), hub::Access::operator_of_home());
  (void)client.call_and_wait({"hub.stop", Json::object()});
}

// An engine may be killed after it has written down how the run ended.
std::optional<std::string> status_of_ended(const env::World& world, const Rehearsal& rehearsal) {
  hub::Client client(world, hub::Home(rehearsal.home), hub::Access::operator_of_home());
  const auto answer = client.call_and_wait({"run.list", {{"all", true}}});
  if (!answer) return std::nullopt;
  for (const auto& run : list_in(*answer, "runs"))
    if (run.contains("ended")) return raw_text_in(run, "status");
  return std::nullopt;
}

Result<int> play(Context& context, const Arguments& arguments, const Rehearsal& rehearsal, const std::string& name) {
  std::vector<std::string> words = {"run", name, "--driver", "script", "--scripts", rehearsal.scripts};
  if (const std::string people = rehearsal.scripts + "/people.json"; std::filesystem::exists(people))
    words.insert(words.end(), {"--people", people});
  // Each fault strikes once, so whoever comes after the engine that was killed has none.
  std::vector<std::string> again = words;
  for (const auto& fault : arguments.values("fault")) words.insert(words.end(), {"--fault", fault});
  for (auto* each : {&words, &again}) {
    each->emplace_back("--");
    each->insert(each->end(), rehearsal.words.begin(), rehearsal.words.end());
  }
  auto status = TRY(run_engine(context, rehearsal, words));
  constexpr int kResumesMax = 100;
  for (int resumed = 0; status.signaled && resumed < kResumesMax; ++resumed) {
    if (!context.wants_json()) context.print(fmt::format("the engine was killed by signal {}\n", status.code));
    if (const auto ended = status_of_ended(context.outside().world(), rehearsal)) {
      status = {.signaled = false, .code = exit_code_of(*ended)};
      break;
    }
    // It goes on with the run; before its first record there is none, and it begins one.
    status = TRY(run_engine(context, rehearsal, again));
  }
  stop_hub(context.outside().world(), rehearsal);
  return status.signaled ? kExitNothing : status.code;
}

Result<int> run_rehearse(Context& context, const Arguments& arguments) {
  for (const auto& fault : arguments.values("fault")) TRY_VOID(Fault::parse(fault));
  const FoundWorkflow found = TRY(
      WorkflowPlaces(context.outside().world().files, context.outside().variable).find(arguments.value("WORKFLOW")));
  TRY_VOID(load_checked(found));
  const Rehearsal rehearsal = TRY(set_stage(context, arguments, found));
  const std::string name = found.from == "built-in" ? found.name : std::filesystem::absolute(found.path).string();
  if (!rehearsal.seed.empty() && !context.wants_json()) context.print(fmt::format("seed {}\n", rehearsal.seed));
  const auto code = play(context, arguments, rehearsal, name);
  std::error_code error;
  std::filesystem::remove_all(rehearsal.project + "/.git/rehearsal", error);
  if (!arguments.has("keep")) std::filesystem::remove_all(rehearsal.directory, error);
  if (!code) return fail(code.error());
  if (context.wants_json())
    context.print_json({{"workflow", found.name},
                        {"exit", *code},
                        {"seed", rehearsal.seed.empty() ? Json() : Json(arguments.number("seed"))},
                        {"kept", arguments.has("keep") ? Json(rehearsal.directory) : Json()}});
  else if (arguments.has("keep"))
    context.print(fmt::format("kept in {}\n", rehearsal.directory));
  return *code;
}

}  // namespace

Command rehearse() {
  return {
      .path = "rehearse",
      .topic = "Runs",
      .summary = "Play a whole run with scripted agents: no key, no tokens",
      .description =
          "Scripted agents are real processes that really edit files and run commands, in a scratch repository with an "
          "example project; people answer from the script, and nobody waits for a time that only has to pass. Faults "
          "can be struck at named points, and the run has to "
          "get over them.",
      .hub = HubUse::none,
      .positionals = {{.name = "WORKFLOW", .type = ValueType::workflow, .help = "Its name, or a directory"}},
      .flags = {{.name = "script",
                 .value = "DIRECTORY",
                 .type = ValueType::file,
                 .help = "Other scripts than the example's: ROLE.json, people.json"},
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
                 .help = "Leave the scratch repository there"}},
      .examples = {{"teamster rehearse implement-spec --keep /tmp/notes", "A spec from text to commit, and look at it"},
                   {"teamster rehearse implement-spec --fault 'kill engine@step.done:verify.1:after'",
                    "The engine dies in the middle, and goes on"},
                   {"teamster rehearse implement-spec --fault 'crash builder@fix.1'", "An agent crashes"}},
      .run = run_rehearse,
  };
}

}  // namespace teamster::cli::commands
