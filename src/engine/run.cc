#include "engine/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "env/clock.h"
#include "env/processes.h"
#include "protocol/client/call.h"
#include "protocol/words/record_kinds.h"
#include "protocol/words/run_records.h"
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

constexpr Duration kRenewAfter = 100s;
constexpr Duration kListenFor = 60s;
constexpr Duration kAwakeForAnswer = 1ms;  // about what a sync takes
constexpr std::size_t kRecordsPerAppend = 100;
constexpr std::int64_t kRecordsPerPage = 160;  // what the caches of a processor hold
constexpr std::int64_t kPagesAhead = 3;

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
  std::optional<RunEvent> operator()(const told::Adjust& told) const {
    return workflow::event_of(event::Adjusted{.configuration = told.configuration,
                                              .values = told.values,
                                              .budget = told.budget,
                                              .spoken = {.told = n, .by = told.by, .how = told.how}});
  }
  std::optional<RunEvent> operator()(const told::Reopen& told) const {
    return workflow::event_of(event::Reopened{told.from, {.told = n, .by = told.by, .how = told.how}});
  }
  std::optional<RunEvent> operator()(const told::Unknown&) const { return std::nullopt; }
};

bool is_reopening(const hub::RunJournalEvent& event) {
  return event.kind == kind::kRunTold && std::holds_alternative<told::Reopen>(workflow::read_told(event.body));
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
template <class Call, class Then>
void Run::call(Call call, Then then, hub::CallOptions options) {
  hub::ask<hub::Calls, Call>(calls_, std::move(call), std::move(options),
                             [this, then = std::move(then)](Result<typename Call::Answer> answer) {
                               if (is_over_) return;
                               if (!answer) return stop(fail(answer.error()));
                               then(*std::move(answer));
                             });
}

// The next record, of which the hub does not know yet.
RunRecord Run::decide(RunEvent event) {
  RunRecord record = workflow::advance(pinned_, decided_, handlers_.cleaned(std::move(event)));
  handlers_.on_point({std::string(record.event.kind()), record.event.step, record.event.attempt, false});
  return record;
}

void Run::start(const std::string& key, RunEvent started, Json facts) {
  appending_.push_back(decide(std::move(started)));
  Json body = workflow::body_of(appending_.front());
  body.update(facts);
  hub::StartRun start{.run = pinned_.run,
                      .workflow = pinned_.workflow.name,
                      .key = key,
                      .holder = world_.processes.self(),
                      .body = std::move(body)};
  is_appending_ = true;
  call(std::move(start), [this](const hub::GrantedLease& granted) {
    lease_ = granted.lease;
    is_going_ = true;
    appended(granted.n);
    listen();
    renew_later();
  });
}

void Run::resume() {
  is_appending_ = true;
  const hub::LeaseRun lease{.run = pinned_.run, .holder = world_.processes.self()};
  call(lease, [this](const hub::GrantedLease& granted) {
    lease_ = granted.lease;
    last_n_ = granted.n;
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
    call(hub::ReadRun{.run = pinned_.run, .after = asked_, .limit = kRecordsPerPage},
         [this, after = asked_](hub::ReadRun::Answer page) {
           if (auto taken = take_up(after, std::move(page)); !taken) stop(taken);
         });
  if (asked_ >= last_n_ && n_ >= last_n_) taken_up();
}

Result<void> Run::take_up(std::int64_t after, hub::ReadRun::Answer page) {
  if (!fold_ || after != n_) return {};  // of a page that came after a shorter one, and is asked for again
  TRY_VOID(fold_->add(std::move(page.items)));
  n_ = page.last;
  if (n_ < after + kRecordsPerPage) asked_ = n_;
  if (page.next) last_n_ = std::max(last_n_, n_ + 1);  // others may have told it something since
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
  const hub::ReadRun unheard{.run = pinned_.run, .after = heard_, .from_others = true};
  call(unheard, [this](const hub::ReadRun::Answer& page) {
    const auto& events = page.items;
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
  std::vector<hub::RecordToAppend> list;
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
    list.push_back({std::string(record.event.kind()), workflow::body_of(record)});
  }
  if (appending_.empty()) return;
  is_appending_ = true;
  call(hub::AppendToRun{.run = pinned_.run, .lease = lease_, .after = n_, .records = std::move(list)},
       [this](const hub::WrittenRecord& written) { appended(written.n); });
  world_.loop.stay_awake(kAwakeForAnswer);
}

void Run::appended(std::int64_t n_of_last) {
  is_appending_ = false;
  const auto records = std::exchange(appending_, {});
  n_ = n_of_last;
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
  call(hub::ReadRun{.run = pinned_.run, .after = heard_, .from_others = true},
       [this](const hub::ReadRun::Answer& page) {
         for (const auto& event : page.items) told(event);
         if (!is_over_) listen();
       },
       {.wait = kListenFor});
}

void Run::told(const hub::RunJournalEvent& event) {
  heard_ = event.n;
  if (event.kind == kind::kRunLeased && RunLeased::lease_in(event.body) > lease_)
    return stop(fail(Code::refused, fmt::format("run {} was taken over by another process", pinned_.run),
                     fmt::format("See it with `teamster status {}`", pinned_.run)));
  if (event.kind != kind::kRunTold) return;
  if (auto heard = std::visit(Heard{state_, heard_}, workflow::read_told(event.body))) hear(*std::move(heard));
}

void Run::let_go() {
  if (is_over_) return;
  if (lease_ == Lease()) return stop({});
  is_going_ = false;  // what comes in from now on is for the next engine to find
  call(hub::ReleaseLease{.run = pinned_.run, .lease = lease_}, [this](const hub::GrantedLease&) { stop({}); });
}

void Run::renew_later() {
  renewal_ = world_.loop.after(kRenewAfter, [this] {
    call(hub::RenewLease{.run = pinned_.run, .lease = lease_},
         [this](const hub::RenewLease::Answer&) { renew_later(); });
  });
}

void Run::stop(Result<void> outcome) {
  if (std::exchange(is_over_, true)) return;
  renewal_.reset();
  for (const auto& [id, begun] : std::exchange(begun_, {})) effects_.drop(id);
  world_.loop.post(bond_.tie([this, outcome] { handlers_.on_over(outcome); }));
}

}  // namespace teamster::engine
