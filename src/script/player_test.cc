// Turns: how prompts find their steps, what is printed, folded in, counted and kept.
#include "script/player.h"

#include <csignal>

#include <gtest/gtest.h>

#include "script/player_for_test.h"

namespace teamster::script {
namespace {

using Kinds = std::vector<std::string>;

TEST(Player, PrintsNothingBeforeItIsSpokenTo) {
  Stage stage(Stage::turn(R"({"say":"hi"})"));
  EXPECT_EQ(stage.printed, "");
  EXPECT_TRUE(stage.records.empty());
}

TEST(Player, ATurnIsInitThenWordsThenResult) {
  Stage stage(Stage::turn(R"({"think":"hm"},{"say":"one"},{"say":"two of {{TURN}}: {{PROMPT}}"})"));
  stage.say("go");
  EXPECT_EQ(stage.kinds(), (Kinds{"init", "assistant:thinking", "assistant:text", "assistant:text", "result"}));
  const Json result = stage.only("result");
  EXPECT_EQ(result["result"], "two of 1: go");
  EXPECT_EQ(result["subtype"], "success");
  EXPECT_EQ(result["is_error"], false);
  EXPECT_EQ(result["stop_reason"], "end_turn");
  EXPECT_EQ(result["terminal_reason"], "completed");
  EXPECT_EQ(result["num_turns"], 1);
  EXPECT_EQ(result["session_id"], "id");
  EXPECT_FALSE(stage.effect);
  EXPECT_FALSE(stage.left);
}

TEST(Player, APromptTakesTheFirstUnusedTurnThatMatches) {
  Stage stage(R"({"turns":[{"when":{"contains":"b"},"steps":[{"say":"1"}]},{"steps":[{"say":"2"}]},
                           {"when":{"contains":"b"},"steps":[{"say":"3"}]}],"otherwise":[{"say":"other {{TURN}}"}]})");
  std::vector<std::string> said;
  for (const char* prompt : {"a", "b", "b", "b", "c"}) {
    stage.forget();
    stage.say(prompt);
    said.push_back(stage.only("result")["result"]);
  }
  EXPECT_EQ(said, (std::vector<std::string>{"2", "1", "3", "other 4", "other 5"}));
}

TEST(Player, ATurnThatRepeatsIsNeverUsedUp) {
  Stage stage(R"({"turns":[{"when":{"contains":"b"},"repeat":true,"steps":[{"say":"1"}]},{"steps":[{"say":"2"}]}]})");
  std::vector<std::string> said;
  for (const char* prompt : {"b", "a", "b", "b", "a"}) {
    stage.forget();
    stage.say(prompt);
    said.push_back(stage.only("result")["result"]);
  }
  EXPECT_EQ(said, (std::vector<std::string>{"1", "2", "1", "1", "nothing left in the script"}));
}

TEST(Player, SaysWhenNothingIsLeft) {
  Stage stage(R"({"turns":[]})");
  stage.say("a");
  EXPECT_EQ(stage.only("result")["result"], "nothing left in the script");
}

TEST(Player, EndStopsBeforeTheLastStep) {
  Stage stage(Stage::turn(R"({"say":"a"},{"end":{"stop_reason":"max_tokens"}},{"say":"b"})"));
  stage.say("x");
  EXPECT_EQ(stage.only("result")["result"], "a");
  EXPECT_EQ(stage.only("result")["stop_reason"], "max_tokens");
}

TEST(Player, UsageIsPerTurnAndMoneyForTheSession) {
  Stage stage(
      R"({"turns":[],"otherwise":[{"usage":{"input_tokens":100,"cost_usd":0.5}},{"usage":{"output_tokens":20}}]})");
  stage.say("a");
  stage.forget();
  stage.say("b");
  const Json result = stage.only("result");
  EXPECT_EQ(result["usage"]["input_tokens"], 100);
  EXPECT_EQ(result["usage"]["output_tokens"], 20);
  EXPECT_EQ(result["total_cost_usd"], 1.0);
  EXPECT_EQ(result["modelUsage"]["m"]["inputTokens"], 200);
  EXPECT_EQ(result["model_usage_since_last_result"]["m"]["inputTokens"], 100);
  EXPECT_EQ(result["result_index"], 1);
}

