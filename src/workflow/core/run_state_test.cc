#include "workflow/core/run_state.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

RunRecord record(const char* kind, const char* body) {
  auto read = read_record(kind, Json::parse(body));
  EXPECT_TRUE(read) << read.error().text();
  return read ? *read : RunRecord{};
}

RunState folded(const std::vector<RunRecord>& records) {
  RunState state;
  for (const auto& each : records) apply(state, each);
  return state;
}

TEST(RunRecordTest, IsReadAsItWasWritten) {
  RunRecord written;
  written.event = {event::kDone, "verify", 2, {{"answer", {{"ok", true}}}}};
  written.commands = {{command::kSettle, "", 0, {{"phase", "verify"}}},
                      {command::kTurn, "fix", 1, {{"member", "builder"}, {"prompt", "x"}}}};
  const Json body = body_of(written);
  EXPECT_EQ(body, Json::parse(R"({"step":"verify","attempt":2,"answer":{"ok":true},"then":[
      {"do":"settle","phase":"verify"},{"do":"turn","step":"fix","attempt":1,"member":"builder","prompt":"x"}]})"));
  const auto read = read_record(event::kDone, body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->event.step, "verify");
  EXPECT_EQ(read->event.body, Json::parse(R"({"answer":{"ok":true}})"));
  EXPECT_EQ(read->commands.at(1).id(), "fix.1");
  EXPECT_TRUE(read->commands[1].has_effect());
  EXPECT_FALSE(read->commands[0].has_effect());
}

TEST(RunRecordTest, BrokenBodiesAreRefused) {
  for (const char* body : {R"([])", R"("x")", R"({"step":1})", R"({"attempt":"1"})", R"({"then":{}})",
                           R"({"then":["turn"]})", R"({"then":[{"step":"a"}]})", R"({"then":[{"do":1}]})"}) {
    EXPECT_FALSE(read_record(event::kDone, Json::parse(body))) << body;
  }
}

TEST(RunStateTest, BodiesOfTheWrongShapeAreAsIfAbsent) {
  const std::vector<std::pair<const char*, const char*>> bodies = {
      {event::kStarted,
       R"({"args":[],"values":3,"skills":[1,"a",null],"resume":{"loops":[1],"answers":"x","phase":7}})"},
      {event::kStarted, R"({"resume":{"loops":{"a":"many","b":2},"answers":{"x":3},"next_sequence":"y"}})"},
      {event::kDone, R"({"step":"a","attempt":1,"usage":[1],"then":[{"do":"enter","phase":4,"loops":{"x":{}}}]})"},
      {event::kDone, R"({"usage":{"input_tokens":"many","cost_usd":"free"},"then":[{"do":"items","list":"abc"}]})"},
      {event::kDone, R"({"then":[{"do":"make_team","step":"a/team","attempt":1,"team":5,"members":[1,{"name":2}]}]})"},
      {event::kDone, R"({"then":[{"do":"turn","step":"a","attempt":-4,"member":[],"temporary":"x","rung":1}]})"},
      {event::kDone,
       R"({"then":[{"do":"settle","phase":"a","sequence":"1","loops":7},{"do":"raise"},{"do":"remind"}]})"},
      {event::kDone, R"({"then":[{"do":"end","step":"end","attempt":1,"status":[],"reason":{}}]})"},
      {event::kTeamGone, R"({"team":[]})"},
      {event::kMemberLost, R"({"member":{}})"},
      {"step.invented", R"({"then":[{"do":"invented","step":"z","attempt":1}]})"},
      {event::kEnded, R"({"status":3})"},
  };
  RunState state;
  for (const auto& [kind, body] : bodies) {
    apply(state, record(kind, body));
    const auto again = state_from_json(to_json(state));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(to_json(*again), to_json(state)) << body;
  }
  EXPECT_EQ(state.skills, (std::vector<std::string>{"a"}));
  EXPECT_EQ(state.loops, (std::map<std::string, std::int64_t>{{"b", 2}}));
}

TEST(RunStateTest, AnEffectOfAnUnknownKindStaysOpenAndIsVisible) {
  const RunState state = folded({record(event::kStarted, R"({"then":[{"do":"invented","step":"z","attempt":1}]})")});
  EXPECT_EQ(state.open.count("z.1"), 1U);
}

TEST(RunStateTest, UsageIsCountedByScope) {
  const RunState state = folded({
      record(event::kStarted, R"({"then":[{"do":"turn","step":"fix/2","attempt":1,"member":"b-1","role":"builder"}]})"),
      record(event::kDone,
             R"({"step":"fix/2","attempt":1,"usage":{"input_tokens":10,"output_tokens":5,"cost_usd":0.5}})"),
      record(event::kDone, R"({"step":"fix/2","attempt":1,"usage":{"input_tokens":1}})"),
  });
  EXPECT_EQ(state.usage.at("run").turns, 2) << "what was spent late was spent";
  EXPECT_EQ(state.usage.at("run").tokens, 16);
  EXPECT_DOUBLE_EQ(state.usage.at("phase/fix").usd, 0.5);
  EXPECT_EQ(state.usage.at("role/builder").tokens, 15) << "whose the late one was is not known any more";
}

TEST(RunStateTest, ASnapshotOfAnotherShapeIsRefused) {
  for (const char* json :
       {R"([])", R"(3)", R"({"loops":7})", R"({"members":{"a":1}})", R"({"open":{"a":{"attempt":"x"}}})"})
    EXPECT_FALSE(state_from_json(Json::parse(json))) << json;
  const auto older = state_from_json(Json::parse(R"({"phase":"fix","unknown":1})"));
  ASSERT_TRUE(older) << "absent fields have their defaults";
  EXPECT_EQ(older->phase, "fix");
  EXPECT_EQ(older->next_sequence, 1);
}

TEST(RunStateTest, RecordedCommandsCountAndNothingElse) {
  // What a newer program would decide is no matter: the record says where the run is.
  const RunState state = folded({
      record(event::kStarted, R"({"then":[{"do":"make_team","step":"team","attempt":1,"team":"t","members":[]}]})"),
      record(event::kTeamReady, R"({"step":"team","attempt":1,"team":"t","then":[{"do":"enter","phase":"late"}]})"),
  });
  EXPECT_EQ(state.phase, "late");
  EXPECT_TRUE(state.open.empty());
}

}  // namespace
}  // namespace teamster::workflow
