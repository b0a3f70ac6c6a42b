#include "engine/run_service.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "engine/run_closing.h"
#include "workflow/core/people.h"

namespace teamster::engine {
namespace {

Error answered_by_another(const RunQuestion& question, const Json& event) {
  const std::string by = raw_text_in(object_in(object_in(event, "body"), "answer"), "by");
  return {Code::refused, fmt::format("{} answered {} first", by.empty() ? "somebody" : by, question.id()),
          fmt::format("See `teamster status {}`", question.run)};
}

// Nobody is taken for another: a name must be one that may answer.
Result<void> check_speaker(const RunQuestion& question, const std::string& by) {
  const std::string to = raw_text_in(question.command.body, "to");
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
    const Json& about = field_in(open.body, "about");
    if (open.kind == workflow::command::kAsk && about.is_object()) {
      steps.push_back(raw_text_in(about, "step"));
      steps.push_back(workflow::effect_id(raw_text_in(about, "step"), number_in(about, "attempt")));
    } else if (open.kind == workflow::command::kNotify) {
      steps.push_back(open.step);
      steps.push_back(id);
    }
  }
  return steps;
}

}  // namespace

RunService::RunService(HubCall call, std::function<WallTime()> now, env::Files& files, hub::Home home)
    : call_(std::move(call)), now_(std::move(now)), files_(files), home_(std::move(home)) {}

Result<Json> RunService::read(std::string op, Json args, std::optional<Duration> wait) const {
  return call_({.op = std::move(op), .args = std::move(args), .wait = wait});
}

Result<std::vector<Json>> RunService::list(bool all) const {
  std::vector<Json> rows;
  Json args = Json::object();
  if (all) args["all"] = true;
  while (true) {
    const Json page = TRY(read("run.list", args));
    for (const auto& row : list_in(page, "runs")) rows.push_back(row);
    if (field_in(page, "next").is_null()) return rows;
    args["after"] = page.at("next");
  }
}

Result<std::string> RunService::meant(const std::string& given) const {
  if (given.find('/') != std::string::npos) return sub_run_of(given);
  if (given.empty()) {
    const auto rows = TRY(list(false));
    if (rows.empty()) return fail(Code::not_found, "no run is under way", "See those that have ended: teamster status");
    if (rows.size() == 1) return raw_text_in(rows.front(), "run");
    std::vector<std::string> names;
    for (const auto& row : rows) names.push_back(raw_text_in(row, "run"));
    return fail(Code::invalid, fmt::format("{} runs are under way: {}", rows.size(), join(names, ", ")), "Name one");
  }
  const auto whole = read("run.get", {{"run", given}});
  if (whole) return given;
  std::vector<std::string> fitting;
  for (const auto& row : TRY(list(true)))
    if (const std::string run = raw_text_in(row, "run"); run.find(given) != std::string::npos) fitting.push_back(run);
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty()) return fail(whole.error());
  return fail(Code::invalid, fmt::format("{} fits {} runs: {}", quoted(given, 80), fitting.size(), join(fitting, ", ")),
              "Give more of its name");
}

Result<std::string> RunService::sub_run_of(const std::string& parent) const {
  for (const auto& row : TRY(list(false))) {
    const std::string run = raw_text_in(row, "run");
    const auto whole = read("run.get", {{"run", run}});
    if (whole && raw_text_in(object_in(*whole, "body"), "parent") == parent) return run;
  }
  return fail(Code::not_found, fmt::format("no run that {} has started is under way", parent),
              "See all with `teamster status --all`");
}

ReadPage RunService::pages_of(const std::string& run) const {
  return [this, run](std::int64_t after) { return read("run.events", {{"run", run}, {"after", after}}); };
}

Result<RunView> RunService::view(const std::string& run) const {
  RunView view{TRY(read("run.get", {{"run", run}})), {}};
  TRY_VOID(read_to_end(view.reading, pages_of(run)));
  return view;
}

Result<RunView> RunService::view_row(const Json& row) const {
  RunView view{row, {}};
  const std::string run = view.run();
  // One that cannot be used is as good as none; `replay` says why.
  const auto kept = snapshot(run);
  if (kept && *kept) view.reading.begin_with((*kept)->state, (*kept)->n);
  TRY_VOID(read_to_end(view.reading, pages_of(run)));
  return view;
}

Result<std::optional<Snapshot>> RunService::snapshot(const std::string& run) const {
  const Json whole = TRY(read("run.get", {{"run", run}}));
  const SnapshotFile file(files_, home_, run, raw_text_in(object_in(whole, "body"), "digest"));
  return file.read(number_in(whole, "n"));
}

