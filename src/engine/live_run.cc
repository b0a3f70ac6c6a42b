#include "engine/live_run.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/redacted_events.h"
#include "engine/run_budget.h"
#include "engine/run_drivers.h"
#include "engine/sub_runs.h"
#include "env/clock.h"
#include "project/installed_skills.h"
#include "project/known_secrets.h"
#include "project/workflow_place.h"
#include "workflow/core/people.h"

namespace teamster::engine {

using workflow::RunCommand;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

LiveRun::LiveRun(const LiveRunParts& parts, workflow::Pinned pinned, RunSetup setup, Over on_over)
    : parts_(parts),
      pinned_(std::move(pinned)),
      setup_(std::move(setup)),
      redaction_(known_secrets(parts.world, setup_.project)),
      on_over_(std::move(on_over)),
      sub_runs_(std::make_unique<SubRuns>(parts, *this)),
      effects_(parts.stage, parts.hub, parts.home, effects_options()),
      run_(parts.world, parts.hub, pinned_, effects_, run_handlers(),
           RunSnapshots{SnapshotFile(parts.world.files, parts.home, pinned_.run, setup_.digest), parts.snapshot_every}),
      later_(parts.world.loop) {
  parts.hub.belong_to(setup_.project);
}

LiveRun::~LiveRun() = default;

RunEffectsOptions LiveRun::effects_options() {
  const RunObserver& observer = parts_.observer;
  CrewOptions crew{
      .pinned = pinned_,
      .member_options = [this](const workflow::Role& role,
                               const std::string&) { return member_options(setup_, pinned_, run_.state(), role); },
      .on_note = [&observer](const std::string& member,
                             const std::string& text) { observer.on_note(fmt::format("  {}: {}", member, text)); },
      .on_turn = observer.on_turn};
  crew.skill_text = [this](const std::string& name) {
    return installed_skill({parts_.world, setup_.project, pinned_.workflow.name, pinned_.bundle}, name);
  };
  crew.project = setup_.project;
  crew.on_activity = [this](const std::string& member, const agent::Activity& activity) {
    parts_.observer.on_activity(pinned_.run, member, activity);
  };
  RunEffectsOptions options{.project = setup_.project, .crew = std::move(crew), .open_git = parts_.open_git};
  options.begin_sub_run = [this](const Effect& effect, Effects::Settle settle) {
    sub_runs_->begin(effect, std::move(settle));
  };
  options.on_question = [this](const Effect& question) { asked(question); };
  options.redaction = redaction_;
  options.on_notice = observer.on_note;
  options.git_is_at_work = parts_.git_is_at_work;
  return options;
}

RunHandlers LiveRun::run_handlers() {
  RunHandlers handlers;
  handlers.on_taken_up = [this] { parts_.observer.on_taken_up(pinned_.run, run_.state()); };
  handlers.on_record = [this](const Recorded& record) { recorded(record); };
  handlers.on_point = [this](Point point) {
    point.run = pinned_.run;
    parts_.observer.on_point(point);
  };
  handlers.cleaned = [this](RunEvent event) { return redacted(redaction_, std::move(event)); };
  handlers.on_over = [this](const Result<void>& outcome) { over(outcome); };
  return handlers;
}

Result<void> LiveRun::start(const std::string& key, event::Started started) {
  TRY_VOID(save_bundle(parts_.world.files, parts_.home, pinned_.run, pinned_.bundle));
  run_.start(key, workflow::event_of(std::move(started)), setup_.json());
  return {};
}

void LiveRun::take_up() {
  parts_.end_leftovers();
  run_.resume();
}

void LiveRun::cancel(const std::string& by, const std::string& how) {
  run_.hear(workflow::event_of(event::CancelAsked{{.by = by, .how = how}}));
}

void LiveRun::let_go() {
  sub_runs_->let_go();
  run_.let_go();
}

void LiveRun::recorded(const Recorded& record) {
  for (const auto& decided : record.record.commands)
    if (const auto* end = decided.as<command::End>()) report_ = end->report;
  parts_.observer.on_state(pinned_.run, run_.state());
  parts_.observer.on_record(pinned_.run, record);
  // The run has folded the record, so what was asked and is not open has been answered.
  const auto is_over = [this](const std::string& id) { return run_.state().open.count(id) == 0; };
  const RunEvent& heard = record.record.event;
  const auto* done = heard.as<event::Done>();
  const std::string by = done ? raw_text_in(done->answer, "by") : std::string();
  for (const auto& id : asked_)
    if (is_over(id))
      parts_.observer.on_question_over(pinned_.run, id,
                                       id == workflow::effect_id(heard.step, heard.attempt) ? by : std::string());
  std::erase_if(asked_, is_over);
}

void LiveRun::asked(const Effect& question) {
  const RunCommand& asks = question.command;
  if (const auto reply = parts_.people(asks)) {
    const std::string& to = asks.get<command::Ask>().to;
    const bool may = workflow::may_answer(run_.state().people, to, reply->by);
    if (may && reply->after == Duration::zero()) return play(*reply, question);
    if (may)
      play(*reply, question);
    else
      parts_.observer.on_note(fmt::format("{} may not answer {}, which is for {}", reply->by, asks.id(), to));
  }
  asked_.push_back(asks.id());
  parts_.observer.on_question(pinned_.run, asks, question.again);
}

// At once, or at its time, counted from when the question was decided; by then somebody else may have answered.
void LiveRun::play(const PlayedReply& reply, const Effect& question) {
  const RunEvent answered = event_about(
      question.command,
      event::Done{.answer = reply.answer, .spoken = {.by = reply.by, .how = reply.how}, .note = reply.note});
  if (reply.after == Duration::zero()) return later_.call([this, answered] { run_.hear(answered); });
  const auto passed = std::chrono::milliseconds(parts_.stage.clock.wall_now().unix_ms - question.since.unix_ms);
  const Duration left = std::clamp<Duration>(reply.after - passed, Duration::zero(), reply.after);
  const std::string id = question.command.id();
  played_[id] = parts_.stage.loop.after(left, [this, id, answered] {
    if (run_.state().open.count(id) > 0) run_.hear(answered);
  });
}

void LiveRun::over(const Result<void>& outcome) {
  for (const auto& id : std::exchange(asked_, {})) parts_.observer.on_question_over(pinned_.run, id, {});
  if (const Over on_over = std::exchange(on_over_, nullptr)) on_over(outcome);
}

std::int64_t LiveRun::agent_pid(const std::string& member) const {
  const std::int64_t pid = effects_.agent_pid(member);
  return pid != 0 ? pid : sub_runs_->agent_pid(member);
}

std::optional<std::vector<std::int64_t>> LiveRun::agents_at_work() const {
  if (!run_.is_settled()) return std::nullopt;
  auto pids = sub_runs_->agents_at_work();
  if (!pids) return std::nullopt;
  for (const auto& [id, open] : run_.state().open) {
    if (const auto* turn = open.as<command::Turn>())
      pids->push_back(effects_.agent_pid(turn->member));
    else if (!open.is<command::Ask>() && !open.is<command::Wait>() && !open.is<command::SubRun>())
      return std::nullopt;
  }
  return pids;
}

std::vector<std::string> LiveRun::open_questions() const {
  std::vector<std::string> questions = sub_runs_->open_questions();
  for (const auto& id : asked_) questions.push_back(fmt::format("{}/{}", pinned_.run, id));
  return questions;
}

Result<PinnedRun> read_pinned_run(env::Files& files, const hub::Home& home, const hub::GetRun::Answer& run) {
  const std::string& name = run.run.run;
  PinnedRun read;
  read.setup = TRY(RunSetup::from_json(run.body));
  read.pinned.run = name;
  read.pinned.bundle = TRY(load_bundle(files, home, name, read.setup.digest));
  read.pinned.workflow = TRY(cli::load_of_run(name, read.pinned.bundle, read.setup.format));
  TRY_VOID(apply_budget(read.setup.budget, read.pinned.workflow.budget));
  TRY_VOID(limit_budget(read.setup.at_most, read.pinned.workflow.budget));
  return read;
}

}  // namespace teamster::engine
