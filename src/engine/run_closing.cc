#include "engine/run_closing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "engine/ledger_following.h"
#include "engine/run_telling.h"
#include "engine/state_following.h"
#include "protocol/client/call.h"
#include "protocol/client/team_calls.h"

namespace teamster::engine {

namespace command = workflow::command;
namespace event = workflow::event;
namespace told = workflow::told;

RunClosing::RunClosing(const LiveRunParts& parts, std::string run, std::string by, Done done)
    : parts_(parts),
      name_(std::move(run)),
      by_(std::move(by)),
      done_(std::move(done)),
      calls_(parts.hub),
      finding_(parts.hub) {}

// What is told before the lease is taken comes before everything that is open.
void RunClosing::start() {
  hub::ask(calls_, telling(name_, told::Cancel{by_, kAtTerminal}), [this](const Result<hub::WrittenRecord>& answer) {
    if (!answer) return finish(fail(answer.error()));
    told();
  });
}

void RunClosing::told() {
  hub::ask(calls_, hub::GetRun{name_}, [this](const Result<hub::GetRun::Answer>& run) {
    if (!run) return finish(fail(run.error()));
    drive(*run);
  });
}

void RunClosing::drive(const hub::GetRun::Answer& run) {
  if (auto read = read_pinned_run(parts_.world.files, parts_.home, run)) pinned_ = *std::move(read);
  parts_.end_leftovers();
  parts_.hub.belong_to(raw_text_in(run.body, "project"));
  workflow::Pinned pinned = pinned_ ? pinned_->pinned : workflow::Pinned{};
  pinned.run = name_;
  RunHandlers handlers;
  handlers.on_record = [this](const Recorded& record) { parts_.observer.on_record(name_, record); };
  handlers.on_over = [this](const Result<void>& outcome) {
    if (!outcome) return finish(fail(outcome.error()));
    finish(run_->state().status);
  };
  SnapshotFile snapshots(parts_.world.files, parts_.home, name_, pinned_ ? pinned_->setup.digest : "");
  run_ = std::make_unique<Run>(parts_.world, parts_.hub, std::move(pinned), *this, std::move(handlers),
                               RunSnapshots{std::move(snapshots)});
  run_->resume();
}

// Everything else was given up when the run heard that it is cancelled.
void RunClosing::begin(const Effect& effect, const workflow::RunState&, Settle settle) {
  if (effect.command.is<command::EndTeam>()) return end_team(effect, settle);
  if (effect.command.is<command::EndSubRun>()) return end_sub_run(effect, settle);
}

void RunClosing::drop(const std::string&) {}

Result<void> RunClosing::follow(const workflow::RunState& state) {
  if (!pinned_) return {};
  // A project that is gone has no ledger to keep.
  const auto project = parts_.world.files.status(pinned_->setup.project);
  if (!project || !*project) return {};
  TRY_VOID(follow_with_state_file(parts_.world.files, pinned_->pinned, pinned_->setup.project, state));
  return follow_with_ledger(parts_.world.files, pinned_->pinned, pinned_->setup.project, state);
}

void RunClosing::end_team(const Effect& effect, const Settle& settle) {
  const std::string team = effect.command.get<command::EndTeam>().team;
  hub::ask(calls_, hub::DeleteTeam{.team = team, .force = true},
           [=, this](const Result<hub::DeleteTeam::Answer>& deleted) {
             // One that is not there any more is as good.
             if (!deleted && deleted.error().code != Code::not_found) return finish(fail(deleted.error()));
             settle(event_about(effect.command, event::TeamGone{team}));
           });
}

// Its engine has died with ours.
void RunClosing::end_sub_run(const Effect& effect, const Settle& settle) {
  const auto ended = [=](const Result<std::string>& outcome) {
    if (!outcome) return settle(event_about(effect.command, event::Failed{"failed", outcome.error().text()}));
    settle(event_about(effect.command, event::Done{.answer = Json::object()}));
  };
  finding_.under_way_for(fmt::format("{}/{}", name_, effect.command.get<command::EndSubRun>().of),
                         [=, this](const Result<std::optional<std::string>>& found) {
                           if (!found) return ended(fail(found.error()));
                           if (!*found) return ended(std::string());
                           auto& closing = sub_runs_[effect.command.id()];
                           closing = std::make_unique<RunClosing>(parts_, **found, by_, ended);
                           closing->start();
                         });
}

void RunClosing::finish(Result<std::string> outcome) {
  if (const Done done = std::exchange(done_, nullptr)) done(std::move(outcome));
}

}  // namespace teamster::engine