TEST(Player, AUuidIsFollowedByItsLifecycle) {
  Stage stage(Stage::turn(R"({"say":"a"})"));
  stage.say("x", "u1");
  EXPECT_EQ(stage.kinds(), (Kinds{"queued:u1", "started:u1", "init", "assistant:text", "result", "completed:u1"}));
  EXPECT_EQ(stage.lines()[2]["user_message_uuids"], Json::array({"u1"}));
  EXPECT_EQ(stage.only("assistant")["user_message_uuid"], "u1");
  EXPECT_EQ(stage.only("result")["user_message_uuids"], Json::array({"u1"}));
  stage.forget();
  stage.say("again", "u1");
  EXPECT_EQ(stage.printed, "") << "a uuid that was used is dropped";
  stage.say("a number", 17);
  EXPECT_EQ(stage.kinds().front(), "queued:17");
}

TEST(Player, ReplaysAPromptWithTheFirstWordOfTheModel) {
  Stage stage(Stage::turn(R"({"sleep":"1s"},{"say":"a"},{"say":"b"})"), {.replays = true});
  stage.say("x", "u1");
  EXPECT_EQ(stage.kinds(), (Kinds{"queued:u1", "started:u1", "init"}));
  stage.forget();
  stage.finish();
  EXPECT_EQ(stage.kinds(), (Kinds{"replay", "assistant:text", "assistant:text", "result", "completed:u1"}));
}

TEST(Player, AMessageIsFoldedInAfterTheNextToolResult) {
  Stage stage(Stage::turn(R"({"say":"working"},{"run":"make"},{"say":"heard {{MESSAGE}}"})"), {.replays = true});
  stage.say("x", "u1");
  stage.forget();
  stage.say("hurry", "u2");
  EXPECT_EQ(stage.kinds(), (Kinds{"queued:u2"}));
  stage.forget();
  stage.finish({.text = "ok", .exit = 0});
  EXPECT_EQ(stage.kinds(), (Kinds{"user:tool_result", "replay", "started:u2", "assistant:text", "completed:u2",
                                  "result", "completed:u1"}));
  EXPECT_EQ(stage.only("result")["result"], "heard hurry");
  EXPECT_FALSE(stage.only("assistant").contains("user_message_uuid"));
}

TEST(Player, AMessageThatComesTooLateGetsItsOwnTurn) {
  Stage stage(R"({"turns":[{"steps":[{"sleep":"1s"},{"say":"a"}]},{"steps":[{"say":"b {{PROMPT}}"}]}]})");
  stage.say("x", "u1");
  stage.say("y", "u2");
  stage.forget();
  stage.finish();
  EXPECT_EQ(stage.kinds(), (Kinds{"assistant:text", "result", "completed:u1", "started:u2", "init", "assistant:text",
                                  "result", "completed:u2"}));
  EXPECT_EQ(stage.lines()[1]["queued_turn_count"], 1);
  EXPECT_EQ(stage.lines()[6]["result"], "b y");
}

TEST(Player, AMessageForLaterIsNotFoldedIn) {
  Stage stage(R"({"turns":[{"steps":[{"run":"a"}]},{"steps":[{"say":"b"}]}]})");
  stage.say("x", "u1");
  stage.say("y", "u2", {{"priority", "later"}});
  stage.forget();
  stage.finish({.exit = 0});
  EXPECT_EQ(stage.kinds(), (Kinds{"user:tool_result", "result", "completed:u1", "started:u2", "init", "assistant:text",
                                  "result", "completed:u2"}));
}

