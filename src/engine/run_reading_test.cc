#include "engine/run_reading.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/replay.h"
#include "workflow/core/run_for_test.h"

namespace teamster::engine {
namespace {

namespace event = workflow::event;
using workflow::Phase;
using workflow::RunForTest;

constexpr const char* kRun = "w-20261116-1a2b";

workflow::Pinned two_phases() {
  Phase ask = workflow::phase_for_test(Phase::Kind::ask, "which");
  ask.question = workflow::Question{};
  ask.question->text = "Which?";
  ask.question->to = "kim";
  return workflow::pinned_for_test({workflow::agent_phase("build"), ask});
}

// As the hub hands them out, a second apart, from record `n` on.
Json event_of(std::int64_t n, std::string_view kind, Json body) {
  if (kind == event::Started::kKind) {
    Json wrapped = {{"run", kRun}, {"workflow", "w"}, {"lease_ms", 1000}};
    wrapped["body"] = std::move(body);
    body = std::move(wrapped);
  }
  Json json = {{"n", n}, {"seq", n + 100}, {"at", to_iso8601(WallTime{n * 1000})}, {"kind", kind}};
  json["body"] = std::move(body);
  return json;
}

std::vector<Json> events_of(const std::vector<workflow::RunRecord>& records) {
  std::vector<Json> events;
  for (const auto& record : records)
    events.push_back(event_of(static_cast<std::int64_t>(events.size()) + 1, record.event.kind(), body_of(record)));
  return events;
}

RunReading read(const std::vector<Json>& events) {
  RunReading reading;
  for (const auto& each : events) reading.add(each);
  return reading;
}

TEST(RunReadingTest, FoldsAndRemembersWhen) {
  RunForTest run(two_phases());
  run.start();
  run.failed("build", "crash", "it broke");
  run.done("build");
  const RunReading reading = read(events_of(run.records));
  EXPECT_EQ(to_json(reading.state()), to_json(run.state));
  EXPECT_EQ(reading.last_n(), 4);
  const StepAttempt& first = reading.attempts().at("build.1");
  EXPECT_EQ(first.since.unix_ms, 2000);
  EXPECT_EQ(first.until->unix_ms, 3000);
  EXPECT_EQ(first.outcome, "failed");
  ASSERT_TRUE(first.ending.as<event::Failed>());
  EXPECT_EQ(first.ending.as<event::Failed>()->error, "it broke");
  EXPECT_EQ(reading.attempts().at("build.2").outcome, "done");
  const StepAttempt& question = reading.attempts().at("which.1");
  EXPECT_EQ(question.since.unix_ms, 4000);
  EXPECT_FALSE(question.until);
  EXPECT_EQ(reading.phase_since()->unix_ms, 4000);
  EXPECT_TRUE(reading.notes().empty());
}

TEST(RunReadingTest, WhatWasGivenUpIsOver) {
  RunForTest run(two_phases());
  run.start();
  run.happens({event::CancelAsked{{.by = "kim"}}});
  run.finish();
  const RunReading reading = read(events_of(run.records));
  EXPECT_EQ(reading.attempts().at("build.1").outcome, "given up");
  EXPECT_EQ(reading.attempts().at("end.1").outcome, "over");
  EXPECT_EQ(reading.report(), "w-20261116-1a2b: cancelled: cancelled by kim");
  EXPECT_EQ(reading.state().status, "cancelled");
}

TEST(RunReadingTest, TheHubsOwnRecordsAreNotFolded) {
  RunForTest run(two_phases());
  run.start();
  auto events = events_of(run.records);
  events.push_back(event_of(3, "run.renewed", {{"lease", 1}}));
  events.push_back(event_of(4, "run.told", {{"what", "answer"}, {"body", {{"question", "which.1"}, {"by", "kim"}}}}));
  events.push_back(event_of(5, "run.leased", {{"lease", 2}}));
  const RunReading reading = read(events);
  EXPECT_EQ(to_json(reading.state()), to_json(run.state));
  EXPECT_EQ(reading.last_n(), 5);
  ASSERT_EQ(reading.unheard().size(), 1U);
  EXPECT_EQ(std::get<workflow::told::Reply>(reading.unheard()[0].body).by, "kim");
  // The engine says which of them it has heard.
  events.push_back(event_of(6, event::CancelAsked::kKind, {{"told", 4}}));
  EXPECT_TRUE(read(events).unheard().empty());
}

TEST(RunReadingTest, HostileRecordsAreNotedAndSkipped) {
  RunForTest run(two_phases());
  run.start();
  const auto good = events_of(run.records);
  const std::vector<Json> bad = {
      Json(),
      Json(7),
      Json::object(),
      Json::parse(R"({"n":"3","kind":"step.done","at":"x","body":{}})"),
      Json::parse(R"({"n":3,"kind":7,"at":"2026-11-16T00:00:00.000Z","body":{}})"),
      event_of(3, event::Done::kKind, "text"),
      event_of(3, event::Done::kKind, {{"step", 1}}),
      event_of(3, event::Done::kKind, {{"then", "x"}}),
      event_of(3, "step.invented", Json::array()),
  };
  for (const auto& each : bad) {
    auto events = good;
    events.push_back(each);
    const RunReading reading = read(events);
    EXPECT_EQ(to_json(reading.state()), to_json(run.state)) << each.dump();
    EXPECT_FALSE(reading.notes().empty()) << each.dump();
  }
  auto unknown = good;
  unknown.push_back(event_of(3, "step.invented", {{"x", 1}}));
  EXPECT_NE(read(unknown).notes().at(0).find("'step.invented' is of a newer program"), std::string::npos);
  auto twice = good;
  twice.insert(twice.end(), good.begin(), good.end());
  EXPECT_EQ(to_json(read(twice).state()), to_json(run.state)) << "a record counts once";
}

TEST(RunReadingTest, ReadsPageByPage) {
  RunForTest run(two_phases());
  run.start();
  run.done("build");
  const auto events = events_of(run.records);
  std::vector<std::int64_t> asked;
  const ReadPage one_each = [&](std::int64_t after) -> Result<hub::ReadRun::Answer> {
    asked.push_back(after);
    hub::ReadRun::Answer page;
    const auto at = static_cast<std::size_t>(after);
    if (at + 1 < events.size()) page.next = after + 1;
    if (at < events.size())
      page.items.push_back({.n = after + 1,
                            .seq = {},
                            .at = parse_iso8601(events[at]["at"].get<std::string>()).value(),
                            .kind = events[at]["kind"],
                            .body = events[at]["body"]});
    return page;
  };
  RunReading reading;
  ASSERT_TRUE(read_to_end(reading, one_each));
  EXPECT_EQ(asked, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(to_json(reading.state()), to_json(run.state));
  RunReading stuck;
  const auto read = read_to_end(stuck, [](std::int64_t) -> Result<hub::ReadRun::Answer> {
    hub::ReadRun::Answer page;
    page.next = 1;
    return page;
  });
  ASSERT_FALSE(read) << "a hub that never ends is not asked for ever";
}

TEST(RunReadingTest, GoesOnFromAState) {
  RunForTest run(two_phases());
  run.start();
  RunReading reading;
  reading.begin_with(run.state, 2);
  run.done("build");
  for (const auto& each : events_of(run.records)) reading.add(each);
  EXPECT_EQ(to_json(reading.state()), to_json(run.state));
}

TEST(ReplayTest, DecidesTheSameAndFindsWhatWasDecidedOtherwise) {
  RunForTest run(two_phases());
  run.start();
  run.done("build");
  Replay same(two_phases(), std::nullopt);
  for (const auto& each : events_of(run.records)) same.reading().add(each);
  EXPECT_EQ(same.decided(), 3);
  EXPECT_TRUE(same.differences().empty());

  workflow::Pinned changed = two_phases();
  changed.bundle["say.md"] = "Do it differently.";
  Replay other(changed, std::nullopt);
  for (const auto& each : events_of(run.records)) other.reading().add(each);
  ASSERT_EQ(other.differences().size(), 1U);
  EXPECT_EQ(other.differences()[0].n, 2);
  EXPECT_EQ(to_json(other.reading().state()), to_json(run.state)) << "what was recorded counts";
}

TEST(ReplayTest, ComparesTheSnapshotWithItsRecord) {
  RunForTest run(two_phases());
  run.start();
  const workflow::RunState early = run.state;
  run.done("build");
  for (const std::int64_t n : {2, 3}) {
    Replay replay(std::nullopt, Snapshot{n, n == 2 ? early : run.state});
    for (const auto& each : events_of(run.records)) replay.reading().add(each);
    EXPECT_EQ(*replay.snapshot_differences(), std::vector<std::string>{}) << n;
    EXPECT_EQ(replay.decided(), 0) << "without its workflow";
  }
  workflow::RunState wrong = early;
  wrong.loops["verify"] = 7;
  Replay replay(std::nullopt, Snapshot{2, wrong});
  for (const auto& each : events_of(run.records)) replay.reading().add(each);
  EXPECT_EQ(*replay.snapshot_differences(), std::vector<std::string>{"loops"});
}

}  // namespace
}  // namespace teamster::engine
