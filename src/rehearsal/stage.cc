#include "rehearsal/stage.h"

#include <csignal>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/temporary_directory.h"
#include "base/json_fields.h"
#include "base/limits.h"
#include "base/run_name.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "engine/run_drivers.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/loop.h"
#include "env/random.h"
#include "env/shared_clock.h"
#include "project/program.h"
#include "protocol/client/call.h"
#include "protocol/client/client.h"
#include "protocol/client/hub_calls.h"
#include "protocol/client/run_calls.h"
#include "rehearsal/fault_record.h"
#include "rehearsal/people.h"
#include "script/rehearsal_place.h"
#include "script/script.h"
#include "workflow/format/entry.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

constexpr int kEnginesMax = 100;
constexpr Duration kHubEndsWithin = 5s;
constexpr Duration kLookForHubEvery = 10ms;
constexpr const char* kPeopleFile = "/people.json";
constexpr const char* kStakeholdersFile = "/stakeholders.yaml";
// What the rehearsal needs beside the project is hidden in it from git.
constexpr const char* kBeside = "/.git/rehearsal";

Result<void> write_files(env::Files& files, const std::string& directory, const FileContents& contents) {
  for (const auto& [name, content] : contents) {
    const std::string path = directory + "/" + name;
    TRY_VOID(files.make_private_directory(path.substr(0, path.rfind('/'))));
    TRY_VOID(files.replace(path, content, 0644));
  }
  return {};
}

Result<bool> is_there(env::Files& files, const std::string& path) { return TRY(files.status(path)).has_value(); }

}  // namespace

Result<void> Stage::set() {
  TRY_VOID(read_plan());
  TRY_VOID(check());
  TRY_VOID(make_directory());
  TRY_VOID(make_repository());
  TRY_VOID(make_home());
  is_set_ = true;
  return {};
}

Stage::~Stage() {
  engine_.reset();
  if (has_played_) stop_hub();
  // Agents of a home with a long path have their temporary files elsewhere.
  if (!home_.empty()) (void)world_.files.remove_tree(agent::temporary_root_of(hub::Home(home_)));
  if (directory_.empty() || (is_set_ && !options_.keep.empty())) return;
  // What cannot be removed is nobody's business here: the user finds it where temporary files are.
  if (!directory_was_there_) {
    (void)world_.files.remove_tree(directory_);
    return;
  }
  const auto names = world_.files.list(directory_);
  if (!names) return;
  for (const auto& name : *names) (void)world_.files.remove_tree(directory_ + "/" + name);
}

// --- what is checked first

Result<void> Stage::read_plan() {
  workflow_ = TRY(load_checked(options_.workflow));
  // A project of the user's own needs none; the plan may still have the arguments.
  auto plan = Plan::read(options_.workflow.name, options_.workflow.bundle);
  if (!plan && (options_.project.empty() || plan.error().code != Code::not_found)) return fail(plan.error());
  if (plan) plan_ = *std::move(plan);
  if (options_.project.empty()) files_ = TRY(planned_files(plan_, options_.workflow.bundle));
  scripts_ = options_.scripts;
  if (scripts_.empty() && !options_.project.empty()) scripts_ = options_.project + "/rehearsal";
  return {};
}

Result<void> Stage::check() {
  std::vector<workflow::Workflow> all = sub_workflows(options_.places, workflow_, SubWorkflows::all);
  all.push_back(workflow_);
  for (const auto& fault : options_.faults) TRY_VOID(check_fault(fault, all));
  TRY_VOID(check_scripts(workflow_, workflow_.entries.empty() || arguments().empty() ? "" : arguments().front()));
  for (const auto& each : sub_workflows(options_.places, workflow_, SubWorkflows::sure_to_come))
    TRY_VOID(check_scripts(each, ""));
  if (!scripts_.empty() && TRY(is_there(world_.files, scripts_ + kPeopleFile)))
    TRY_VOID(read_people(world_.files, scripts_ + kPeopleFile));
  if (!options_.project.empty()) TRY_VOID(check_project());
  run_ = fmt::format("{}{}", run_name_stem(workflow_.name, world_.clock.wall_now()), world_.random.hex(2));
  return {};
}

