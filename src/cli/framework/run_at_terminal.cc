#include "cli/framework/run_at_terminal.h"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "cli/framework/background_run.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/left_teams.h"
#include "cli/framework/replying.h"
#include "cli/text/printable.h"
#include "cli/text/run_lines.h"
#include "cli/text/run_text.h"
#include "keeper/kept_processes.h"
#include "people/replies.h"
#include "protocol/client/call.h"
#include "protocol/client/hub_calls.h"
#include "rehearsal/people.h"
#include "script/rehearsal_place.h"

namespace teamster::cli {

using workflow::RunCommand;

namespace {

// Records of a run that is taken up, shown again: what came with the last breath of the engine before.
constexpr std::int64_t kShownBefore = 4;

std::string how_to_answer(const people::Posting& posting) {
  return posting.is_gate ? fmt::format("teamster approve {0}\n        or with: teamster reject {0} TEXT", posting.id)
                         : fmt::format("teamster answer {} TEXT", posting.id);
}

}  // namespace

int print_end(Context& context, const RunEnd& end) {
  if (context.wants_json())
    context.print_json(end.document);
  else
    context.print(end.text);
  return end.code;
}

RunEnd end_of(const engine::RunView& view) {
  const std::string& report = view.reading.report();
  Json document = {{"run", view.run()}, {"status", view.status()}, {"reason", view.reading.state().reason}};
  document["report"] = report;
  return {exit_code_of(view), std::move(document),
          fmt::format("{} is {}\n{}", view.run(), view.status(), report_text(report))};
}

RunAtTerminal::RunAtTerminal(Context& context, const hub::Home& home, RunAtTerminalOptions options)
    : context_(context),
      options_(std::move(options)),
      world_(context.outside().kept_world()),
      hub_(world_, home, hub::Access::operator_of_home()),
      time_(make_rehearsal_time(script::rehearsal_directory(home.path()))),
      faults_(options_.faults, FaultRecord(world_.files, script::rehearsal_directory(home.path())),
              time_ ? time_->loop() : world_.loop,
              {.pid_of = [this](const std::string& whom) { return pid_of(whom); },
               .say = [this](const std::string& line) { say(line); }}),
      parts_(live_parts(context, world_, time_ ? time_->world() : world_, hub_, home)),
      calls_(hub_),
      terminal_([this](const std::string& line) {
        const std::string shown = printable_line(line);
        screen_.note((line.starts_with("? ") ? context_.palette().yellow(shown) : shown) + "\n");
      }),
      screen_(context, world_,
              {.live = [this](std::size_t columns) { return live_.text(columns, world_.clock.now()); },
               .is_typed_at = [this] { return input_ && (is_choosing_ || terminal_.is_asking()); },
               .is_at_work = [this] { return live_.is_at_work(); }}),
      replies_(terminal_.on_reply([this](const people::TransportReply& reply) { replied(reply); })),
      later_(world_.loop) {
  parts_.observer = observer();
  if (options_.people)
    parts_.people = options_.people;
  else if (time_)
    parts_.people = people_of_rehearsal(world_.files, script::rehearsal_directory(home.path()));
}

// What was typed and not read was for the run.
RunAtTerminal::~RunAtTerminal() {
  if (had_input_) context_.outside().drop_input();
}

engine::RunObserver RunAtTerminal::observer() {
  engine::RunObserver observer;
  observer.on_record = [this](const std::string& run, const engine::Recorded& record) { recorded(run, record); };
  observer.on_taken_up = [this](const std::string& run, const workflow::RunState& state) { taken_up(run, state); };
  observer.on_point = [this](const engine::Point& point) { faults_.at_point(point); };
  observer.on_turn = [this](const std::string& member, const std::string& step, std::int64_t pid) {
    faults_.at_turn(member, step, pid);
  };
  observer.on_note = [this](const std::string& line) { say(line); };
  observer.on_question = [this](const std::string& run, const RunCommand& question, bool again) {
    asked(run, question, again);
  };
  observer.on_question_over = [this](const std::string& run, const std::string& question, const std::string& by) {
    question_over(fmt::format("{}/{}", run, question), by);
  };
  observer.on_state = [this](const std::string& run, const workflow::RunState& state) {
    live_.state_is(run, state, world_.clock.now());
    screen_.changed();
  };
  observer.on_activity = [this](const std::string& run, const std::string& member, const agent::Activity& activity) {
    live_.agent_does(run, member, activity, world_.clock.now());
    screen_.changed();
  };
  return observer;
}

// In the home of a rehearsal nobody has to wait.
std::unique_ptr<RehearsalTime> RunAtTerminal::make_rehearsal_time(const std::string& directory) {
  if (!script::is_rehearsal(world_.files, directory)) return nullptr;
  RehearsalTimeOptions time{.directory = directory,
                            .put_clock_ahead = context_.outside().put_clock_ahead,
                            .agents_at_work = [this]() -> std::optional<std::vector<std::int64_t>> {
                              if (!run_ || outcome_) return std::nullopt;
                              return run_->agents_at_work();
                            },
                            .on_stuck = [this] { is_stuck_ = run_ && !run_->open_questions().empty(); }};
  return std::make_unique<RehearsalTime>(world_, std::move(time));
}

Result<RunEnd> RunAtTerminal::start(engine::RunToStart run) {
  if (!time_) warn_of_left_teams(context_, told_of_);
  run_ = std::make_unique<engine::LiveRun>(parts_, std::move(run.pinned), std::move(run.setup),
                                           [this](Result<void> outcome) { outcome_ = std::move(outcome); });
  TRY_VOID(run_->start(run.key, std::move(run.started)));
  say_line(fmt::format("run {}", context_.palette().bold(run_->name())));
  return drive();
}

Result<RunEnd> RunAtTerminal::take_up(const engine::RunService& runs, const std::string& run) {
  // Whoever looks now may have seen less than was recorded.
  if (const auto found = context_.ask(hub::GetRun{run}))
    shown_[run] = std::max<std::int64_t>(found->run.n - kShownBefore, 0);
  run_ = TRY(runs.take_up(parts_, run, [this](Result<void> outcome) { outcome_ = std::move(outcome); }));
  run_->take_up();
  return drive();
}

Result<RunEnd> RunAtTerminal::drive() {
  std::vector<env::Registration> signals;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    signals.push_back(context_.outside().watch_signal(number, [this, number] {
      if (number == SIGINT) return interrupted();
      // A terminal that was closed, or a machine that goes down, does not mean that the work shall not be done.
      leave(Leaving::to_nobody);
    }));
  had_input_ = context_.outside().input_is_terminal && context_.outside().watch_input;
  if (had_input_)
    input_ = context_.outside().watch_input([this](const std::optional<std::string>& line) { typed(line); });
  // Time in a rehearsal is not that of who watches.
  if (options_.shows && !time_) screen_.start();
  world_.loop.run_until([this] { return is_over(); });
  show_held();
  screen_.stop();
  if (leaving_ != Leaving::no && outcome_ && *outcome_) return left();
  if (!outcome_) {
    say(fmt::format("waits for a person: {}", join(run_->open_questions(), ", ")));
    return end(kExitWaiting);
  }
  if (!*outcome_) return fail(outcome_->error());
  if (!time_) warn_of_left_teams(context_, told_of_);
  return end(exit_code_of(run_->state().status));
}

RunEnd RunAtTerminal::end(int code) const {
  const workflow::RunState& state = run_->state();
  Json document = {{"run", run_->name()}, {"status", state.status}, {"reason", state.reason}};
  document["report"] = run_->report();
  return {code, std::move(document), run_->report().empty() ? "" : "\n" + report_text(run_->report())};
}

bool RunAtTerminal::is_over() const {
  return outcome_.has_value() || is_stuck_ || (!options_.waits && run_ && !run_->open_questions().empty());
}

// First what was recorded since somebody looked last, as far as that is known; then that it goes on.
void RunAtTerminal::taken_up(const std::string& run, const workflow::RunState& state) {
  live_.state_is(run, state, world_.clock.now());
  const std::string goes_on = taken_up_line(run, state);
  const auto shown = shown_.find(run);
  if (shown == shown_.end() || !options_.shows) return say_line(goes_on);
  held_[run];
  hub::ask(calls_, hub::ReadRun{.run = run, .after = shown->second},
           [this, run, goes_on](const Result<hub::ReadRun::Answer>& page) {
             if (page) show_before(run, *page);
             say_line(goes_on);
             show_held();
           });
}

void RunAtTerminal::show_held() {
  for (const auto& [run, records] : std::exchange(held_, {}))
    for (const auto& each : records) show(run, each);
}

void RunAtTerminal::show_before(const std::string& run, const hub::ReadRun::Answer& page) {
  engine::RunReading reading;
  reading.on_record = [this, &run](const workflow::RunState&, const engine::Recorded& each) { show(run, each); };
  for (const auto& event : page.items) reading.add(event);
}

void RunAtTerminal::recorded(const std::string& run, const engine::Recorded& recorded) {
  if (const auto held = held_.find(run); held != held_.end())
    held->second.push_back(recorded);
  else
    show(run, recorded);
}

void RunAtTerminal::show(const std::string& run, const engine::Recorded& recorded) {
  std::int64_t& shown = shown_[run];
  if (!options_.shows || recorded.n <= shown) return;
  shown = recorded.n;
  const std::string before = run == run_->name() ? "" : fmt::format("[{}] ", run);
  for (const auto& line : lines_of(recorded, context_.palette())) say_line(before + line);
}

void RunAtTerminal::asked(const std::string& run, const RunCommand& question, bool again) {
  const people::Posting posting =
      people::posting_of(fmt::format("{}/{}", run, question.id()), question.get<workflow::command::Ask>());
  postings_[posting.id] = posting;
  if (input_ && options_.waits) {
    // What was typed before a question is shown is no answer to it.
    if (!terminal_.is_asking()) context_.outside().drop_input();
    return terminal_.post(posting);
  }
  if (!again || options_.shows) say_how_to_answer(posting);
}

void RunAtTerminal::say_how_to_answer(const people::Posting& posting) {
  std::string text = fmt::format("{}: {}\n", people::heading_of(posting), posting.text);
  if (!posting.attach.empty()) text += fmt::format("see {}\n", posting.attach);
  for (const auto& line : people::option_lines(posting)) text += line + "\n";
  say(text + "answer with: " + how_to_answer(posting));
}

void RunAtTerminal::question_over(const std::string& id, const std::string& by) {
  const bool is_ours = postings_.erase(id) > 0 && !terminal_.is_waiting(id);
  // What is being typed was for this one, and not for the next.
  if (terminal_.is_asked(id)) context_.outside().drop_input();
  terminal_.withdraw(id, by.empty() ? "it is not asked any more" : fmt::format("{} answered it", by));
  if (input_ && is_ours && !by.empty() && by != user_name(context_))
    say(fmt::format("{}: {} answered it before you", id, by));
}

// The same way as an answer from anywhere else: what the run hears is in its journal.
void RunAtTerminal::replied(const people::TransportReply& reply) {
  const auto posting = postings_.find(reply.id);
  if (posting == postings_.end()) return;
  auto said = people::read_reply(posting->second, reply.text);
  if (!said) return say(said.error().text());
  const std::size_t slash = reply.id.find('/');
  said->question = reply.id.substr(slash + 1);
  said->by = user_name(context_);
  said->how = engine::kAtTerminal;
  hub::ask(calls_, engine::telling(reply.id.substr(0, slash), *std::move(said)),
           [this, id = reply.id](const Result<hub::WrittenRecord>& told) {
             if (!told) say(fmt::format("{} was not told: {}", id, told.error().text()));
           });
}

// Once: what the user can do. Twice: the run is cancelled, cleanly.
void RunAtTerminal::interrupted() {
  if (++interrupts_ > 1) return cancel();
  if (!input_)
    return screen_.note(
        fmt::format("The run goes on. The same signal again cancels it; to leave it to the background use --detach, "
                    "or SIGHUP and later: teamster resume {}\n",
                    run_->name()));
  is_choosing_ = true;
  offer_choice();
}

void RunAtTerminal::offer_choice() {
  screen_.note(
      "\nThe run goes on. What shall become of it?\n"
      "  Enter             watch it again\n"
      "  d and Enter       leave it to the background\n"
      "  c and Enter       cancel it; so does Ctrl-C again\n");
}

void RunAtTerminal::typed(const std::optional<std::string>& line) {
  if (!line) return nobody_types();
  screen_.line_was_typed();
  if (is_choosing_) return choose(std::string(trimmed(*line)));
  // The next question is not on the screen yet, so nothing that was typed can be meant for it.
  if (terminal_.is_asking()) context_.outside().drop_input();
  (void)terminal_.typed(*line);
}

void RunAtTerminal::nobody_types() {
  is_choosing_ = false;
  // Not inside its own callback.
  later_.call([this] {
    input_.reset();
    for (const auto& [id, posting] : postings_) say_how_to_answer(posting);
  });
}

void RunAtTerminal::choose(const std::string& line) {
  if (!line.empty() && line != "d" && line != "c") return offer_choice();
  is_choosing_ = false;
  interrupts_ = 0;
  if (line == "d") return leave(Leaving::to_background);
  if (line == "c") return cancel();
  screen_.note("The run goes on.\n");
  (void)terminal_.typed("");  // shows again what is asked
}

void RunAtTerminal::cancel() {
  if (std::exchange(is_cancelled_, true)) return;
  screen_.note("cancelling\n");
  run_->cancel("operator", engine::kAtTerminal);
}

void RunAtTerminal::leave(Leaving how) {
  if (leaving_ != Leaving::no || is_cancelled_) return;
  leaving_ = how;
  run_->let_go();
}

// Its agents end first: their conversations are taken up by whoever resumes it.
Result<RunEnd> RunAtTerminal::left() {
  const std::string run = run_->name();
  if (run_->state().has_ended()) return end(exit_code_of(run_->state().status));
  RunEnd interrupted = end(kExitNothing);
  run_.reset();
  if (leaving_ == Leaving::to_nobody) {
    context_.note(fmt::format("Nobody drives run {0} now. Go on with: teamster resume {0}\n", run));
    return interrupted;
  }
  const BackgroundRun background = TRY(start_in_background(context_, parts_.home, run, {"resume", run}));
  return RunEnd{kExitDone, background.json(), background.text()};
}

std::int64_t RunAtTerminal::pid_of(const std::string& whom) {
  if (whom == "engine") return world_.processes.self().pid;
  if (whom == "keeper") {
    const auto* kept = dynamic_cast<keeper::KeptProcesses*>(&world_.processes);
    return kept == nullptr ? 0 : kept->keeper_pid();
  }
  if (whom != "hub") return run_ ? run_->agent_pid(whom) : 0;
  const auto status = context_.ask(hub::GetHubStatus{});
  return status ? status->pid : 0;
}

void RunAtTerminal::say(const std::string& text) {
  if (!context_.wants_json()) screen_.print(printable_note(text, "    "));
}

void RunAtTerminal::say_line(const std::string& printable) {
  if (!context_.wants_json()) screen_.print(printable + "\n");
}

}  // namespace teamster::cli