Result<PinnedRun> RunService::pinned(const std::string& run) const {
  const Json row = TRY(read("run.get", {{"run", run}}));
  return read_pinned_run(files_, home_, run, row);
}

Result<RunQuestions> RunService::questions() const {
  RunQuestions questions;
  for (const auto& row : TRY(list(false))) {
    auto one = view(raw_text_in(row, "run"));
    if (!one && one.error().code == Code::not_found) continue;  // gone meanwhile
    if (!one) return fail(one.error());
    for (auto& question : one->questions()) questions.open.push_back(std::move(question));
    questions.views.push_back(*std::move(one));
  }
  return questions;
}

Result<ReplyOutcome> RunService::reply(const RunQuestion& question, const PersonsReply& reply, Duration wait) const {
  if (!reply.is_operator) TRY_VOID(check_speaker(question, reply.by));
  Json body = reply.body;
  body["question"] = question.command.id();
  body["by"] = reply.by;
  body["how"] = reply.how;
  const Json answer = TRY(read("run.tell", {{"run", question.run}, {"what", "answer"}, {"body", std::move(body)}}));
  ReplyOutcome outcome{number_in(answer, "n"), false};
  if (!question.run_is_held) return outcome;
  const Json event = TRY(recorded_outcome(question, outcome.told, wait));
  outcome.is_recorded = !event.is_null();
  if (outcome.is_recorded && number_in(object_in(event, "body"), "told") != outcome.told)
    return fail(answered_by_another(question, event));
  return outcome;
}

// What the engine made of it; null while it has recorded nothing.
Result<Json> RunService::recorded_outcome(const RunQuestion& question, std::int64_t told, Duration wait) const {
  std::int64_t after = told;
  const std::int64_t deadline = now_().unix_ms + to_ms(wait);
  while (true) {
    const std::int64_t left = deadline - now_().unix_ms;
    if (left <= 0) return Json();
    const Json page =
        TRY(read("run.events", {{"run", question.run}, {"after", after}}, std::chrono::milliseconds(left)));
    for (const auto& event : list_in(page, "events")) {
      after = number_in(event, "n");
      const Json& body = object_in(event, "body");
      if (raw_text_in(body, "step") == question.command.step &&
          number_in(body, "attempt") == question.command.attempt && raw_text_in(event, "kind") != workflow::event::kDue)
        return event;
    }
    if (flag_in(page, "ended") && !flag_in(page, "more")) return Json();
    if (list_in(page, "events").empty() && !flag_in(page, "more")) return Json();
  }
}

Result<void> RunService::decide(const std::string& run, const std::string& step, const std::string& decision,
                                const std::string& by) const {
  const auto steps = undecided(TRY(view(run)).reading.state());
  if (std::find(steps.begin(), steps.end(), step) == steps.end())
    return fail(
        Code::not_found, fmt::format("no step {} of {} waits for a decision", quoted(step, 80), run),
        steps.empty() ? "Nothing of it does; leave --decide out" : fmt::format("What does: {}", join(steps, ", ")));
  Json body = {{"step", step}, {"decision", decision}, {"by", by}, {"how", "terminal"}};
  TRY_VOID(read("run.tell", {{"run", run}, {"what", "decide"}, {"body", std::move(body)}}));
  return {};
}

Result<std::unique_ptr<LiveRun>> RunService::take_up(const LiveRunParts& parts, const std::string& run,
                                                     LiveRun::Over on_over) const {
  PinnedRun read = TRY(pinned(run));
  return std::make_unique<LiveRun>(parts, std::move(read.pinned), std::move(read.setup), std::move(on_over));
}

// Whether it ended in time.
Result<bool> RunService::wait_for_end(const std::string& run, std::int64_t after, Duration wait) const {
  const std::int64_t deadline = now_().unix_ms + to_ms(wait);
  while (true) {
    const std::int64_t left = deadline - now_().unix_ms;
    if (left <= 0) return false;
    const Json page = TRY(read("run.events", {{"run", run}, {"after", after}}, std::chrono::milliseconds(left)));
    for (const auto& event : list_in(page, "events")) after = number_in(event, "n");
    if (flag_in(page, "ended")) return true;
    if (list_in(page, "events").empty()) return false;
  }
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
  Json body = {{"by", by}, {"how", "terminal"}};
  const Json told = TRY(read("run.tell", {{"run", run}, {"what", "cancel"}, {"body", std::move(body)}}));
  if (!TRY(wait_for_end(run, number_in(told, "n"), wait))) return std::string("ending");
  return TRY(view(run)).status();
}

}  // namespace teamster::engine
