// Steps: tools and their results, permissions, answers, and everything that goes wrong.
#include <csignal>

#include <gtest/gtest.h>

#include "script/player_for_test.h"

namespace teamster::script {
namespace {

using Kinds = std::vector<std::string>;

TEST(PlayerSteps, ACommandIsABashTool) {
  Stage stage(Stage::turn(R"({"run":"make"},{"run":"test"},{"say":"done"})"));
  stage.say("x");
  EXPECT_EQ(stage.running<Command>().command, "make");
  EXPECT_EQ(stage.block("tool_use")["name"], "Bash");
  EXPECT_EQ(stage.block("tool_use")["input"]["command"], "make");
  const std::string id = stage.block("tool_use")["id"];
  stage.finish({.text = "built", .exit = 0});
  EXPECT_EQ(stage.block("tool_result")["tool_use_id"], id);
  EXPECT_EQ(stage.block("tool_result")["content"], "built");
  EXPECT_FALSE(stage.block("tool_result").contains("is_error"));
  stage.forget();
  stage.finish({.text = "oops", .exit = 3});
  EXPECT_EQ(stage.block("tool_result")["content"], "Exit code 3\noops");
  EXPECT_EQ(stage.block("tool_result")["is_error"], true);
  EXPECT_EQ(stage.only("result")["num_turns"], 3);
  EXPECT_EQ(stage.only("result")["is_error"], false);
}

TEST(PlayerSteps, AnUnexpectedExitCodeFailsTheTurn) {
  const std::string script = Stage::turn(R"({"run":{"command":"test","expect_exit":1}},{"say":"done"})");
  Stage good(script);
  good.say("x");
  good.finish({.exit = 1});
  EXPECT_EQ(good.only("result")["result"], "done");
  Stage bad(script, {.script_file = "script.json"});
  bad.say("x");
  bad.finish({.exit = 0});
  EXPECT_EQ(bad.only("result")["is_error"], true);
  EXPECT_EQ(bad.only("result")["errors"],
            Json::array({"script.json, turn 1: the script expected exit code 1 of 'test', and it was 0"}));
  EXPECT_EQ(bad.only("result")["terminal_reason"], "script_failed");
  Stage gone(script, {.script_file = "script.json"});
  gone.say("x");
  gone.finish({.is_error = true, .text = "there is no sh"});
  EXPECT_NE(gone.only("result")["errors"][0].get<std::string>().find("it did not run: there is no sh"),
            std::string::npos);
}

TEST(PlayerSteps, OutputIsSavedForLater) {
  Stage stage(Stage::turn(R"({"run":{"command":"git rev-parse HEAD","save":"hash"}},{"say":"at {{hash}}"})"));
  stage.say("x");
  stage.finish({.text = "abc", .exit = 0});
  EXPECT_EQ(stage.only("result")["result"], "at abc");
}

TEST(PlayerSteps, WhatThePromptSaysIsFoundAndUsed) {
  Stage stage(Stage::turn(R"({"find":{"pattern":"into `([^`]+)`","save":"file"}},
                             {"write":{"path":"{{file}}","text":"t"}},{"run":"cat {{file}}"},{"say":"in {{file}}"})"));
  stage.say("Write it into `notes/a.md`.");
  EXPECT_EQ(stage.running<FileChange>().change.path, "notes/a.md");
  stage.finish();
  EXPECT_EQ(stage.running<Command>().command, "cat notes/a.md");
  stage.finish({.text = "t", .exit = 0});
  EXPECT_EQ(stage.only("result")["result"], "in notes/a.md");
}

TEST(PlayerSteps, WhatIsNotThereToBeFoundFailsTheTurn) {
  Stage stage(Stage::turn(R"({"find":{"pattern":"into `([^`]+)`","save":"file"}},{"say":"in {{file}}"})"));
  stage.say("Write it.");
  EXPECT_EQ(stage.only("result")["terminal_reason"], "script_failed");
}

TEST(PlayerSteps, FilesAreWrittenByAWriteTool) {
  Stage stage(Stage::turn(R"({"write":{"path":"a","text":"{{PROMPT}}"}},{"append":{"path":"b","text":"t"}},
                             {"remove":{"path":"c"}})"));
  stage.say("hi");
  auto change = stage.running<FileChange>().change;
  EXPECT_EQ(change.how, ChangeFile::How::write);
  EXPECT_EQ(change.path, "a");
  EXPECT_EQ(change.text, "hi");
  EXPECT_EQ(stage.block("tool_use")["name"], "Write");
  stage.finish({.text = "written"});
  EXPECT_EQ(stage.running<FileChange>().change.how, ChangeFile::How::append);
  stage.finish();
  EXPECT_EQ(stage.running<FileChange>().change.how, ChangeFile::How::remove);
  stage.forget();
  stage.finish({.is_error = true, .text = "cannot remove c"});
  EXPECT_EQ(stage.block("tool_result")["is_error"], true);
  EXPECT_EQ(stage.only("result")["is_error"], false) << "the turn goes on";
}

TEST(PlayerSteps, ATeamToolIsCalledByItsFullName) {
  Stage stage(Stage::turn(R"({"send":{"to":"lead","body":"re: {{PROMPT}}"}},{"tool":{"name":"mcp__other__x_y"}})"));
  stage.say("x");
  const auto call = stage.running<ToolCall>();
  EXPECT_EQ(call.server, "team");
  EXPECT_EQ(call.tool, "send_message");
  EXPECT_EQ(call.arguments, Json::parse(R"({"to":"lead","body":"re: x"})"));
  EXPECT_EQ(stage.block("tool_use")["name"], "mcp__team__send_message");
  stage.finish({.text = "{}", .structured = {{"id", 1}}});
  EXPECT_EQ(stage.running<ToolCall>().server, "other");
  EXPECT_EQ(stage.running<ToolCall>().tool, "x_y");
}

TEST(PlayerSteps, AnUpdateUsesTheLastClaim) {
  Stage stage(Stage::turn(R"({"claim":{}},{"update":{"status":"completed"}},{"say":"{{claim.subject}}"})"));
  stage.say("x");
  stage.finish({.structured = Json::parse(R"({"task":{"id":4,"subject":"s","token":"c1"}})")});
  EXPECT_EQ(stage.running<ToolCall>().tool, "update_task");
  EXPECT_EQ(stage.running<ToolCall>().arguments, Json::parse(R"({"id":4,"token":"c1","status":"completed"})"));
  stage.finish();
  EXPECT_EQ(stage.only("result")["result"], "s");
}

TEST(PlayerSteps, ATokenBesideTheTaskIsFoundToo) {
  Stage stage(Stage::turn(R"({"claim":{}},{"update":{"status":"failed"}})"));
  stage.say("x");
  stage.finish({.structured = Json::parse(R"({"task":{"id":4},"token":"c1"})")});
  EXPECT_EQ(stage.running<ToolCall>().arguments["token"], "c1");
}

TEST(PlayerSteps, WithoutAClaimAnUpdateFailsVisibly) {
  for (const char* answer : {R"({"task":null})", R"({})"}) {
    Stage stage(Stage::turn(R"({"claim":{}},{"update":{"status":"completed"}},{"say":"b"})"));
    stage.say("x");
    stage.finish({.structured = Json::parse(answer)});
    EXPECT_EQ(stage.only("result")["result"], "b");
    EXPECT_NE(stage.printed.find("this agent has claimed no task to update"), std::string::npos);
  }
}

TEST(PlayerSteps, AnswersAreSavedForLater) {
  Stage stage(
      Stage::turn(R"({"tool":{"name":"get_task","save":"t"}},{"tool":{"name":"x","arguments":{"n":"{{t.n}}"}}})"));
  stage.say("x");
  stage.finish({.structured = {{"n", 5}}});
  EXPECT_EQ(stage.running<ToolCall>().arguments["n"], 5);
}

class PermissionTest : public testing::Test {
 protected:
  static std::string script() {
    return Stage::turn(R"({"permission":{"tool":"Bash","input":{"command":"rm x"}}},{"say":"after"})");
  }
};

TEST_F(PermissionTest, IsAskedForOnThePipe) {
  Stage stage(script(), {.asks_permission = true});
  stage.say("x");
  const Json request = stage.only("control_request")["request"];
  EXPECT_EQ(request["subtype"], "can_use_tool");
  EXPECT_EQ(request["tool_name"], "Bash");
  EXPECT_EQ(request["input"], (Json{{"command", "rm x"}}));
  EXPECT_EQ(request["tool_use_id"], stage.block("tool_use")["id"]);
  EXPECT_FALSE(stage.effect);
  stage.answer({{"behavior", "allow"}});
  EXPECT_EQ(stage.running<Command>().command, "rm x");
  stage.finish({.exit = 0});
  EXPECT_EQ(stage.only("result")["permission_denials"], Json::array());
}

TEST_F(PermissionTest, TheHostMayRewriteTheInput) {
  Stage stage(script(), {.asks_permission = true});
  stage.say("x");
  stage.answer({{"behavior", "allow"}, {"updatedInput", {{"command", "ls"}}}});
  EXPECT_EQ(stage.running<Command>().command, "ls");
}

TEST_F(PermissionTest, ADenialIsTheToolsResultAndIsListed) {
  Stage stage(script(), {.asks_permission = true});
  stage.say("x");
  stage.answer({{"behavior", "deny"}, {"message", "not allowed by lead"}});
  EXPECT_EQ(stage.block("tool_result")["content"], "not allowed by lead");
  EXPECT_EQ(stage.block("tool_result")["is_error"], true);
  const Json result = stage.only("result");
  EXPECT_EQ(result["result"], "after");
  EXPECT_EQ(result["permission_denials"][0]["tool_name"], "Bash");
  EXPECT_EQ(result["permission_denials"][0]["tool_input"]["command"], "rm x");
}

TEST_F(PermissionTest, ADenialMayEndTheTurn) {
  Stage stage(script(), {.asks_permission = true});
  stage.say("x");
  stage.answer({{"behavior", "deny"}, {"message", "stop"}, {"interrupt", true}});
  EXPECT_EQ(stage.only("result")["terminal_reason"], "aborted_tools");
  EXPECT_EQ(stage.only("result")["is_error"], true);
  EXPECT_EQ(stage.printed.find("after"), std::string::npos);
}

TEST_F(PermissionTest, StrangeAnswersAreDenials) {
  for (const Json& answer : {Json(), Json("yes"), Json::object(), Json{{"behavior", 1}}}) {
    Stage stage(script(), {.asks_permission = true});
    stage.say("x");
    stage.answer(answer);
    EXPECT_EQ(stage.only("result")["permission_denials"].size(), 1U) << answer;
  }
}

TEST_F(PermissionTest, AnAnswerToAnotherRequestIsIgnored) {
  Stage stage(script(), {.asks_permission = true});
  stage.say("x");
  stage.raw(
      R"({"type":"control_response","response":{"subtype":"success","request_id":"other","response":{"behavior":"allow"}}})");
  EXPECT_FALSE(stage.effect);
}

TEST_F(PermissionTest, WithoutTheFlagItIsDenied) {
  Stage stage(script());
  stage.say("x");
  EXPECT_EQ(stage.only("result")["permission_denials"].size(), 1U);
}

TEST_F(PermissionTest, ListsAndModesDecideToo) {
  Stage allowed(script(), {.asks_permission = true, .allowed_tools = {"Bash"}});
  allowed.say("x");
  EXPECT_EQ(allowed.running<Command>().command, "rm x");
  Stage bypassed(script(), {.permission_mode = "bypassPermissions"});
  bypassed.say("x");
  EXPECT_EQ(bypassed.running<Command>().command, "rm x");
  Stage silent(script(), {.permission_mode = "dontAsk", .asks_permission = true});
  silent.say("x");
  EXPECT_EQ(silent.only("result")["permission_denials"].size(), 1U);
  Stage removed(script(), {.asks_permission = true, .disallowed_tools = {"Bash"}});
  removed.say("x");
  EXPECT_NE(removed.block("tool_result")["content"].get<std::string>().find("No such tool available: Bash"),
            std::string::npos);
  EXPECT_EQ(removed.lines()[0]["tools"], Json::array({"Edit", "Read", "Write"}));
  Stage server(Stage::turn(R"({"permission":{"tool":"mcp__team__send_message","input":{"to":"x"}}})"),
               {.asks_permission = true, .allowed_tools = {"mcp__team"}});
  server.say("x");
  EXPECT_EQ(server.running<ToolCall>().tool, "send_message");
}

class AnswerTest : public testing::Test {
 protected:
  Settings settings_{
      .json_schema = Json::parse(R"({"type":"object","required":["score"],"properties":{"score":{"type":"number"}}})")};
};

TEST_F(AnswerTest, AValidOneEndsTheTurn) {
  Stage stage(Stage::turn(R"({"answer":{"score":1}},{"say":"never"})"), settings_);
  stage.say("x");
  EXPECT_EQ(stage.kinds(), (Kinds{"init", "assistant:tool_use", "user:tool_result", "result"}));
  EXPECT_EQ(stage.block("tool_use")["name"], "StructuredOutput");
  const Json result = stage.only("result");
  EXPECT_EQ(result["structured_output"], (Json{{"score", 1}}));
  EXPECT_EQ(result["result"], R"({"score":1})");
  EXPECT_EQ(result["stop_reason"], "tool_use");
  EXPECT_EQ(result["num_turns"], 2);
}

TEST_F(AnswerTest, AnInvalidOneIsRefusedAndTheScriptTriesAgain) {
  Stage stage(Stage::turn(R"({"answer":{"x":1}},{"answer":{"score":2}})"), settings_);
  stage.say("x");
  const Json refused = stage.block("tool_result");
  EXPECT_EQ(refused["is_error"], true);
  EXPECT_TRUE(refused["content"].get<std::string>().starts_with("Output does not match required schema: ")) << refused;
  EXPECT_NE(refused["content"].get<std::string>().find("score"), std::string::npos);
  EXPECT_EQ(stage.only("result")["structured_output"]["score"], 2);
}

TEST_F(AnswerTest, AMissingOneIsAskedForOnce) {
  Stage stage(Stage::turn(R"({"say":"no"})"), settings_);
  stage.say("x");
  EXPECT_EQ(stage.kinds(), (Kinds{"init", "assistant:text", "user:text", "result"}));
  EXPECT_EQ(stage.lines()[2]["isSynthetic"], true);
  const Json result = stage.only("result");
  EXPECT_EQ(result["is_error"], false);
  EXPECT_EQ(result["subtype"], "success");
  EXPECT_FALSE(result.contains("structured_output"));
  EXPECT_EQ(result["result"], "no");
}

TEST_F(AnswerTest, TheScriptMayGiveInAfterTheNudge) {
  Stage stage(Stage::turn(R"({"say":"no"},{"end":{}},{"answer":{"score":3}})"), settings_);
  stage.say("x");
  EXPECT_EQ(stage.only("result")["structured_output"]["score"], 3);
}

TEST_F(AnswerTest, WithoutASchemaThereIsNoSuchTool) {
  Stage stage(Stage::turn(R"({"answer":{"score":1}},{"say":"b"})"));
  stage.say("x");
  EXPECT_EQ(stage.block("tool_result")["is_error"], true);
  EXPECT_EQ(stage.only("result")["result"], "b");
}

TEST(PlayerSteps, AFailedRequestIsASuccessThatIsAnError) {
  Stage stage(Stage::turn(R"({"say":"a"},{"error":{"status":529,"message":"busy","retries":2}},{"say":"never"})"));
  stage.say("x", "u1");
  EXPECT_EQ(stage.kinds(), (Kinds{"queued:u1", "started:u1", "init", "assistant:text", "api_retry", "api_retry",
                                  "assistant:text", "result", "cancelled:u1"}));
  EXPECT_EQ(stage.lines()[4]["attempt"], 1);
  EXPECT_EQ(stage.lines()[4]["max_retries"], 2);
  EXPECT_EQ(stage.lines()[4]["error_status"], 529);
  EXPECT_EQ(stage.lines()[6]["message"]["model"], "<synthetic>");
  const Json result = stage.only("result");
  EXPECT_EQ(result["subtype"], "success");
  EXPECT_EQ(result["is_error"], true);
  EXPECT_EQ(result["terminal_reason"], "api_error");
  EXPECT_EQ(result["api_error_status"], 529);
  EXPECT_EQ(result["api_error_type"], "overloaded_error");
  stage.forget();
  stage.say("y");
  EXPECT_EQ(stage.only("result")["is_error"], false) << "the process lives on";
}

TEST(PlayerSteps, EachFailureHasItsWords) {
  const auto words = [](const std::string& error) {
    Stage stage(Stage::turn(R"({"error":)" + error + "}"));
    stage.say("x");
    return stage.only("result")["result"].get<std::string>();
  };
  EXPECT_EQ(words(R"({"status":401,"message":"m"})"), "Failed to authenticate. API Error: 401 m");
  EXPECT_EQ(words(R"({"status":429,"message":"m"})"), "API Error: Request rejected (429) · m");
  EXPECT_EQ(words(R"({"status":500,"message":"m"})"), "API Error: 500 m");
  EXPECT_EQ(words(R"({"status":400,"message":"m"})"), "API Error: 400 m");
  EXPECT_EQ(words("{}"), "Request timed out");
}

TEST(PlayerSteps, GarbageIsPrintedAsItIs) {
  Stage stage(Stage::turn(R"({"garble":"}{"},{"partial":"half "},{"say":"a"})"));
  stage.say("x");
  EXPECT_EQ(stage.kinds(), (Kinds{"init", "garbage", "garbage", "result"}));
  EXPECT_NE(stage.printed.find("\n}{\nhalf {"), std::string::npos);
}

TEST(PlayerSteps, AHugeLineIsThatLong) {
  Stage stage(Stage::turn(R"({"huge":{"bytes":1000000}})"));
  stage.say("x");
  EXPECT_EQ(stage.block("text")["text"].get<std::string>().size(), 1'000'000U);
  EXPECT_EQ(stage.only("result")["result"], "");
}

TEST(PlayerSteps, AMuteOneNeverSpeaksAgain) {
  Stage stage(Stage::turn(R"({"say":"a"},{"mute":{}},{"say":"never"})"));
  stage.say("x");
  stage.forget();
  stage.say("y", "u2");
  stage.control({{"subtype", "interrupt"}});
  EXPECT_EQ(stage.printed, "");
  EXPECT_FALSE(stage.left);
  stage.end_input();
  ASSERT_TRUE(stage.left);
  EXPECT_EQ(stage.left->exit, 0);
}

TEST(PlayerSteps, ADeafOneIgnoresSigtermAndMaybeTheEnd) {
  Stage stage(Stage::turn(R"({"deaf":{}})"));
  stage.say("x");
  stage.signal(SIGTERM);
  EXPECT_FALSE(stage.left);
  stage.end_input();
  EXPECT_TRUE(stage.left);
  Stage very(Stage::turn(R"({"deaf":{"eof":true}})"));
  very.say("x");
  very.end_input();
  very.signal(SIGTERM);
  EXPECT_FALSE(very.left);
  very.signal(SIGHUP);
  EXPECT_TRUE(very.left);
}

TEST(PlayerSteps, ACrashComesAfterEverythingWasPrintedAndKept) {
  Stage stage(Stage::turn(R"({"say":"a"},{"crash":{"signal":11}})"));
  stage.say("x");
  ASSERT_TRUE(stage.died);
  EXPECT_EQ(stage.died->signal, 11);
  EXPECT_EQ(stage.kinds(), (Kinds{"init", "assistant:text"}));
  EXPECT_EQ(stage.records.back()["step"], 1);
}

TEST(PlayerSteps, AForkIsLeftRunning) {
  Stage stage(Stage::turn(R"({"fork":{"command":"sleep 9","detached":true}})"));
  stage.say("x");
  EXPECT_EQ(stage.running<LeaveChild>().fork.command, "sleep 9");
  EXPECT_TRUE(stage.running<LeaveChild>().fork.detached);
  stage.finish({.text = "pid 5"});
  EXPECT_EQ(stage.block("tool_result")["content"], "pid 5");
}

}  // namespace
}  // namespace teamster::script
