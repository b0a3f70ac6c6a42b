#include "engine/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "env/clock.h"
#include "env/processes.h"
#include "protocol/words/process_record.h"
#include "protocol/words/record_kinds.h"
#include "workflow/core/told.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::RunCommand;
using workflow::RunEvent;
using workflow::RunRecord;
namespace command = workflow::command;
namespace event = workflow::event;
namespace told = workflow::told;

constexpr std::int64_t kLeaseSeconds = 300;
constexpr Duration kRenewAfter = 100s;
constexpr Duration kListenFor = 60s;
constexpr Duration kAwakeForAnswer = 1ms;  // about what a sync takes
constexpr std::size_t kRecordsPerAppend = 100;
constexpr std::int64_t kRecordsPerPage = 160;  // what the caches of a processor hold
constexpr std::int64_t kPagesAhead = 3;

Json holder_of(env::Processes& processes) { return holder_argument(processes.self()); }

// What a person said to an open question, as its answer: data of the workflow, docs/formats/run.md.
Json spoken_answer(const command::Ask& question, const told::Reply& told) {
  Json answer = {{"by", told.by}};
  if (question.gate) {
    answer["approved"] = told.approved.value_or(false);
    answer["feedback"] = told.feedback;
  } else {
    answer["answer"] = told.answer;
  }
  return answer;
}

// An effect by its id, or by its step where one attempt at it is open; or the question whether it was done.
const RunCommand* find_open(const workflow::RunState& state, const std::string& named) {
  if (const auto by_id = state.open.find(named); by_id != state.open.end()) return &by_id->second;
  const auto found = std::find_if(state.open.begin(), state.open.end(), [&](const auto& open) {
    const RunCommand& command = open.second;
    if (command.step == named) return true;
    const auto* question = command.template as<command::Ask>();
    if (question == nullptr || !question->about) return false;
    const RunCommand about = workflow::command_of(*question->about);
    return about.step == named || about.id() == named;
  });
  return found == state.open.end() ? nullptr : &found->second;
}

// What an engine records of that which it was told in record `n`; nothing when it is not, or not any more, about
// anything that is open. The first valid answer wins.
struct Heard {
  const workflow::RunState& state;
  std::int64_t n;

  std::optional<RunEvent> operator()(const told::Cancel& told) const {
    return workflow::event_of(event::CancelAsked{{.told = n, .by = told.by, .how = told.how}});
  }
  std::optional<RunEvent> operator()(const told::Reply& told) const {
    const RunCommand* open = find_open(state, told.question);
    const auto* question = open == nullptr ? nullptr : open->as<command::Ask>();
    if (question == nullptr) return std::nullopt;
    return event_about(*open, event::Done{.answer = spoken_answer(*question, told),
                                          .spoken = {.told = n, .by = told.by, .how = told.how},
                                          .note = told.note});
  }
  std::optional<RunEvent> operator()(const told::Decide& told) const {
    const RunCommand* open = find_open(state, told.step);
    if (open == nullptr) return std::nullopt;
    const event::Spoken spoken{.told = n, .by = told.by, .how = told.how};
    const auto* question = open->as<command::Ask>();
    if (question == nullptr) return event_about(*open, event::Decided{told.decision, spoken});
    Json answer = spoken_answer(*question, {.by = told.by});
    answer["answer"] = told.decision;
    return event_about(*open, event::Done{.answer = std::move(answer), .spoken = spoken});
  }
  std::optional<RunEvent> operator()(const told::Reopen& told) const {
    return workflow::event_of(event::Reopened{told.from, {.told = n, .by = told.by, .how = told.how}});
  }
  std::optional<RunEvent> operator()(const told::Unknown&) const { return std::nullopt; }
};

bool is_reopening(const Json& event) {
  return event.at("kind") == kind::kRunTold &&
         std::holds_alternative<told::Reopen>(workflow::read_told(event.at("body")));
}

}  // namespace

std::string Point::text() const {
  const std::string where = step.empty() ? kind : fmt::format("{}:{}.{}", kind, step, attempt);
  return fmt::format("{}:{}", where, after ? "after" : "before");
}

Run::Run(const env::World& world, hub::Client& hub, workflow::Pinned pinned, Effects& effects, RunHandlers handlers,
         RunSnapshots snapshots)
    : world_(world),
      pinned_(std::move(pinned)),
      effects_(effects),
      handlers_(std::move(handlers)),
      snapshots_(std::move(snapshots)),
      calls_(hub) {
  effects_.on_news(bond_.tie([this](RunEvent event) { hear(std::move(event)); }));
}

// What comes back after the run is over is nobody's.
template <class Answer, class Then>
auto Run::guarded(Then then) {
  return [this, then](Result<Answer> answer) {
    if (is_over_) return;
    if (!answer) return stop(fail(answer.error()));
    then(*std::move(answer));
  };
}