// Each is read, so that a mistake in one is told now and not in the middle.
Result<void> Stage::check_scripts(const workflow::Workflow& workflow, const std::string& entry) const {
  engine::RunSetup setup;
  setup.driver = "script";
  setup.scripts = scripts_;
  if (!scripts_.empty()) {
    const auto usable = engine::check_drivers(world_, {workflow, setup, entry, "--script"});
    if (!usable && usable.error().code == Code::not_found)
      return fail(Code::not_found, usable.error().what, usable.error().next + "; --init writes some to begin with");
    if (!usable) return fail(usable.error());
  }
  for (const auto& name : workflow::roles_within(workflow, entry)) {
    if (workflow.roles.at(name).is_native) continue;
    const std::string file = name + ".json";
    if (scripts_.empty() && files_.scripts.count(file) == 0)
      return fail(Code::not_found,
                  fmt::format("{} has no script rehearsal/{}",
                              plan_.project.empty() ? "the workflow" : "the project " + plan_.project, file),
                  "Write it, or name a directory with ROLE.json of each role: --script DIRECTORY");
    const std::string path = scripts_.empty() ? file : scripts_ + "/" + file;
    const std::string text =
        scripts_.empty() ? files_.scripts.at(file) : TRY(world_.files.read(path, limits::kScriptMaxBytes));
    TRY_VOID(script::parse_script(text, path));
  }
  return {};
}

Result<void> Stage::check_project() {
  const auto has_commit = run_program("git rev-parse --verify --quiet HEAD", options_.project);
  if (!has_commit)
    return fail(Code::invalid, fmt::format("{} is no git repository with a commit", options_.project),
                "A rehearsal plays on a copy of the last commit: git init, git add and git commit first");
  repository_ = std::string(trimmed(TRY(run_program("git rev-parse --show-toplevel", options_.project))));
  prefix_ = std::string(trimmed(TRY(run_program("git rev-parse --show-prefix", options_.project))));
  if (prefix_.ends_with('/')) prefix_.pop_back();
  return {};
}

// --- what is written then

Result<void> Stage::make_directory() {
  env::Files& files = world_.files;
  std::string made = options_.keep;
  if (made.empty()) {
    const std::string place = world_.processes.variable("TMPDIR").value_or("");
    made = fmt::format("{}/teamster-rehearsal-{}", place.empty() ? "/tmp" : place, world_.random.hex(8));
  } else if (TRY(is_there(files, made))) {
    if (!TRY(files.list(made)).empty())
      return fail(Code::refused, fmt::format("{} is not empty", made), "Name a directory that is not there yet");
    directory_was_there_ = true;
  }
  TRY_VOID(files.make_private_directory(made));
  directory_ = made;
  project_ = prefix_.empty() ? directory_ : directory_ + "/" + prefix_;
  home_ = directory_ + kBeside + "/home";
  return {};
}

// A copy that knows nothing of where it came from: nothing that is played can be pushed there.
Result<void> Stage::make_repository() {
  constexpr const char* kIdentity = "git config user.name Rehearsal && git config user.email rehearsal@localhost";
  if (!options_.project.empty()) {
    TRY_VOID(run_program(fmt::format("git clone -q --no-hardlinks {} . && git remote remove origin && {}",
                                     as_shell_word(repository_), kIdentity),
                         directory_));
    return {};
  }
  TRY_VOID(write_files(world_.files, directory_, files_.project));
  TRY_VOID(run_program(
      fmt::format("git init -q . && {} && git add -A && git commit -q --allow-empty -m 'chore: begin'", kIdentity),
      directory_));
  if (!scripts_.empty()) return {};
  scripts_ = directory_ + kBeside + "/scripts";
  return write_files(world_.files, scripts_, files_.scripts);
}

// What makes a home that of a rehearsal. With a seed its clock stands, so that how long a process really takes
// changes nothing. Faults and people are there for whichever engine lives.
Result<void> Stage::make_home() {
  env::Files& files = world_.files;
  const std::string directory = script::rehearsal_directory(home_);
  TRY_VOID(files.make_private_directory(directory));
  const auto stands_at = options_.seed ? std::optional(world_.clock.wall_now()) : std::nullopt;
  TRY_VOID(files.replace(script::clock_of_rehearsal(directory), env::new_shared_clock(stands_at), 0600));
  if (options_.seed)
    TRY_VOID(files.replace(script::seed_of_rehearsal(directory), std::to_string(*options_.seed), 0600));
  TRY_VOID(FaultRecord(files, directory).save(options_.faults));
  if (!TRY(is_there(files, scripts_ + kPeopleFile))) return {};
  TRY_VOID(read_people(files, scripts_ + kPeopleFile));
  const std::string people = TRY(files.read(scripts_ + kPeopleFile, limits::kMetadataMaxBytes));
  return files.replace(people_file_of_rehearsal(directory), people, 0600);
}