TEST(Player, AMessageThatCannotWaitCutsTheTurn) {
  const std::string script =
      R"({"turns":[{"steps":[{"say":"a"},{"sleep":"9s"},{"say":"never"}]},{"steps":[{"say":"b"}]}]})";
  Stage stage(script);
  stage.say("x", "u1");
  stage.forget();
  stage.say("y", "u2", {{"priority", "now"}});
  EXPECT_EQ(stage.kinds(), (Kinds{"queued:u2", "result", "cancelled:u1", "started:u2", "init", "assistant:text",
                                  "result", "completed:u2"}));
  EXPECT_EQ(stage.lines()[1]["is_error"], false);
  EXPECT_EQ(stage.lines()[1]["terminal_reason"], "aborted_streaming");
  EXPECT_EQ(stage.abandoned, 1);
}

TEST(Player, AMessageThatCannotWaitWaitsForTheToolAllTheSame) {
  Stage stage(R"({"turns":[{"steps":[{"run":"a"},{"say":"never"}]},{"steps":[{"say":"b"}]}]})");
  stage.say("x", "u1");
  stage.say("y", "u2", {{"priority", "now"}});
  EXPECT_EQ(stage.running<Command>().command, "a");
  stage.forget();
  stage.finish({.exit = 0});
  EXPECT_EQ(stage.kinds(), (Kinds{"user:tool_result", "result", "cancelled:u1", "started:u2", "init", "assistant:text",
                                  "result", "completed:u2"}));
  EXPECT_EQ(stage.lines()[1]["terminal_reason"], "aborted_tools");
}

