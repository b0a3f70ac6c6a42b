#include "engine/journal_fold.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/run_reading.h"

namespace teamster::engine {
namespace {

// Records as the hub hands them out.
const std::string kStarted =
    R"({"at":"2026-11-16T10:00:00.000Z","body":{"run":"w","body":{"args":{"spec":"01"},"skills":["a\"b"],)"
    R"("then":[{"attempt":1,"do":"make_team","members":[{"name":"builder","role":"builder"}],"step":"team","team":"t"}]}},)"
    R"("kind":"run.started","n":1,"seq":7})";
const std::string kLeased =
    R"({"at":"2026-11-16T10:00:01.000Z","body":{"lease":2,"step":5},"kind":"run.leased","n":2,"seq":8})";
const std::string kReady =
    R"({"at":"2026-11-16T10:00:02.000Z","body":{"attempt":1,"step":"team","team":"t","then":[)"
    R"({"do":"enter","loops":{"again":3},"phase":"build","sender":""},)"
    R"({"attempt":1,"do":"turn","member":"builder","prompt":"say \"then\":[{\"do\"","role":"builder","step":"build"}],)"
    R"("usage":{"input_tokens":4,"cost_usd":0.25}},"kind":"run.team_ready","n":3,"seq":9})";

std::string page_of(const std::string& events, bool more = false) {
  return R"({"ended":false,"last":3,"more":)" + std::string(more ? "true" : "false") + R"(,"events":[)" + events + "]}";
}

Result<Snapshot> folded(const Snapshot& kept, const std::string& text) {
  JournalFold fold(kept);
  auto page = TRY(hub::ReadRun::read(TRY(parse_json(text))));
  TRY_VOID(fold.add(std::move(page.items)));
  return fold.take();
}

TEST(JournalFoldTest, GivesTheStateThatTheRecordsGive) {
  const auto taken = folded({}, page_of(kStarted + "," + kLeased + "," + kReady));
  ASSERT_TRUE(taken) << taken.error().text();
  RunReading reading;
  for (const auto& event : {kStarted, kLeased, kReady}) reading.add(Json::parse(event));
  EXPECT_EQ(to_json(taken->state), to_json(reading.state()));
  EXPECT_EQ(taken->n, 3);
  EXPECT_EQ(taken->state.open.at("build.1").get<workflow::command::Turn>().prompt, "say \"then\":[{\"do\"");
  EXPECT_EQ(taken->state.skills, std::vector<std::string>{"a\"b"});
  ASSERT_EQ(taken->since.size(), 1U);
  EXPECT_EQ(taken->since.at("build.1"), *parse_iso8601("2026-11-16T10:00:02.000Z"));
}

TEST(JournalFoldTest, GoesOnFromWhatWasKept) {
  const auto kept = folded({}, page_of(kStarted + "," + kLeased));
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->since.at("team.1"), *parse_iso8601("2026-11-16T10:00:00.000Z"));
  const auto unchanged = folded(*kept, page_of(kLeased));
  ASSERT_TRUE(unchanged) << unchanged.error().text();
  EXPECT_EQ(to_json(unchanged->state), to_json(kept->state));
  EXPECT_EQ(unchanged->since.at("team.1"), kept->since.at("team.1"));
  EXPECT_EQ(to_json(folded(*kept, page_of(kReady))->state),
            to_json(folded({}, page_of(kStarted + "," + kLeased + "," + kReady))->state));
}

TEST(JournalFoldTest, WhatIsNoJournalIsRefused) {
  for (const char* text :
       {"7", R"({})", R"({"kind":"step.done","n":1})", R"({"body":{},"n":1})", R"({"body":{},"kind":"step.done"})",
        R"({"body":[],"kind":"step.done","n":1})", R"({"body":{"then":[7]},"kind":"step.done","n":1})",
        R"({"body":{},"kind":"run.started","n":1})"})
    EXPECT_FALSE(folded({}, page_of(text))) << text;
  for (const char* text : {"", "[]", "{}", R"({"events":7,"last":0})"}) EXPECT_FALSE(folded({}, text)) << text;
}

}  // namespace
}  // namespace teamster::engine
