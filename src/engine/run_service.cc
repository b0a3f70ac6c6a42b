#include "engine/run_service.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "engine/run_closing.h"
#include "project/project.h"
#include "protocol/client/pages.h"
#include "protocol/words/record_kinds.h"
#include "workflow/core/people.h"
#include "workflow/format/entry.h"

namespace teamster::engine {
namespace {

Error answered_by_another(const RunQuestion& question, const workflow::RunEvent& heard) {
  const auto* done = heard.as<workflow::event::Done>();
  const std::string by = done == nullptr ? "" : raw_text_in(done->answer, "by");
  return {Code::refused, fmt::format("{} answered {} first", by.empty() ? "somebody" : by, question.id()),
          fmt::format("See `teamster status {}`", question.run)};
}

// Nobody is taken for another: a name must be one that may answer.
Result<void> check_speaker(const RunQuestion& question, const std::string& by) {
  const std::string& to = question.asks.to;
  if (workflow::may_answer(question.people, to, by)) return {};
  const std::string owner = workflow::owner_of(question.people);
  return fail(Code::refused, fmt::format("{} is a question to {}, not to {}", question.id(), to, by),
              owner.empty() ? "Leave --as away to answer as the operator"
                            : fmt::format("{}, the owner, may answer for anyone", owner));
}

// Steps that may have happened, or not, and the questions about them.
std::vector<std::string> undecided(const workflow::RunState& state) {
  std::vector<std::string> steps;
  for (const auto& [id, open] : state.open) {
    const auto* question = open.as<workflow::command::Ask>();
    if (question != nullptr && question->about) {
      steps.push_back(question->about->step);
      steps.push_back(workflow::effect_id(question->about->step, question->about->attempt));
    } else if (open.is<workflow::command::Notify>()) {
      steps.push_back(open.step);
      steps.push_back(id);
    }
  }
  return steps;
}

}  // namespace

RunService::RunService(HubCall call, std::function<WallTime()> now, env::Files& files, hub::Home home)
    : call_(std::move(call)), now_(std::move(now)), files_(files), home_(std::move(home)) {}

Result<std::vector<hub::ListedRun>> RunService::list(bool all) const {
  return hub::read_all(hub::ListRuns{.all = all}, [this](hub::ListRuns page) { return ask(std::move(page)); });
}

Result<std::string> RunService::meant(const std::string& given) const {
  if (given.find('/') != std::string::npos) return sub_run_of(given);
  std::vector<std::string> fitting;
  if (given.empty()) {
    for (const auto& row : TRY(list(false))) fitting.push_back(row.run);
    if (fitting.size() == 1) return fitting.front();
    if (fitting.empty())
      return fail(Code::not_found, "no run is under way", "See those that have ended: teamster status");
    return fail(Code::invalid, fmt::format("{} runs are under way: {}", fitting.size(), join(fitting, ", ")),
                "Name one");
  }
  const auto whole = ask(hub::GetRun{given});
  if (whole) return given;
  for (const auto& row : TRY(list(true)))
    if (row.run.find(given) != std::string::npos) fitting.push_back(row.run);
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty()) return fail(whole.error());
  return fail(Code::invalid, fmt::format("{} fits {} runs: {}", quoted(given, 80), fitting.size(), join(fitting, ", ")),
              "Give more of its name");
}

Result<std::string> RunService::sub_run_of(const std::string& parent) const {
  for (const auto& row : TRY(list(false))) {
    const auto whole = ask(hub::GetRun{row.run});
    if (whole && parent_of_run(*whole) == parent) return row.run;
  }
  return fail(Code::not_found, fmt::format("no run that {} has started is under way", parent),
              "See all with `teamster status --all`");
}

Result<void> RunService::check_project(const std::string& run) const {
  const RunSetup setup = TRY(RunSetup::from_json(TRY(ask(hub::GetRun{run})).body));
  return check_is_there({files_, setup.project});
}

Result<bool> RunService::is_sub_run(const std::string& run) const {
  return !parent_of_run(TRY(ask(hub::GetRun{run}))).empty();
}

ReadPage RunService::pages_of(const std::string& run) const {
  return [this, run](std::int64_t after) { return ask(hub::ReadRun{.run = run, .after = after}); };
}

Result<RunView> RunService::view(const std::string& run) const {
  auto found = TRY(ask(hub::GetRun{run}));
  RunView view{std::move(found.run), std::move(found.body), {}};
  TRY_VOID(read_to_end(view.reading, pages_of(run)));
  return view;
}

Result<RunView> RunService::view_row(const hub::ListedRun& row) const {
  RunView view{row, {}, {}};
  // One that cannot be used is as good as none; `replay` says why.
  const auto kept = snapshot(row.run);
  if (kept && *kept) view.reading.begin_with((*kept)->state, (*kept)->n);
  TRY_VOID(read_to_end(view.reading, pages_of(row.run)));
  return view;
}

Result<std::optional<Snapshot>> RunService::snapshot(const std::string& run) const {
  const auto found = TRY(ask(hub::GetRun{run}));
  const RunSetup setup = TRY(RunSetup::from_json(found.body));
  return SnapshotFile(files_, home_, run, setup.digest).read(found.run.n);
}

Result<PinnedRun> RunService::pinned(const std::string& run) const {
  return read_pinned_run(files_, home_, TRY(ask(hub::GetRun{run})));
}

