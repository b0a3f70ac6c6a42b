#include "engine/run_reading.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "protocol/words/record_kinds.h"

namespace teamster::engine {
namespace {

namespace command = workflow::command;
namespace event = workflow::event;

constexpr std::size_t kNotesMax = 20;

// How an event ends the effect that it names; empty: it does not.
std::string outcome_of(const workflow::RunEvent& heard) {
  if (heard.is<event::Done>()) return "done";
  if (heard.is<event::Failed>()) return "failed";
  if (heard.is<event::TeamReady>()) return "ready";
  if (heard.is<event::TeamGone>()) return "gone";
  if (heard.is<event::OutcomeUnknown>()) return "unknown";
  if (const auto* decided = heard.as<event::Decided>()) return decided->decision;
  if (const auto* due = heard.as<event::Due>(); due != nullptr && due->what == workflow::due::kRetry) return "waited";
  return {};
}

}  // namespace

bool is_pause(const workflow::RunRecord& record) {
  const auto waits = [](const workflow::RunCommand& decided) {
    const auto* turn = decided.as<command::Turn>();
    return decided.is<command::Pause>() || (turn != nullptr && turn->rung == workflow::rung::kAnswered);
  };
  return record.event.is<event::Failed>() && std::any_of(record.commands.begin(), record.commands.end(), waits);
}

void RunReading::note(std::int64_t n, const std::string& text) {
  if (notes_.size() < kNotesMax) notes_.push_back(fmt::format("record {}: {}", n, text));
}

void RunReading::begin_with(workflow::RunState state, std::int64_t n) {
  state_ = std::move(state);
  last_n_ = n;
}

void RunReading::add(const Json& given) {
  const auto n = integer_field(given, "n");
  const auto what = string_field(given, "kind");
  const auto at = string_field(given, "at");
  if (!n || !what || !at) return note(last_n_ + 1, "it has no number, kind or time");
  add({.n = *n,
       .seq = {},
       .at = parse_iso8601(*at).value_or(last_at_),
       .kind = *what,
       .body = field_in(given, "body")});
}

void RunReading::add(const hub::RunJournalEvent& given) {
  if (given.n <= last_n_) return;
  last_n_ = given.n;
  last_at_ = given.at;
  const Json& body = given.body;
  if (given.kind == kind::kRunTold) told_.push_back({given.n, last_at_, workflow::read_told(body)});
  if (is_of_hub_alone(given.kind)) return;
  // The hub wraps what it was given at the start.
  auto record = workflow::read_record(given.kind, given.kind == kind::kRunStarted ? field_in(body, "body") : body);
  if (!record) return note(given.n, record.error().text());
  if (record->event.is<event::Unknown>())
    note(given.n, fmt::format("{} is of a newer program", quoted(given.kind, 80)));
  fold({given.n, last_at_, *std::move(record)});
}

void RunReading::fold(const Recorded& recorded) {
  if (on_record) on_record(state_, recorded);
  workflow::apply(state_, recorded.record);
  begin_attempts(recorded);
  end_attempts(recorded);
}

void RunReading::begin_attempts(const Recorded& recorded) {
  for (const auto& each : recorded.record.commands) {
    if (const auto* end = each.as<command::End>()) report_ = end->report;
    if (const auto* enter = each.as<command::Enter>()) {
      ++entered_[enter->phase];
      phase_since_ = recorded.at;
    }
    if (!each.has_effect()) continue;
    attempts_[each.id()] = {each, recorded.n, recorded.at, {}, {}, {}};
    open_.insert(each.id());
  }
}

// What is not open in the state any more has ended with this record.
void RunReading::end_attempts(const Recorded& recorded) {
  const workflow::RunEvent& heard = recorded.record.event;
  const bool pauses = is_pause(recorded.record);
  const std::string outcome = pauses ? "paused" : outcome_of(heard);
  for (auto id = open_.begin(); id != open_.end();) {
    StepAttempt& attempt = attempts_[*id];
    if (const auto open = state_.open.find(*id); open != state_.open.end()) {
      if (open->second.is<command::Ask>()) attempt.command = open->second;  // a reminder changes who is asked
      ++id;
      continue;
    }
    const bool is_named = attempt.command.step == heard.step && attempt.command.attempt == heard.attempt;
    attempt.until = recorded.at;
    attempt.outcome = is_named && !outcome.empty() ? outcome : heard.is<event::Ended>() ? "over" : "given up";
    if (is_named && !pauses) attempt.ending = heard;
    id = open_.erase(id);
  }
}

std::vector<Told> RunReading::unheard() const {
  std::vector<Told> left;
  for (const auto& each : told_)
    if (each.n > state_.told) left.push_back(each);
  return left;
}

Result<void> read_to_end(RunReading& reading, const ReadPage& page) {
  while (true) {
    const std::int64_t before = reading.last_n();
    const auto answer = TRY(page(before));
    for (const auto& each : answer.items) reading.add(each);
    if (!answer.next) return {};
    if (reading.last_n() == before)
      return fail(Code::internal, fmt::format("the journal of the run does not get past record {}", before));
  }
}

}  // namespace teamster::engine