template <class Then>
void Run::call(const char* op, Json args, Then then) {
  args["run"] = pinned_.run;
  calls_.call({op, std::move(args)}, guarded<Json>(std::move(then)));
}

// The next record, of which the hub does not know yet.
RunRecord Run::decide(RunEvent event) {
  RunRecord record = workflow::advance(pinned_, decided_, std::move(event));
  handlers_.on_point({std::string(record.event.kind()), record.event.step, record.event.attempt, false});
  return record;
}

void Run::start(const std::string& key, RunEvent started, Json facts) {
  appending_.push_back(decide(std::move(started)));
  Json body = workflow::body_of(appending_.front());
  body.update(facts);
  Json args = {
      {"workflow", pinned_.workflow.name}, {"holder", holder_of(world_.processes)}, {"seconds", kLeaseSeconds}};
  if (!key.empty()) args["key"] = key;
  args["body"] = std::move(body);
  is_appending_ = true;
  call("run.start", std::move(args), [this](const Json& answer) {
    lease_ = answer.at("lease").get<std::int64_t>();
    is_going_ = true;
    appended(answer);
    listen();
    renew_later();
  });
}

void Run::resume() {
  is_appending_ = true;
  call("run.lease", {{"holder", holder_of(world_.processes)}, {"seconds", kLeaseSeconds}}, [this](const Json& answer) {
    lease_ = answer.at("lease").get<std::int64_t>();
    last_n_ = answer.at("n").get<std::int64_t>();
    const Snapshot kept = kept_snapshot(last_n_);
    n_ = asked_ = kept_n_ = kept.n;
    fold_.emplace(kept);
    ask_for_pages();
  });
}

// One that cannot be used is as good as none: the journal is the truth.
Snapshot Run::kept_snapshot(std::int64_t last_n) const {
  auto kept = snapshots_.file.read(last_n);
  return kept && *kept ? **std::move(kept) : Snapshot{};
}

// It saves time and nothing depends on it; where it cannot be written the run goes on without.
void Run::write_snapshot() {
  if (n_ - kept_n_ < snapshots_.every) return;
  kept_n_ = n_;
  (void)snapshots_.file.write({n_, state_, since_});
}

// Several pages are asked for at once, so that neither the hub nor this process waits for the other.
void Run::ask_for_pages() {
  for (; asked_ < last_n_ && asked_ < n_ + kPagesAhead * kRecordsPerPage; asked_ += kRecordsPerPage)
    call("run.events", {{"after", asked_}, {"limit", kRecordsPerPage}}, [this, after = asked_](Json page) {
      if (auto taken = take_up(after, std::move(page)); !taken) stop(taken);
    });
  if (asked_ >= last_n_ && n_ >= last_n_) taken_up();
}

Result<void> Run::take_up(std::int64_t after, Json page) {
  if (!fold_ || after != n_) return {};  // of a page that came after a shorter one, and is asked for again
  const auto last = page.value("last", n_);
  const bool has_more = page.value("more", false);
  TRY_VOID(fold_->add(std::move(page)));
  n_ = last;
  if (n_ < after + kRecordsPerPage) asked_ = n_;
  if (has_more) last_n_ = std::max(last_n_, n_ + 1);  // others may have told it something since
  ask_for_pages();
  return {};
}

void Run::taken_up() {
  Snapshot taken = fold_->take();
  fold_.reset();
  state_ = std::move(taken.state);
  since_ = std::move(taken.since);
  go_on();
}

void Run::remember_times(const RunRecord& record, WallTime at) {
  for (const auto& command : record.commands)
    if (command.has_effect()) since_[command.id()] = at;
  constexpr std::size_t kSpare = 64;
  if (since_.size() < 2 * state_.open.size() + kSpare) return;
  std::erase_if(since_, [this](const auto& each) { return state_.open.count(each.first) == 0; });
}

// After the journal was read: what is open is begun again, in the order in which it was decided.
void Run::go_on() {
  is_appending_ = false;
  is_going_ = true;
  decided_ = state_;
  heard_ = state_.told;
  if (auto possible = effects_.can_go_on(state_); !possible) return stop(possible);
  if (auto cleaned = effects_.taken_over(state_); !cleaned) return stop(cleaned);
  if (auto followed = effects_.follow(state_); !followed) return stop(followed);
  // What people said while nobody listened comes first; a run that has ended goes on only because of it.
  call("run.events", {{"after", heard_}, {"from_others", true}}, [this](const Json& answer) {
    const auto& events = answer.at("events");
    if (state_.has_ended() && std::none_of(events.begin(), events.end(), is_reopening)) return stop({});
    handlers_.on_taken_up();
    begins_open_ = true;
    for (const auto& event : events) told(event);
    if (!is_appending_) begin_open();
  });
}

void Run::begin_open() {
  if (!std::exchange(begins_open_, false) || is_over_) return;
  std::multimap<std::int64_t, RunCommand> open;
  for (const auto& [id, command] : state_.open) open.emplace(since_[id].unix_ms, command);
  for (const auto& [at, command] : open) begin(command, WallTime{at}, true);
  listen();
  renew_later();
}

