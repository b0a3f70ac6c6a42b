#include "engine/run_effects.h"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/handed_in.h"
#include "engine/item_list_reading.h"
#include "engine/ledger_following.h"
#include "engine/run_setup.h"
#include "engine/state_following.h"
#include "env/clock.h"
#include "project/checklist.h"
#include "project/git_error.h"
#include "project/project.h"
#include "project/series.h"

namespace teamster::engine {
namespace {

using workflow::RunCommand;
using workflow::RunEvent;
namespace command = workflow::command;
namespace due = workflow::due;
namespace event = workflow::event;

constexpr Duration kAgainAfter = std::chrono::milliseconds(100);
constexpr int kLossesMax = 3;
constexpr Duration kLockLookAgainAfter = std::chrono::milliseconds(500);
constexpr int kLockLooksMax = 6;
// Times of files are those of the last tick of the clock.
constexpr std::int64_t kFileTimeSlackMs = 50;
constexpr std::size_t kChangedShown = 50;

RunEvent done(const RunCommand& command, Json answer) {
  return event_about(command, event::Done{.answer = std::move(answer)});
}

Json check_answer(const ProgramOutcome& outcome) {
  Json answer = {{"passed", outcome.succeeded()}, {"output", outcome.output}};
  if (outcome.how == ProgramOutcome::How::exited)
    answer["exit"] = outcome.code;
  else
    answer["output"] = fmt::format("{}\n(it {})", outcome.output, describe(outcome));
  return answer;
}

}  // namespace

RunEffects::RunEffects(const env::World& world, hub::Client& hub, const hub::Home& home, RunEffectsOptions options)
    : world_(world),
      options_(std::move(options)),
      tasks_(hub, options_.crew.pinned.run),
      state_task_(hub, options_.crew.pinned),
      trees_(world, options_.open_git, options_.project, options_.crew.pinned.run),
      kept_(world.files, options_.crew.pinned.workflow, options_.project,
            run_directory(home, options_.crew.pinned.run) + "/files"),
      crew_(world, hub, home, tasks_, with_side_turns_watched(options_.crew)) {}

void RunEffects::on_news(Settle news) {
  news_ = news;
  crew_.on_news(std::move(news));
}

// What a message makes a member do is looked at as what a step does.
CrewOptions RunEffects::with_side_turns_watched(CrewOptions crew) {
  const auto id_of = [this](const std::string& member) {
    return fmt::format("messages/{}.{}", member, side_turns_[member]);
  };
  crew.on_side_turn = [=, this](const std::string& member, const workflow::Role& role) {
    ++side_turns_[member];
    trees_.begin(id_of(member), role, [] {});
  };
  crew.on_side_turn_ended = [=, this](const std::string& member) {
    trees_.end(id_of(member), bond_.tie([=, this](const std::optional<event::Strayed>& strayed) {
      if (strayed && news_) news_(workflow::event_of(event::MemberStrayed{member, strayed->paths, strayed->aside}));
    }));
  };
  return crew;
}

void RunEffects::recorded(const RunEvent& event) {
  if (const auto* asked = event.as<event::Asked>()) crew_.recorded(*asked);
}

void RunEffects::begin(const Effect& effect, const workflow::RunState& state, Settle settle) {
  const RunCommand& command = effect.command;
  if (command.is<command::Commit>()) commits_[command.id()].entry = state.entry;
  if (command.is<command::MakeTeam>()) return crew_.make_team(effect, settle);
  if (command.is<command::EndTeam>()) {
    const std::string file = file_that_names_team(options_.crew.pinned, options_.project, state);
    return crew_.end_team(effect, settle, [=, this] { return settles_in(world_, file); });
  }
  if (command.is<command::Turn>()) return say(effect, state, settle);
  if (command.is<command::Check>()) return check(effect, settle);
  if (command.is<command::Notify>()) return notify(effect, settle);
  if (command.is<command::Commit>()) return commit(effect, settle);
  if (command.is<command::Wait>()) return wait(effect, settle);
  if (command.is<command::ReadItems>()) return read_items(effect, settle);
  if (command.is<command::Ask>()) return ask(effect, settle);
  if (command.is<command::MakeTasks>()) return tasks_.make(effect, state, settle);
  if (command.is<command::FinishTask>()) return tasks_.finish(effect, settle);
  if (command.is<command::Tick>()) return tick(effect, settle);
  if (command.is<command::Reply>()) return crew_.reply(effect, settle);
  if (command.is<command::Retire>()) return crew_.retire(effect, settle);
  if (command.is<command::SubRun>() || command.is<command::EndSubRun>())
    return options_.begin_sub_run(effect, std::move(settle));
  fail_later(effect, settle, fmt::format("this version of teamster cannot do {} yet", kind_of(command)));
}

void RunEffects::drop(const std::string& id) {
  programs_.erase(id);
  gits_.erase(id);
  timers_.erase(id);
  losses_.erase(id);
  commits_.erase(id);
  trees_.drop(id);
  kept_.drop(id);
  const auto question = questions_.extract(id);
  if (!question.empty() && !question.mapped().from.empty()) crew_.go_on_with_limit(question.mapped().from);
}

Result<void> RunEffects::can_go_on(const workflow::RunState& state) {
  if (state.ending == workflow::status::kCancelled) return {};
  return check_is_there({world_.files, options_.project});
}

Result<void> RunEffects::taken_over(const workflow::RunState& state) {
  return clean_ledger(world_.files, options_.crew.pinned, options_.project, state);
}

Result<void> RunEffects::follow(const workflow::RunState& state) {
  TRY_VOID(can_go_on(state));
  // Who cancels a run whose project is gone gets no ledger, and no project made anew for it.
  if (!check_is_there({world_.files, options_.project})) return {};
  state_task_.follow(state);
  for (auto& path : files_that_follow(options_.crew.pinned, state)) trees_.add_own(std::move(path));
  TRY_VOID(follow_with_state_file(world_.files, options_.crew.pinned, options_.project, state));
  return follow_with_ledger(world_.files, options_.crew.pinned, options_.project, state);
}

// What an answer names is looked at before it counts, and so is what the member has changed.
void RunEffects::say(const Effect& effect, const workflow::RunState& state, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  const auto& roles = options_.crew.pinned.workflow.roles;
  const auto role = roles.find(turn.role);
  const Settle said =
      bond_.tie([=, this](RunEvent outcome) { compare_and_settle(effect, settle, std::move(outcome)); });
  kept_.begin(effect.command.id(), turn.role, state, effect.again);
  if (role == roles.end()) return crew_.say(effect, said);
  workflow::Role at_work = role->second;
  if (!turn.writes.empty()) {
    at_work.writes = turn.writes;
    at_work.writes_everywhere = false;
  }
  trees_.begin(effect.command.id(), at_work, [=, this] { say_with_tree(effect, said); });
}

// Who takes over, or knows nothing any more, is told what is in the tree.
void RunEffects::say_with_tree(const Effect& effect, const Settle& said) {
  const auto& turn = effect.command.get<command::Turn>();
  if (turn.rung != workflow::rung::kFresh && turn.rung != workflow::rung::kLost) return crew_.say(effect, said);
  auto& git = gits_[effect.command.id()];
  git = options_.open_git(world_, options_.project);
  git->changed_files({}, [=, this](const Result<std::vector<std::string>>& files) {
    Effect told = effect;
    if (auto* asked = told.command.as<command::Turn>(); files && !files->empty()) {
      asked->prompt += "\n\nChanged in the project, and not committed:\n";
      for (std::size_t i = 0; i < files->size() && i < kChangedShown; ++i)
        asked->prompt += fmt::format("- {}\n", (*files)[i]);
      if (files->size() > kChangedShown) asked->prompt += fmt::format("- and {} more\n", files->size() - kChangedShown);
    }
    crew_.say(told, said);
  });
}

void RunEffects::compare_and_settle(const Effect& effect, const Settle& settle, RunEvent outcome) {
  const auto* done = outcome.as<event::Done>();
  const HandedIn handed_in{{world_.files, options_.project}, options_.crew.pinned.bundle, options_.redaction};
  const std::string wrong =
      done == nullptr ? "" : wrong_with_files(handed_in, effect.command.get<command::Turn>(), done->answer);
  if (!wrong.empty())
    outcome = event_about(effect.command, event::Failed{.fault = "incomplete",
                                                        .error = wrong,
                                                        .usage = done->usage,
                                                        .member = done->member,
                                                        .restarts = done->restarts});
  const auto changed = kept_.end(effect.command.id());
  trees_.end(effect.command.id(), [=, outcome = std::move(outcome)](auto strayed) {
    RunEvent told = outcome;
    if (!changed.empty()) {
      if (!strayed) strayed.emplace();
      strayed->paths.insert(strayed->paths.end(), changed.begin(), changed.end());
    }
    if (auto* given = told.as<event::Done>()) given->strayed = strayed;
    if (auto* failed = told.as<event::Failed>()) failed->strayed = strayed;
    settle(std::move(told));
  });
}

// It is settled by whoever answers; here it is only told that somebody should have.
void RunEffects::ask(const Effect& effect, const Settle& settle) {
  const auto& question = effect.command.get<command::Ask>();
  QuestionTimes& times = questions_[effect.command.id()];
  if (question.remind_ms != 0 && !question.reminded)
    times.reminder = tell_when_due(effect, settle, due::kRemind, question.remind_ms);
  if (question.deadline_ms != 0 && !question.late)
    times.deadline = tell_when_due(effect, settle, due::kDeadline, question.deadline_ms);
  times.from = question.from;
  if (!question.from.empty()) crew_.hold_limit(question.from);
  options_.on_question(effect);
}

// Counted from when it was decided, whichever process that was.
env::Timer RunEffects::tell_when_due(const Effect& effect, const Settle& settle, const std::string& what,
                                     std::int64_t ms) {
  const auto passed = world_.clock.wall_now().unix_ms - effect.since.unix_ms;
  const auto left = std::chrono::milliseconds(std::clamp<std::int64_t>(ms - passed, 0, ms));
  return world_.loop.after(left,
                           [settle, now_due = event_about(effect.command, event::Due{what})] { settle(now_due); });
}

// Harmless, so it is simply done again after a crash.
void RunEffects::check(const Effect& effect, const Settle& settle) {
  run_program(effect, effect.command.get<command::Check>().shell, settle);
}

void RunEffects::run_program(const Effect& effect, const command::ShellCommand& shell, const Settle& settle) {
  const std::string id = effect.command.id();
  ProgramOptions program = shell_command(world_, shell.command, options_.project);
  program.limit = shell.limit_ms == 0 ? limits::kProgramMax : std::chrono::milliseconds(shell.limit_ms);
  for (const auto& [name, value] : shell.environment) program.environment.push_back(fmt::format("{}={}", name, value));
  const bool is_check = effect.command.is<command::Check>();
  auto started = Program::start(world_, program, [=, this](const ProgramOutcome& outcome) {
    const bool is_killed = outcome.how == ProgramOutcome::How::signaled && outcome.code == SIGKILL;
    if (is_check && is_killed && try_again(effect, settle)) return;
    settle(done(effect.command, check_answer(outcome)));
  });
  if (!started && is_check && started.error().code == Code::unavailable && try_again(effect, settle)) return;
  if (!started) return fail_later(effect, settle, started.error().text());
  programs_[id] = *std::move(started);
}

// What it did cannot be found out: after a crash the owner is asked.
void RunEffects::notify(const Effect& effect, const Settle& settle) {
  const auto& notice = effect.command.get<command::Notify>();
  if (notice.text) {
    options_.on_notice(notice.to.empty() ? *notice.text : fmt::format("to {}: {}", notice.to, *notice.text));
    timers_[effect.command.id()] =
        world_.loop.after({}, [=, command = effect.command] { settle(done(command, Json::object())); });
    return;
  }
  if (effect.again) {
    timers_[effect.command.id()] = world_.loop.after(
        {}, [settle, unknown = event_about(effect.command, event::OutcomeUnknown{})] { settle(unknown); });
    return;
  }
  run_program(effect, notice.shell, settle);
}

void RunEffects::commit(const Effect& effect, const Settle& settle) {
  auto tag = tag_of(effect);
  if (!tag) return fail_later(effect, settle, tag.error().text());
  auto& git = gits_[effect.command.id()];
  git = options_.open_git(world_, options_.project);
  commits_[effect.command.id()].since = world_.clock.wall_now();
  const std::string step = options_.crew.pinned.run + "/" + effect.command.id();
  if (!effect.again) return make_commit(effect, *tag, settle);
  git->find_commit(step, "", [=, this](const Result<std::optional<std::string>>& found) {
    if (found && *found) return put_tag(effect, **found, *tag, settle);
    if (!found && found.error().code == Code::unavailable && try_again(effect, settle)) return;
    make_commit(effect, *tag, settle);
  });
}

void RunEffects::make_commit(const Effect& effect, const std::string& tag, const Settle& settle) {
  const auto& wanted = effect.command.get<command::Commit>();
  CommitRequest request;
  request.paths = wanted.paths;
  request.message = wanted.message;
  request.step = options_.crew.pinned.run + "/" + effect.command.id();
  gits_.at(effect.command.id())->commit(std::move(request), [=, this](const Result<std::string>& made) {
    if (!made && made.error().code == Code::unavailable && try_again(effect, settle)) return;
    if (!made && wait_for_lock(effect, settle, made.error())) return;
    if (!made) return fail_later(effect, settle, made.error().text());
    put_tag(effect, *made, tag, settle);
  });
}

void RunEffects::put_tag(const Effect& effect, const std::string& hash, const std::string& tag, const Settle& settle) {
  if (tag.empty()) return settle(done(effect.command, {{"commit", hash}, {"tag", nullptr}}));
  const TagRequest request{tag, hash, options_.crew.pinned.run + "/" + effect.command.id()};
  gits_.at(effect.command.id())->tag(request, [=, this](const Result<std::string>& put) {
    if (!put && put.error().code == Code::unavailable && try_again(effect, settle)) return;
    if (!put && wait_for_lock(effect, settle, put.error())) return;
    if (!put) return fail_later(effect, settle, put.error().text());
    settle(done(effect.command, {{"commit", hash}, {"tag", *put}}));
  });
}

// Git locks what it writes by a file. One that was killed leaves it, and then nobody can commit any more. False
// when nothing is locked, or it has been waited for long enough.
bool RunEffects::wait_for_lock(const Effect& effect, const Settle& settle, const Error& error) {
  const auto lock = lock_named_in(error.what);
  if (!lock || ++commits_[effect.command.id()].waits > kLockLooksMax) return false;
  const bool is_ours = is_left_behind(*lock, effect);
  if (is_ours) {
    options_.on_notice(fmt::format("a git that was killed has left {}: removed", *lock));
    (void)world_.files.remove_tree(*lock);
  }
  timers_[effect.command.id()] =
      world_.loop.after(is_ours ? Duration::zero() : kLockLookAgainAfter, [=, this] { commit(effect, settle); });
  return true;
}

// Made after the effect was decided and before this try at it, by nobody who lives: a git of ours that died with
// its keeper.
bool RunEffects::is_left_behind(const std::string& lock, const Effect& effect) const {
  if (!effect.again) return false;
  const auto status = world_.files.status(lock);
  if (!status || !*status || (*status)->is_directory) return false;
  const std::int64_t made = (*status)->modified_unix_ms;
  if (made < effect.since.unix_ms - kFileTimeSlackMs) return false;
  if (made >= commits_.at(effect.command.id()).since.unix_ms) return false;
  return !options_.git_is_at_work(repository_of_lock(lock));
}

// The last of a series gets another name.
Result<std::string> RunEffects::tag_of(const Effect& effect) const {
  const auto& wanted = effect.command.get<command::Commit>();
  const workflow::Workflow& workflow = options_.crew.pinned.workflow;
  if (wanted.last_tag.empty() || !workflow.series) return wanted.tag;
  const auto series = TRY(
      series_in_order({world_.files, options_.project}, workflow, {.entry = commits_.at(effect.command.id()).entry}));
  const bool all_done = std::all_of(series.items.begin(), series.items.end(),
                                    [](const SeriesItem& item) { return item.status == LedgerStatus::done; });
  return all_done ? wanted.last_tag : wanted.tag;
}

void RunEffects::wait(const Effect& effect, const Settle& settle) {
  const auto& pause = effect.command.get<command::Wait>();
  timers_[effect.command.id()] = tell_when_due(effect, settle, pause.what, pause.ms);
}

void RunEffects::read_items(const Effect& effect, const Settle& settle) {
  const auto list = read_item_list({world_.files, options_.project}, effect.command.get<command::ReadItems>());
  if (!list) return fail_later(effect, settle, list.error().text());
  timers_[effect.command.id()] = world_.loop.after({}, [settle, read = done(effect.command, *list)] { settle(read); });
}

// Atomically, and nothing else of the file changes. What is ticked already was ticked by us before a crash, or by
// somebody who had no business to.
void RunEffects::tick(const Effect& effect, const Settle& settle) {
  const auto& wanted = effect.command.get<command::Tick>();
  const Project project{world_.files, options_.project};
  const auto text = read_text(project, wanted.checklist);
  if (!text) return fail_later(effect, settle, text.error().text());
  if (!*text) return fail_later(effect, settle, fmt::format("there is no {}", wanted.checklist));
  auto ticked = ticked_text(**text, wanted.number, wanted.text);
  if (!ticked) return fail_later(effect, settle, fmt::format("{}: {}", wanted.checklist, ticked.error().text()));
  if (*ticked == **text && !effect.again)
    return fail_later(effect, settle,
                      fmt::format("{} was ticked before its checks had passed: only the engine ticks", wanted.text));
  if (auto written = write_text(project, wanted.checklist, *ticked); !written)
    return fail_later(effect, settle, written.error().text());
  timers_[effect.command.id()] =
      world_.loop.after({}, [=, command = effect.command] { settle(done(command, Json::object())); });
}

// When the keeper dies, what it has started goes with it; a moment later there is another one. A check does
// no harm, and a commit that was made is found. False when it was tried often enough.
bool RunEffects::try_again(const Effect& effect, const Settle& settle) {
  const std::string id = effect.command.id();
  if (++losses_[id] > kLossesMax) return false;
  Effect again = effect;
  again.again = true;
  timers_[id] = world_.loop.after(
      kAgainAfter, [=, this] { again.command.is<command::Commit>() ? commit(again, settle) : check(again, settle); });
  return true;
}

void RunEffects::fail_later(const Effect& effect, const Settle& settle, const std::string& error) {
  const RunEvent failed =
      event_about(effect.command, event::Failed{effect.command.is<command::Tick>() ? "check" : "failed", error});
  timers_[effect.command.id()] = world_.loop.after({}, [settle, failed] { settle(failed); });
}

}  // namespace teamster::engine
