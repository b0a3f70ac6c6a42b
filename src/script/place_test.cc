#include "script/place.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::script {
namespace {

std::string file_of(const std::vector<Json>& records) {
  std::string text;
  for (const auto& record : records) text += dump_json(record) + "\n";
  return text;
}

Result<Place> replay(const std::string& text) {
  std::size_t used = 0;
  return Place::replay(text, used);
}

TEST(Place, IsMadeAgainFromItsRecords) {
  const auto place = replay(file_of({
      record::session("id", "m1"),
      record::prompt("first", 0),
      record::step(0, {.said = "hello", .usage = Usage{10, 2, 0, 0, 0.5}}),
      record::end(),
      record::model("m2"),
      record::prompt("second", 2),
      record::step(0, {.usage = Usage{1, 1, 1, 1, 0.25}}),
      record::message("psst"),
      record::step(1, {.said = "again", .saved = {{"claim", Json{{"id", 4}}}}}),
  }));
  ASSERT_TRUE(place) << place.error().text();
  EXPECT_EQ(place->session_id, "id");
  EXPECT_EQ(place->model, "m2");
  EXPECT_EQ(place->heard, (std::vector<std::string>{"first", "second", "psst"}));
  EXPECT_EQ(place->prompts, 2);
  EXPECT_EQ(place->used, (std::set<int>{0, 2}));
  ASSERT_TRUE(place->current);
  EXPECT_EQ(place->current->turn, 2);
  EXPECT_EQ(place->current->next_step, 2U);
  EXPECT_EQ(place->current->said, "again");
  EXPECT_EQ(place->current->usage, (Usage{1, 1, 1, 1, 0.25}));
  EXPECT_EQ(place->spent.at("m1"), (Usage{10, 2, 0, 0, 0.5}));
  EXPECT_EQ(place->total(), (Usage{11, 3, 1, 1, 0.75}));
  EXPECT_EQ(place->saved.at("claim"), (Json{{"id", 4}}));
}

TEST(Place, APromptWithoutATurnGoesOnWithTheCurrentOne) {
  auto place = replay(file_of({record::session("id", "m"), record::prompt("a", 0), record::step(0)}));
  ASSERT_TRUE(place);
  EXPECT_TRUE(place->apply(record::prompt("b", std::nullopt)));
  EXPECT_EQ(place->current->next_step, 1U);
  EXPECT_EQ(place->prompts, 2);
  EXPECT_TRUE(place->apply(record::end()));
  EXPECT_FALSE(place->apply(record::prompt("c", std::nullopt)));
}

TEST(Place, OtherwiseAndNothingAreNeverUsedUp) {
  auto place = replay(file_of({record::session("id", "m"), record::prompt("a", kOtherwise)}));
  ASSERT_TRUE(place);
  EXPECT_TRUE(place->used.empty());
  EXPECT_EQ(place->current->turn, kOtherwise);
}

TEST(Place, WhatACrashLeftOfALineIsNotCounted) {
  const std::string whole = file_of({record::session("id", "m"), record::prompt("a", 0)});
  std::size_t used = 0;
  const auto place = Place::replay(whole + R"({"step":0)", used);
  ASSERT_TRUE(place);
  EXPECT_EQ(used, whole.size());
  EXPECT_EQ(place->current->next_step, 0U);
}

TEST(Place, ADamagedFileIsAnError) {
  const std::string begin = file_of({record::session("id", "m")});
  EXPECT_FALSE(replay(""));
  EXPECT_EQ(replay(begin + "{broken\n").error().what, "line 2: not valid JSON at byte 1");
  EXPECT_FALSE(replay(begin + "[]\n"));
  EXPECT_FALSE(replay(begin + "{\"other\":1}\n"));
  EXPECT_FALSE(replay(begin + "{\"step\":0}\n")) << "there is no turn";
  EXPECT_FALSE(replay(begin + "{\"prompt\":5,\"turn\":0}\n"));
  EXPECT_FALSE(replay(R"({"format":2,"session":"id","model":"m"})"
                      "\n"));
}

TEST(Place, OfALongPromptOnlyTheBeginningIsKept) {
  std::string text(limits::kScriptHeardMaxBytes - 1, 'x');
  text += "äöü and more";
  const auto kept = record::prompt(text, 0)["prompt"].get<std::string>();
  EXPECT_LE(kept.size(), limits::kScriptHeardMaxBytes + 4);
  EXPECT_EQ(find_invalid_utf8(kept), std::nullopt);
}

}  // namespace
}  // namespace teamster::script
