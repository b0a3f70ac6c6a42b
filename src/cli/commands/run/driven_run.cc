#include "cli/commands/run/driven_run.h"

#include <csignal>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/exit_code.h"
#include "cli/text/printable.h"
#include "cli/commands/run/run_detaching.h"
#include "cli/text/run_lines.h"
#include "env/clock.h"
#include "keeper/kept_processes.h"
#include "keeper/process_tree.h"
#include "script/rehearsal_place.h"

namespace teamster::cli {

using workflow::RunCommand;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

int exit_code_of(const std::string& status) { return status == workflow::status::kDone ? kExitDone : kExitNothing; }

DrivenRun::DrivenRun(Context& context, DrivenRunOptions options)
    : context_(context),
      options_(std::move(options)),
      world_(context.outside().kept_world()),
      hub_(world_, options_.home, hub::Access::operator_of_home()),
      time_(make_rehearsal_time()),
      faults_(options_.faults, time_ ? time_->loop() : world_.loop,
              {.pid_of = [this](const std::string& whom) { return pid_of(whom); },
               .say = [this](const std::string& line) { say(line); }}) {
  engine::CrewOptions crew{.pinned = options_.pinned,
                           .member_options = [this](const workflow::Role& role,
                                                    const std::string& member) { return member_options(role, member); },
                           .on_note = [this](const std::string& member,
                                             const std::string& text) { say(fmt::format("  {}: {}", member, text)); },
                           .on_turn = [this](const std::string& member, const std::string& step,
                                             std::int64_t pid) { faults_.at_turn(member, step, pid); }};
  engine::RunEffectsOptions effects{.project = options_.setup.project, .crew = std::move(crew)};
  if (!options_.setup.driver.empty()) effects.sub_run_flags.push_back("--driver=" + options_.setup.driver);
  if (!options_.setup.scripts.empty()) effects.sub_run_flags.push_back("--scripts=" + options_.setup.scripts);
  if (!options_.people_file.empty()) effects.sub_run_flags.push_back("--people=" + options_.people_file);
  if (!options_.setup.stakeholders.empty())
    effects.sub_run_flags.push_back("--stakeholders=" + options_.setup.stakeholders);
  effects.on_question = [this](const RunCommand& question, bool again) { asked(question, again); };
  effects.on_notice = [this](const std::string& text) { say(text); };
  effects.on_halt = [this](const RunCommand& command) {
    waiting_for_ = command.id();
    say(fmt::format("{} may have been done before the crash, or not. Decide: teamster resume {} --decide {}=rerun|skip",
                    command.id(), options_.pinned.run, command.step));
  };
  effects.git_is_at_work = [](const std::string& directory) { return !keeper::programs_at("git", directory).empty(); };
  effects_ =
      std::make_unique<engine::RunEffects>(time_ ? time_->world() : world_, hub_, options_.home, std::move(effects));
  engine::RunHandlers handlers;
  handlers.on_record = [this](const engine::Recorded& recorded) { show(recorded); };
  handlers.on_point = [this](const engine::Point& point) { faults_.at_point(point); };
  handlers.on_over = [this](Result<void> outcome) { outcome_ = std::move(outcome); };
  engine::SnapshotFile snapshots(world_.files, options_.home, options_.pinned.run, options_.setup.digest);
  run_ = std::make_unique<engine::Run>(world_, hub_, options_.pinned, *effects_, std::move(handlers),
                                       engine::RunSnapshots{std::move(snapshots)});
}

// In the home of a rehearsal nobody has to wait.
std::unique_ptr<RehearsalTime> DrivenRun::make_rehearsal_time() {
  const std::string directory = script::rehearsal_directory(options_.home.path());
  if (!script::is_rehearsal(world_.files, directory)) return nullptr;
  RehearsalTimeOptions time{.directory = directory,
                            .put_clock_ahead = context_.outside().put_clock_ahead,
                            .agents_at_work = [this] { return agents_at_work(); },
                            .on_stuck = [this] { is_stuck_ = !waiting_for_.empty(); }};
  return std::make_unique<RehearsalTime>(world_, std::move(time));
}

std::optional<std::vector<std::int64_t>> DrivenRun::agents_at_work() const {
  if (!run_ || !run_->is_settled() || outcome_) return std::nullopt;
  std::vector<std::int64_t> pids;
  for (const auto& [id, open] : run_->state().open) {
    if (const auto turn = open.as<command::Turn>())
      pids.push_back(effects_->agent_pid(turn->member));
    else if (!open.is<command::Ask>() && !open.is<command::Wait>())
      return std::nullopt;
  }
  return pids;
}

Result<int> DrivenRun::start(const std::string& key, RunEvent started) {
  TRY_VOID(engine::save_bundle(world_.files, options_.home, options_.pinned.run, options_.pinned.bundle));
  say(fmt::format("run {}", options_.pinned.run));
  run_->start(key, std::move(started), options_.setup.json());
  return drive();
}

Result<int> DrivenRun::resume() {
  // What an engine that was killed together with its keeper has left.
  keeper::end_leftovers(world_.processes);
  say(fmt::format("run {}, resumed", options_.pinned.run));
  run_->resume();
  return drive();
}

Result<int> DrivenRun::drive() {
  std::vector<env::Registration> signals;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    signals.push_back(context_.outside().watch_signal(number, [this, number] {
      if (number == SIGINT) return interrupted();
      // A terminal that was closed does not mean that the work shall not be done. A sub-run is told to go when the
      // engine of its parent has died, and that one will be taken up.
      const bool cancels = number == SIGTERM && !options_.is_sub_run;
      cancels ? cancel() : leave(Leaving::to_nobody);
    }));
  world_.loop.run_until([this] { return is_over(); });
  if (leaving_ != Leaving::no && outcome_ && *outcome_) return left();
  if (!outcome_) {
    say(fmt::format("waits for a person: {}", waiting_for_));
    return kExitWaiting;
  }
  if (!*outcome_) return fail(outcome_->error());
  return exit_code_of(run_->state().status);
}

bool DrivenRun::is_over() const {
  return outcome_.has_value() || is_stuck_ || (!options_.waits && !waiting_for_.empty());
}

void DrivenRun::show(const engine::Recorded& recorded) {
  for (const auto& decided : recorded.record.commands)
    if (const auto end = decided.as<command::End>()) report_ = end->report;
  if (!options_.shows) return;
  for (const auto& line : lines_of(recorded)) say(line);
}

void DrivenRun::asked(const RunCommand& question, bool again) {
  if (const auto answer = options_.people(question)) {
    RunEvent answered = event_about(question, event::Done{.answer = *answer, .spoken = {.how = "script"}});
    return world_.loop.post([this, answered = std::move(answered)] { run_->hear(answered); });
  }
  waiting_for_ = question.id();
  const std::string id = fmt::format("{}/{}", options_.pinned.run, question.id());
  const auto& asks = question.get<command::Ask>();
  if (!again || options_.shows)
    say(fmt::format("{}\n  answer with: {}", asks.text,
                    asks.gate ? fmt::format("teamster approve {}   or   teamster reject {} TEXT", id, id)
                              : fmt::format("teamster answer {} TEXT", id)));
}

// Once: what the user can do. Twice: the run is cancelled, cleanly.
void DrivenRun::interrupted() {
  if (++interrupts_ > 1) return cancel();
  if (!context_.outside().input_is_terminal || !context_.outside().watch_input)
    return context_.note(
        fmt::format("The run goes on. The same signal again cancels it; to leave it to the background use --detach, "
                    "or SIGHUP and later: teamster resume {}\n",
                    options_.pinned.run));
  context_.note(
      "The run goes on. Enter: watch it again · d, Enter: leave it to the background · c, Enter, or Ctrl-C again: "
      "cancel it\n");
  choice_ = context_.outside().watch_input([this] { choose(); });
}

void DrivenRun::choose() {
  const auto line = context_.outside().read_line();
  // Not inside its own callback; and once only, whatever else comes on that line.
  world_.loop.post([this] { choice_.reset(); });
  interrupts_ = 0;
  if (line == "d") return leave(Leaving::to_background);
  if (line == "c") return cancel();
  context_.note("The run goes on.\n");
}

void DrivenRun::cancel() {
  if (std::exchange(is_cancelled_, true)) return;
  context_.note("cancelling\n");
  run_->hear(workflow::event_of(event::CancelAsked{{.by = "operator", .how = "terminal"}}));
}

void DrivenRun::leave(Leaving how) {
  if (leaving_ != Leaving::no || is_cancelled_) return;
  leaving_ = how;
  run_->let_go();
}

// Its agents end first: their conversations are taken up by whoever resumes it.
Result<int> DrivenRun::left() {
  effects_.reset();
  const std::string& run = options_.pinned.run;
  if (run_->state().has_ended()) return exit_code_of(run_->state().status);
  if (leaving_ == Leaving::to_nobody) {
    context_.note(fmt::format("Nobody drives run {0} now. Go on with: teamster resume {0}\n", run));
    return kExitNothing;
  }
  const DetachedRun detached = TRY(start_detached(context_, options_.home, run, {"resume", run}));
  say(detached.text());
  return kExitDone;
}

Result<agent::MemberOptions> DrivenRun::member_options(const workflow::Role& role, const std::string& member) {
  (void)member;
  const engine::RunSetup& setup = options_.setup;
  const auto own = setup.drivers.find(role.name);
  std::string driver = own != setup.drivers.end() ? own->second : setup.driver;
  if (driver.empty()) driver = role.driver.empty() ? "claude" : role.driver;
  agent::MemberOptions options;
  options.driver = TRY(agent::find_driver(driver));
  options.start.directory = setup.project;
  if (role.model != "default") options.start.model = role.model;
  if (!role.prompt.empty()) options.start.instructions = options_.pinned.bundle.at(role.prompt);
  if (!setup.scripts.empty()) options.start.script = fmt::format("{}/{}.json", setup.scripts, role.name);
  if (role.auth == "env") options.environment.login = agent::Login::env;
  options.permissions = TRY(agent::PermissionPolicy::make({role.tools, {}, false}));
  return options;
}

std::int64_t DrivenRun::pid_of(const std::string& whom) {
  if (whom == "engine") return world_.processes.self().pid;
  if (whom == "keeper") {
    const auto* kept = dynamic_cast<keeper::KeptProcesses*>(&world_.processes);
    return kept == nullptr ? 0 : kept->keeper_pid();
  }
  if (whom != "hub") return effects_->agent_pid(whom);
  const auto status = context_.read("hub.status", Json::object());
  return status ? number_in(*status, "pid") : 0;
}

void DrivenRun::say(const std::string& line) {
  if (context_.wants_json()) return;
  context_.print(printable_block(line, ""));
  context_.outside().out.flush();  // who watches wants to see it now
}

}  // namespace teamster::cli