// --- what is played

Result<Ending> Stage::play(const PlayedEngine::Output& output) {
  has_played_ = true;
  Ending ending;
  bool has_begun = false;
  for (int engines = 0; engines < kEnginesMax && interrupts_ == 0; ++engines) {
    const env::ExitStatus status = TRY(drive(has_begun, output));
    if (!status.signaled) {
      ending.exit = status.code;
      break;
    }
    output(fmt::format("the engine was killed by signal {}\n", status.code));
    if (interrupts_ > 0) break;
    // It may have written down how the run ended before.
    const auto status_then = TRY(status_of_run());
    has_begun = status_then.has_value();
    ending.status = status_then.value_or("");
    if (!ending.status.empty()) break;
  }
  ending.never_struck = FaultRecord(world_.files, script::rehearsal_directory(home_)).never_struck();
  stop_hub();
  return ending;
}

// The first engine begins the run, those that follow go on with it; before its first record there is none.
Result<env::ExitStatus> Stage::drive(bool has_begun, const PlayedEngine::Output& output) {
  EngineStart start{{}, home_, project_, options_.is_coloured};
  if (has_begun) {
    start.words = {"resume", run_};
  } else {
    // Behind the name of the workflow flags are its own, or else refused.
    start.words = {"run", options_.workflow_word, "--as", run_, "--driver", "script", "--scripts", scripts_};
    if (const std::string people = TRY(stakeholders()); !people.empty()) {
      start.words.emplace_back("--stakeholders");
      start.words.push_back(people);
    }
    start.words.insert(start.words.end(), arguments().begin(), arguments().end());
  }
  engine_ = TRY(PlayedEngine::start(world_, start, output));
  const env::ExitStatus status = engine_->wait();
  engine_.reset();
  return status;
}

// Those that were named, or else those beside the scripts.
Result<std::string> Stage::stakeholders() const {
  if (!options_.stakeholders.empty()) return options_.stakeholders;
  const std::string beside = scripts_ + kStakeholdersFile;
  return TRY(is_there(world_.files, beside)) ? beside : std::string();
}

void Stage::interrupt() {
  ++interrupts_;
  if (engine_) engine_->signal(interrupts_ == 1 ? SIGTERM : SIGKILL);
}

// Empty while it has not ended; nullopt: there is no such run yet.
Result<std::optional<std::string>> Stage::status_of_run() {
  hub::Client client(world_, hub::Home(home_), hub::Access::operator_of_home());
  const auto found = hub::ask_and_wait(client, hub::GetRun{run_});
  if (!found && found.error().code == Code::not_found) return std::optional<std::string>();
  if (!found) return fail(found.error());
  return std::optional(found->run.has_ended() ? found->run.status : std::string());
}

// And waits for its end: it would write into what is being removed.
void Stage::stop_hub() {
  if (!std::exchange(has_played_, false)) return;
  hub::Client client(world_, hub::Home(home_), hub::Access::operator_of_home());
  const auto status = hub::ask_and_wait(client, hub::GetHubStatus{});
  const auto hub = status ? world_.processes.identify(status->pid) : std::nullopt;
  (void)hub::ask_and_wait(client, hub::StopHub{});
  if (!hub) return;
  bool is_late = false;
  const env::Timer limit = world_.loop.after(kHubEndsWithin, [&] { is_late = true; });
  env::Timer look;
  const std::function<void()> look_again = [&] { look = world_.loop.after(kLookForHubEvery, look_again); };
  look_again();
  world_.loop.run_until([&] { return is_late || !world_.processes.is_alive(*hub); });
}

// To its end; what it printed. The error has what it said.
Result<std::string> Stage::run_program(const std::string& command, const std::string& directory) {
  std::optional<engine::ProgramOutcome> outcome;
  const auto program = TRY(engine::Program::start(world_, engine::shell_command(world_, command, directory),
                                                  [&](const engine::ProgramOutcome& ended) { outcome = ended; }));
  world_.loop.run_until([&] { return outcome.has_value() || interrupts_ > 0; });
  if (!outcome) return fail(Code::failed, "the rehearsal was interrupted");
  if (outcome->succeeded()) return outcome->answer;
  return fail(Code::failed, fmt::format("`{}` {}: {}", command, engine::describe(*outcome), outcome->output),
              "Is git installed?");
}

}  // namespace teamster::cli