void Run::hear(RunEvent event) {
  if (is_over_) return;
  events_.push_back(std::move(event));
  append_next();
}

// Everything that has come in since the last append is one write.
void Run::append_next() {
  if (is_appending_ || !is_going_ || events_.empty() || is_over_) return;
  Json list = Json::array();
  while (!events_.empty() && appending_.size() < kRecordsPerAppend) {
    // After the end nothing counts any more, unless it opens the run again.
    if (decided_.has_ended() && !events_.front().is<event::Reopened>()) {
      if (!appending_.empty()) break;
      events_.pop_front();
      continue;
    }
    appending_.push_back(decide(std::move(events_.front())));
    events_.pop_front();
    const RunRecord& record = appending_.back();
    list.push_back(workflow::journal_entry(record));
  }
  if (appending_.empty()) return;
  is_appending_ = true;
  Json args = {{"lease", lease_}, {"after", n_}};
  args["records"] = std::move(list);
  call("run.append", std::move(args), [this](const Json& answer) { appended(answer); });
  world_.loop.stay_awake(kAwakeForAnswer);
}

void Run::appended(const Json& answer) {
  is_appending_ = false;
  const auto records = std::exchange(appending_, {});
  n_ = answer.at("n").get<std::int64_t>();
  const WallTime now = world_.clock.wall_now();
  std::int64_t n = n_ - static_cast<std::int64_t>(records.size());
  for (const auto& record : records) {
    workflow::apply(state_, record);
    remember_times(record, now);
    handlers_.on_point({std::string(record.event.kind()), record.event.step, record.event.attempt, true});
    effects_.recorded(record.event);
    handlers_.on_record({++n, now, record});
  }
  drop_given_up();
  if (auto followed = effects_.follow(state_); !followed) return stop(followed);
  if (state_.has_ended()) return stop({});
  write_snapshot();
  for (const auto& record : records)
    for (const auto& command : record.commands)
      if (state_.open.count(command.id()) != 0) begin(command, now, false);
  begin_open();
  append_next();
}

void Run::begin(const RunCommand& command, WallTime since, bool again) {
  if (!command.has_effect() || is_over_) return;
  const std::string id = command.id();
  if (!begun_.emplace(id, true).second) return;
  // In a write of its own: before the run has ended, what follows its state has to be written.
  if (const auto* end = command.as<command::End>())
    return hear(workflow::event_of(event::Ended{end->status, end->reason}));
  const auto settle = [this](RunEvent event) {
    if (auto possible = effects_.can_go_on(decided_); !possible) return stop(possible);
    hear(std::move(event));
  };
  effects_.begin({command, since, again}, state_, bond_.tie(settle));
}

void Run::drop_given_up() {
  for (auto it = begun_.begin(); it != begun_.end();) {
    if (state_.open.count(it->first) != 0) {
      ++it;
      continue;
    }
    effects_.drop(it->first);
    it = begun_.erase(it);
  }
}

// Requests of people, which anybody may put into the journal.
void Run::listen() {
  calls_.call({.op = "run.events",
               .args = {{"run", pinned_.run}, {"after", heard_}, {"from_others", true}},
               .wait = kListenFor},
              guarded<Json>([this](const Json& answer) {
                for (const auto& event : answer.at("events")) told(event);
                if (!is_over_) listen();
              }));
}

void Run::told(const Json& event) {
  heard_ = event.at("n").get<std::int64_t>();
  const auto what_kind = event.at("kind").get<std::string>();
  const Json& entry = event.at("body");
  if (what_kind == kind::kRunLeased && entry.value("lease", std::int64_t{0}) > lease_)
    return stop(fail(Code::refused, fmt::format("run {} was taken over by another process", pinned_.run),
                     fmt::format("See it with `teamster status {}`", pinned_.run)));
  if (what_kind != kind::kRunTold) return;
  if (auto heard = std::visit(Heard{state_, heard_}, workflow::read_told(entry))) hear(*std::move(heard));
}

void Run::let_go() {
  if (is_over_) return;
  if (lease_ == 0) return stop({});
  is_going_ = false;  // what comes in from now on is for the next engine to find
  call("run.release", {{"lease", lease_}}, [this](const Json&) { stop({}); });
}

void Run::renew_later() {
  renewal_ = world_.loop.after(kRenewAfter, [this] {
    call("run.renew", {{"lease", lease_}, {"seconds", kLeaseSeconds}}, [this](const Json&) { renew_later(); });
  });
}

void Run::stop(Result<void> outcome) {
  if (std::exchange(is_over_, true)) return;
  renewal_.reset();
  for (const auto& [id, begun] : std::exchange(begun_, {})) effects_.drop(id);
  world_.loop.post(bond_.tie([this, outcome] { handlers_.on_over(outcome); }));
}

}  // namespace teamster::engine