TEST(Player, WaitsForAMessageOrUntilItsTimeIsUp) {
  Stage stage(Stage::turn(R"({"wait_message":{"timeout":"5s"}},{"say":"1 {{MESSAGE}}"},
                             {"wait_message":{"timeout":"6s"}},{"say":"2 {{MESSAGE}}"})"));
  stage.say("x");
  EXPECT_EQ(stage.running<Pause>().span, std::chrono::seconds(5));
  stage.say("psst");
  EXPECT_EQ(stage.abandoned, 1);
  EXPECT_EQ(stage.running<Pause>().span, std::chrono::seconds(6));
  EXPECT_EQ(stage.block("text")["text"], "1 psst");
  stage.finish();
  EXPECT_EQ(stage.only("result")["result"], "2 ");
}

TEST(Player, AMessageThatWasFoldedInNeedsNoMoreWaiting) {
  Stage stage(Stage::turn(R"({"run":"a"},{"wait_message":{"timeout":"5s"}},{"wait_message":{"timeout":"5s"}})"));
  stage.say("x");
  stage.say("one");
  stage.finish({.exit = 0});
  EXPECT_EQ(stage.running<Pause>().span, std::chrono::seconds(5)) << "for the second one";
  EXPECT_EQ(stage.player().place().current->next_step, 2U);
}

TEST(Player, AnUnsolicitedResultFollowsTheTurn) {
  Stage stage(Stage::turn(R"({"unsolicited":{"text":"by the way"}},{"say":"a"})"));
  stage.say("x", "u1");
  EXPECT_EQ(stage.kinds(), (Kinds{"queued:u1", "started:u1", "init", "assistant:text", "result", "completed:u1", "init",
                                  "assistant:text", "result"}));
  EXPECT_EQ(stage.lines().back()["origin"]["kind"], "task-notification");
  EXPECT_EQ(stage.lines().back()["result"], "by the way");
  EXPECT_EQ(stage.lines().back()["result_index"], 1);
  EXPECT_FALSE(stage.lines()[4].contains("origin"));
}

TEST(Player, AtTheEndOfInputItFinishesWhatItHasHeard) {
  Stage idle(Stage::turn(""));
  idle.end_input();
  ASSERT_TRUE(idle.left);
  EXPECT_EQ(idle.left->exit, 0);

  Stage busy(R"({"turns":[{"steps":[{"run":"a"}]},{"steps":[{"say":"b"}]}]})");
  busy.say("x", "u1");
  busy.say("y", "u2", {{"priority", "later"}});
  busy.end_input();
  EXPECT_FALSE(busy.left);
  busy.finish({.exit = 0});
  ASSERT_TRUE(busy.left);
  EXPECT_EQ(busy.left->exit, 0);
  EXPECT_EQ(busy.kinds().back(), "completed:u2");
}

TEST(Player, NobodyIsWaitedForAfterTheEndOfInput) {
  Stage waiting(Stage::turn(R"({"wait_message":{"timeout":"1h"}},{"say":"a"})"));
  waiting.say("x");
  waiting.end_input();
  EXPECT_TRUE(waiting.left);
  EXPECT_EQ(waiting.only("result")["result"], "a");
  Stage asking(Stage::turn(R"({"permission":{"tool":"Bash","input":{"command":"ls"}}})"), {.asks_permission = true});
  asking.say("x");
  asking.end_input();
  EXPECT_TRUE(asking.left);
  EXPECT_EQ(asking.only("result")["permission_denials"].size(), 1U);
}

TEST(Player, BadInputEndsIt) {
  Stage stage(Stage::turn(""));
  stage.raw("not json");
  ASSERT_TRUE(stage.left);
  EXPECT_EQ(stage.left->exit, 1);
  EXPECT_TRUE(stage.left->complaint.starts_with("Error parsing streaming input line"));
}

TEST(Player, SignalsEndIt) {
  for (const auto& [signal, exit] : {std::pair(SIGTERM, 143), std::pair(SIGHUP, 129)}) {
    Stage stage(Stage::turn(R"({"run":"sleep 100"})"));
    stage.say("x", "u1");
    stage.forget();
    stage.signal(signal);
    ASSERT_TRUE(stage.left);
    EXPECT_EQ(stage.left->exit, exit);
    EXPECT_TRUE(stage.left->in_a_hurry);
    EXPECT_EQ(stage.kinds(), (Kinds{"user:tool_result"})) << "no result, no lifecycle";
    EXPECT_EQ(stage.block("tool_result")["content"], "Exit code 137");
  }
  Stage stage(Stage::turn(R"({"run":"sleep 100"})"));
  stage.say("x", "u1");
  stage.forget();
  stage.signal(SIGINT);
  EXPECT_EQ(stage.kinds(), (Kinds{"user:tool_result", "user:text", "result", "cancelled:u1"}));
  ASSERT_TRUE(stage.left);
  EXPECT_EQ(stage.left->exit, 0);
}

TEST(Player, KeepsItsPlaceAfterEachFinishedStep) {
  Stage stage(Stage::turn(R"({"say":"a"},{"run":"b"},{"say":"c"})"));
  stage.say("x");
  ASSERT_EQ(stage.records.size(), 3U);
  EXPECT_EQ(stage.records[0]["session"], "id");
  EXPECT_EQ(stage.records[1]["turn"], 0);
  EXPECT_EQ(stage.records[2]["step"], 0) << "the command has not finished";
  stage.finish({.exit = 0});
  EXPECT_EQ(stage.records.size(), 6U);
  EXPECT_EQ(stage.records.back(), record::end());
}

// What a process that died has kept, played on by the next one.
Place place_after(const Stage& stage) {
  std::string text;
  for (const auto& record : stage.records) text += dump_json(record) + "\n";
  std::size_t used = 0;
  auto place = Place::replay(text, used);
  EXPECT_TRUE(place) << (place ? "" : place.error().text());
  return place ? *std::move(place) : Place();
}

TEST(Player, GoesOnWithTheFirstUnfinishedStepAfterACrash) {
  const std::string script =
      R"({"turns":[{"steps":[{"usage":{"input_tokens":7}},{"say":"a"},{"run":"b"},{"say":"c {{TURN}} {{HEARD}}"}]},
                   {"steps":[{"say":"next"}]}]})";
  Stage before(script, {.model = "first"});
  before.say("x");
  Stage after(script, {}, place_after(before));
  after.say("again");
  EXPECT_EQ(after.running<Command>().command, "b") << "not finished: it is run again";
  EXPECT_EQ(after.kinds(), (Kinds{"init", "assistant:tool_use"})) << "what was said is not said again";
  after.finish({.exit = 0});
  const Json result = after.only("result");
  EXPECT_EQ(result["result"], "c 2 x\nagain");
  EXPECT_EQ(result["usage"]["input_tokens"], 7);
  EXPECT_EQ(result["modelUsage"]["first"]["inputTokens"], 7) << "a session keeps its model";
  after.forget();
  after.say("more");
  EXPECT_EQ(after.only("result")["result"], "next");
}

