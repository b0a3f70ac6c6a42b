#include "engine/sub_runs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/run_budget.h"
#include "protocol/client/call.h"
#include "protocol/client/run_calls.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

// While another process drives the run that a step is about.
constexpr Duration kLookAgainAfter = 2s;

std::optional<event::TurnUsage> usage_of(const workflow::RunState& state) {
  const auto used = state.usage.find("run");
  if (used == state.usage.end()) return std::nullopt;
  const auto worked = state.worked_ms.find("run");
  return event::TurnUsage{.turns = used->second.turns,
                          .input_tokens = used->second.tokens,
                          .cost_usd = used->second.usd,
                          .duration_ms = worked == state.worked_ms.end() ? 0 : worked->second};
}

}  // namespace

SubRuns::SubRuns(const LiveRunParts& parts, const LiveRun& above)
    : parts_(parts), above_(above), calls_(parts.hub), finding_(parts.hub), later_(parts.world.loop) {}

void SubRuns::begin(const Effect& effect, Settle settle) {
  const std::string id = effect.command.id();
  Entry& entry = entries_[id];
  entry.effect = effect;
  entry.settle = std::move(settle);
  effect.command.is<command::EndSubRun>() ? end(id) : prepare(id);
}

// As the parent was started, with what is left of its budget.
RunRequest SubRuns::request_for(const Effect& effect, cli::FoundWorkflow found) const {
  RunRequest request{.found = std::move(found)};
  const auto& wanted = effect.command.get<command::SubRun>();
  request.named = NamedWords{wanted.entry, wanted.args};
  request.setup = above_.setup();
  request.setup.parent = fmt::format("{}/{}", above_.name(), effect.command.id());
  request.setup.budget.clear();
  request.setup.at_most = budget_left(workflow::budget_of(above_.pinned().workflow, above_.state()), above_.state());
  request.people = above_.state().people;
  if (effect.again) request.since = effect.since;
  return request;
}

void SubRuns::prepare(const std::string& id) {
  Entry& entry = entries_.at(id);
  const cli::WorkflowPlaces places(parts_.world.files, parts_.variable, above_.setup().project);
  auto found = places.find(entry.effect.command.get<command::SubRun>().workflow);
  if (!found) return failed(id, found.error().text());
  entry.preparation = std::make_unique<RunPreparation>(parts_.stage, parts_.hub, parts_.variable, parts_.open_git);
  entry.preparation->prepare(request_for(entry.effect, *std::move(found)),
                             [this, id](Result<PreparedRun> outcome) { prepared(id, std::move(outcome)); });
}

void SubRuns::prepare_later(const std::string& id) {
  Entry& entry = entries_.at(id);
  entry.effect.again = true;
  entry.later = parts_.stage.loop.after(kLookAgainAfter, [this, id] { prepare(id); });
}

void SubRuns::prepared(const std::string& id, Result<PreparedRun> outcome) {
  Entry& entry = entries_.at(id);
  if (!outcome) {
    // One that somebody drives at another terminal is waited for.
    if (entry.effect.again && outcome.error().code == Code::refused) return prepare_later(id);
    return failed(id, outcome.error().text());
  }
  if (auto* ended = std::get_if<RunThatEnded>(&*outcome))
    return read_end(id, ended->run, std::make_shared<RunReading>());
  if (std::get_if<RunToCancel>(&*outcome) != nullptr) return failed(id, "that entry ends a run, and begins none");
  if (auto* under_way = std::get_if<RunToTakeUp>(&*outcome)) return take_up(id, under_way->run);
  auto& fresh = std::get<RunToStart>(*outcome);
  entry.run = std::make_unique<LiveRun>(parts_, std::move(fresh.pinned), std::move(fresh.setup),
                                        [this, id](const Result<void>& over_with) { over(id, over_with); });
  if (auto started = entry.run->start(fresh.key, std::move(fresh.started)); !started)
    failed(id, started.error().text());
}

void SubRuns::take_up(const std::string& id, const std::string& run) {
  hub::ask(calls_, hub::GetRun{run}, [=, this](const Result<hub::GetRun::Answer>& found) {
    auto read =
        found ? read_pinned_run(parts_.world.files, parts_.home, *found) : Result<PinnedRun>(fail(found.error()));
    if (!read) return failed(id, read.error().text());
    Entry& entry = entries_.at(id);
    entry.run = std::make_unique<LiveRun>(parts_, std::move(read->pinned), std::move(read->setup),
                                          [this, id](const Result<void>& over_with) { over(id, over_with); });
    entry.run->take_up();
  });
}