Result<RunQuestions> RunService::questions() const {
  RunQuestions questions;
  for (const auto& row : TRY(list(false))) {
    auto one = view(row.run);
    if (!one && one.error().code == Code::not_found) continue;  // gone meanwhile
    if (!one) return fail(one.error());
    for (auto& question : one->questions()) questions.open.push_back(std::move(question));
    questions.views.push_back(*std::move(one));
  }
  return questions;
}

Result<ReplyOutcome> RunService::reply(const RunQuestion& question, const PersonsReply& reply, Duration wait) const {
  if (!reply.is_operator) TRY_VOID(check_speaker(question, reply.said.by));
  workflow::told::Reply said = reply.said;
  said.question = question.id_in_run();
  ReplyOutcome outcome;
  outcome.told = TRY(ask(telling(question.run, std::move(said)))).n;
  if (!question.run_is_held) return outcome;
  // What the engine made of it is the first thing that it records of the question.
  workflow::RunEvent heard;
  outcome.is_recorded = TRY(read_until(question.run, outcome.told, wait, [&](const hub::RunJournalEvent& event) {
    auto record = workflow::read_record(event.kind, event.body);
    if (!record) return false;
    heard = std::move(record->event);
    return heard.step == question.step && heard.attempt == question.attempt && !heard.is<workflow::event::Due>() &&
           (!heard.is<workflow::event::Declined>() || heard.told() == outcome.told);
  }));
  if (outcome.is_recorded && heard.told() != outcome.told) return fail(answered_by_another(question, heard));
  if (const auto* declined = heard.as<workflow::event::Declined>(); outcome.is_recorded && declined != nullptr)
    return fail(Code::refused, fmt::format("that is not passed on: {}", declined->why),
                fmt::format("{} is still open: answer it without that", question.id()));
  return outcome;
}

Result<bool> RunService::read_until(const std::string& run, std::int64_t after, Duration wait,
                                    const std::function<bool(const hub::RunJournalEvent&)>& is_it) const {
  const std::int64_t deadline = now_().unix_ms + to_ms(wait);
  while (true) {
    const std::int64_t left = deadline - now_().unix_ms;
    if (left <= 0) return false;
    const auto page = TRY(ask(hub::ReadRun{.run = run, .after = after}, std::chrono::milliseconds(left)));
    for (const auto& event : page.items) {
      after = event.n;
      if (is_it(event)) return true;
    }
    if (!page.next && (page.has_ended || page.items.empty())) return false;
  }
}

Result<void> RunService::decide(const std::string& run, const std::string& step, const std::string& decision,
                                const std::string& by) const {
  const auto steps = undecided(TRY(view(run)).reading.state());
  if (std::find(steps.begin(), steps.end(), step) == steps.end())
    return fail(
        Code::not_found, fmt::format("no step {} of {} waits for a decision", quoted(step, 80), run),
        steps.empty() ? "Nothing of it does; leave --decide out" : fmt::format("What does: {}", join(steps, ", ")));
  TRY_VOID(ask(telling(run, workflow::told::Decide{step, decision, by, kAtTerminal})));
  return {};
}

Result<void> RunService::reopen(const std::string& run, const std::string& from, const std::string& by) const {
  TRY_VOID(check_project(run));
  const workflow::Workflow workflow = TRY(pinned(run)).pinned.workflow;
  const auto phases = workflow::phases_within(workflow, TRY(view(run)).reading.state().entry);
  if (!from.empty() && std::find(phases.begin(), phases.end(), from) == phases.end())
    return fail(Code::invalid, fmt::format("run {} comes to no phase {}", run, quoted(from, 80)),
                fmt::format("Its phases: {}", join(phases, ", ")));
  TRY_VOID(ask(telling(run, workflow::told::Reopen{by, kAtTerminal, from})));
  return {};
}

Result<void> RunService::adjust(const std::string& run, const RunAdjustment& adjustment, const std::string& by) const {
  workflow::told::Adjust told = TRY(told_of(adjustment, TRY(pinned(run)).pinned.workflow));
  told.by = by;
  told.how = kAtTerminal;
  TRY_VOID(ask(telling(run, std::move(told))));
  return {};
}

Result<std::unique_ptr<LiveRun>> RunService::take_up(const LiveRunParts& parts, const std::string& run,
                                                     LiveRun::Over on_over) const {
  TRY_VOID(check_project(run));
  PinnedRun read = TRY(pinned(run));
  return std::make_unique<LiveRun>(parts, std::move(read.pinned), std::move(read.setup), std::move(on_over));
}

Result<std::string> RunService::cancel(const LiveRunParts& parts, const std::string& run, const std::string& by,
                                       Duration wait) const {
  const RunView seen = TRY(view(run));
  if (seen.has_ended())
    return fail(Code::refused, fmt::format("run {} has ended: {}", run, seen.status()),
                fmt::format("See `teamster report {}`", run));
  if (!seen.is_held()) {
    std::unique_ptr<RunClosing> closing;
    return await<std::string>(parts.world.loop, [&](const RunClosing::Done& done) {
      closing = std::make_unique<RunClosing>(parts, run, by, done);
      closing->start();
    });
  }
  const std::int64_t told = TRY(ask(telling(run, workflow::told::Cancel{by, kAtTerminal}))).n;
  const auto is_end = [](const hub::RunJournalEvent& event) { return event.kind == kind::kRunEnded; };
  if (!TRY(read_until(run, told, wait, is_end))) return std::string("ending");
  return TRY(view(run)).status();
}

}  // namespace teamster::engine