TEST(Player, GoesOnBehindTheStepThatKilledIt) {
  for (const char* fault : {R"({"crash":{"exit":3}})", R"({"mute":{}})"}) {
    const std::string script = Stage::turn(std::string(R"({"say":"a"},)") + fault + R"(,{"say":"b"})");
    Stage before(script);
    before.say("x");
    EXPECT_EQ(before.died.has_value(), std::string_view(fault).starts_with(R"({"crash)"));
    Stage after(script, {}, place_after(before));
    after.say("again");
    EXPECT_EQ(after.only("result")["result"], "b") << fault;
  }
}

TEST(Player, AnEndedTurnIsNotGoneOnWith) {
  const std::string script = R"({"turns":[{"steps":[{"say":"a"}]},{"steps":[{"say":"b"}]}]})";
  Stage before(script);
  before.say("x");
  Stage after(script, {.model = "other"}, place_after(before));
  after.say("y");
  EXPECT_EQ(after.only("result")["result"], "b");
  EXPECT_EQ(after.only("assistant")["message"]["model"], "other");
  EXPECT_EQ(after.records.front(), record::model("other"));
}

TEST(Player, AScriptThatWasShortenedMeanwhileIsNoDisaster) {
  Stage before(Stage::turn(R"({"say":"a"},{"run":"b"})"));
  before.say("x");
  Stage after(R"({"turns":[]})", {}, place_after(before));
  after.say("y");
  EXPECT_EQ(after.only("result")["is_error"], false);
}

// How long a turn and its pause take.
std::vector<Duration> spans(std::uint64_t seed, const std::string& member) {
  Settings settings;
  settings.seed = seed;
  settings.member = member;
  Stage stage(Stage::turn(R"({"sleep":"10s"},{"say":"a"})"), settings);
  stage.say("x");
  const Duration opening = stage.running<Pause>().span;
  stage.finish();
  const Duration sleep = stage.running<Pause>().span;
  stage.finish();
  EXPECT_EQ(stage.only("result")["result"], "a");
  return {opening, sleep};
}

TEST(Player, ASeedPermutesPausesTheSameWayEachTime) {
  EXPECT_EQ(spans(7, "builder"), spans(7, "builder"));
  EXPECT_NE(spans(7, "builder"), spans(8, "builder"));
  EXPECT_NE(spans(7, "builder"), spans(7, "tester"));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_GE(spans(seed, "builder")[1], std::chrono::seconds(5));
    EXPECT_LE(spans(seed, "builder")[1], std::chrono::seconds(15));
  }
}

TEST(Player, ATurnCanBeInterruptedBeforeItsFirstStep) {
  Settings settings;
  settings.seed = 1;
  Stage stage(Stage::turn(R"({"say":"a"})"), settings);
  stage.say("x");
  stage.control({{"subtype", "interrupt"}});
  EXPECT_EQ(stage.abandoned, 1);
  EXPECT_EQ(stage.only("result")["is_error"], true);
}

}  // namespace
}  // namespace teamster::script
