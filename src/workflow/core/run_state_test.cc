#include "workflow/core/run_state.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

RunRecord record(std::string_view kind, const char* body) {
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
  written.event = {event::Done{.answer = {{"ok", true}}}, "verify", 2};
  written.commands = {{command::Settle{.phase = "verify"}},
                      {command::Turn{.member = "builder", .role = "builder", .team = "t", .prompt = "x"}, "fix", 1}};
  const Json body = body_of(written);
  EXPECT_EQ(body, Json::parse(R"({"step":"verify","attempt":2,"answer":{"ok":true},"then":[
      {"do":"settle","phase":"verify","sequence":0,"loops":{}},
      {"do":"turn","step":"fix","attempt":1,"member":"builder","role":"builder","team":"t","prompt":"x",
       "first":true}]})"));
  const auto read = read_record(event::Done::kKind, body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->event.step, "verify");
  ASSERT_TRUE(read->event.is<event::Done>());
  EXPECT_EQ(read->event.as<event::Done>()->answer, Json::parse(R"({"ok":true})"));
  EXPECT_EQ(read->commands.at(1).id(), "fix.1");
  EXPECT_TRUE(read->commands[1].has_effect());
  EXPECT_FALSE(read->commands[0].has_effect());
}

TEST(RunRecordTest, BrokenBodiesAreRefused) {
  for (const char* body : {R"([])", R"("x")", R"({"step":1})", R"({"attempt":"1"})", R"({"then":{}})",
                           R"({"then":["turn"]})", R"({"then":[{"step":"a"}]})", R"({"then":[{"do":1}]})"}) {
    EXPECT_FALSE(read_record(event::Done::kKind, Json::parse(body))) << body;
  }
}

TEST(RunStateTest, BodiesOfTheWrongShapeAreAsIfAbsent) {
  const std::vector<std::pair<std::string_view, const char*>> bodies = {
      {event::Started::kKind,
       R"({"args":[],"values":3,"skills":[1,"a",null],"resume":{"loops":[1],"answers":"x","phase":7}})"},
      {event::Started::kKind, R"({"resume":{"loops":{"a":"many","b":2},"answers":{"x":3},"next_sequence":"y"}})"},
      {event::Done::kKind,
       R"({"step":"a","attempt":1,"usage":[1],"then":[{"do":"enter","phase":4,"loops":{"x":{}}}]})"},
      {event::Done::kKind,
       R"({"usage":{"input_tokens":"many","cost_usd":"free"},"then":[{"do":"items","list":"abc"}]})"},
      {event::Done::kKind,
       R"({"then":[{"do":"make_team","step":"a/team","attempt":1,"team":5,"members":[1,{"name":2}]}]})"},
      {event::Done::kKind, R"({"then":[{"do":"turn","step":"a","attempt":-4,"member":[],"temporary":"x","rung":1}]})"},
      {event::Done::kKind,
       R"({"then":[{"do":"settle","phase":"a","sequence":"1","loops":7},{"do":"raise"},{"do":"remind"}]})"},
      {event::Done::kKind, R"({"then":[{"do":"end","step":"end","attempt":1,"status":[],"reason":{}}]})"},
      {event::TeamGone::kKind, R"({"team":[]})"},
      {event::MemberLost::kKind, R"({"member":{}})"},
      {"step.invented", R"({"then":[{"do":"invented","step":"z","attempt":1}]})"},
      {event::Ended::kKind, R"({"status":3})"},
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
  const RunState state =
      folded({record(event::Started::kKind, R"({"then":[{"do":"invented","step":"z","attempt":1}]})")});
  EXPECT_EQ(state.open.count("z.1"), 1U);
}

TEST(RunStateTest, UsageIsCountedByScope) {
  const RunState state = folded({
      record(event::Started::kKind,
             R"({"then":[{"do":"turn","step":"fix/2","attempt":1,"member":"b-1","role":"builder"}]})"),
      record(event::Done::kKind,
             R"({"step":"fix/2","attempt":1,"usage":{"input_tokens":10,"output_tokens":5,"cost_usd":0.5}})"),
      record(event::Done::kKind, R"({"step":"fix/2","attempt":1,"usage":{"input_tokens":1}})"),
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
      record(event::Started::kKind,
             R"({"then":[{"do":"make_team","step":"team","attempt":1,"team":"t","members":[]}]})"),
      record(event::TeamReady::kKind,
             R"({"step":"team","attempt":1,"team":"t","then":[{"do":"enter","phase":"late"}]})"),
  });
  EXPECT_EQ(state.phase, "late");
  EXPECT_TRUE(state.open.empty());
}

}  // namespace
}  // namespace teamster::workflow