// What came of one that ended while nobody drove its parent.
void SubRuns::read_end(const std::string& id, const std::string& run, const std::shared_ptr<RunReading>& reading) {
  hub::ask(calls_, hub::ReadRun{.run = run, .after = reading->last_n()},
           [=, this](const Result<hub::ReadRun::Answer>& page) {
             if (!page) return failed(id, page.error().text());
             for (const auto& event : page->items) reading->add(event);
             if (page->next) return read_end(id, run, reading);
             const workflow::RunState& state = reading->state();
             if (state.status != workflow::status::kDone)
               return failed(id, fmt::format("run {} is {}: {}", run, state.status, state.reason));
             done(id, {{"run", run}, {"status", state.status}, {"report", reading->report()}}, usage_of(state));
           });
}

// Later: its callback is still on the stack.
void SubRuns::over(const std::string& id, const Result<void>& outcome) {
  later_.call([=, this] {
    if (is_leaving_) return;
    Entry& entry = entries_.at(id);
    const std::unique_ptr<LiveRun> run = std::move(entry.run);
    if (!entry.ends.empty()) {
      // The run above is over as well, and does not wait for this effect any more.
      const auto ends = std::exchange(entry.ends, {});
      entries_.erase(id);
      for (const auto& each : ends) done(each, Json::object());
      return;
    }
    if (!outcome) {
      // Taken over by another process, or the like: the journal knows more than this process.
      parts_.observer.on_note(fmt::format("run {}: {}", run->name(), outcome.error().text()));
      return prepare_later(id);
    }
    const workflow::RunState& state = run->state();
    if (state.status != workflow::status::kDone)
      return failed(id, fmt::format("run {} is {}: {}", run->name(), state.status, state.reason));
    done(id, {{"run", run->name()}, {"status", state.status}, {"report", run->report()}}, usage_of(state));
  });
}

void SubRuns::end(const std::string& id) {
  const std::string of = entries_.at(id).effect.command.get<command::EndSubRun>().of;
  const auto live = entries_.find(of);
  if (live == entries_.end()) return close(id, of);
  if (!live->second.run) {
    // It was about to begin.
    entries_.erase(live);
    return close(id, of);
  }
  live->second.ends.push_back(id);
  live->second.run->cancel("operator", "the run above it");
}

void SubRuns::close(const std::string& id, const std::string& of) {
  finding_.under_way_for(
      fmt::format("{}/{}", above_.name(), of), [this, id](const Result<std::optional<std::string>>& found) {
        if (!found) return failed(id, found.error().text());
        if (!*found) return done(id, Json::object());
        auto& closing = entries_.at(id).closing;
        closing =
            std::make_unique<RunClosing>(parts_, **found, "operator", [this, id](const Result<std::string>& closed) {
              if (!closed) return failed(id, closed.error().text());
              done(id, Json::object());
            });
        closing->start();
      });
}

void SubRuns::let_go() {
  is_leaving_ = true;
  for (auto& [id, entry] : entries_)
    if (entry.run) entry.run->let_go();
}

void SubRuns::done(const std::string& id, Json answer, std::optional<event::TurnUsage> usage) {
  settle(id, event::Done{.answer = std::move(answer), .usage = std::move(usage)});
}

void SubRuns::failed(const std::string& id, const std::string& error) { settle(id, event::Failed{"failed", error}); }

// Later: whoever found it out may belong to the entry.
void SubRuns::settle(const std::string& id, workflow::EventBody body) {
  RunEvent outcome = event_about(entries_.at(id).effect.command, std::move(body));
  later_.call([this, id, outcome = std::move(outcome)] {
    const auto entry = entries_.find(id);
    if (entry == entries_.end()) return;
    const Settle told = std::move(entry->second.settle);
    entries_.erase(entry);
    told(outcome);
  });
}

std::int64_t SubRuns::agent_pid(const std::string& member) const {
  for (const auto& [id, entry] : entries_)
    if (const std::int64_t pid = entry.run ? entry.run->agent_pid(member) : 0; pid != 0) return pid;
  return 0;
}

std::optional<std::vector<std::int64_t>> SubRuns::agents_at_work() const {
  std::vector<std::int64_t> pids;
  for (const auto& [id, entry] : entries_) {
    const auto below = entry.run ? entry.run->agents_at_work() : std::nullopt;
    if (!below) return std::nullopt;
    pids.insert(pids.end(), below->begin(), below->end());
  }
  return pids;
}

std::vector<std::string> SubRuns::open_questions() const {
  std::vector<std::string> questions;
  for (const auto& [id, entry] : entries_) {
    if (!entry.run) continue;
    const auto below = entry.run->open_questions();
    questions.insert(questions.end(), below.begin(), below.end());
  }
  return questions;
}

}  // namespace teamster::engine
