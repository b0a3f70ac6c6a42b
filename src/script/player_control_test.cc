// Control requests: what the host may ask for besides turns.
#include <gtest/gtest.h>

#include "script/player_for_test.h"

namespace teamster::script {
namespace {

using Kinds = std::vector<std::string>;

TEST(PlayerControl, InterruptWhenIdleIsASuccessWithoutAResult) {
  Stage stage(Stage::turn(""));
  stage.control({{"subtype", "interrupt"}});
  EXPECT_EQ(stage.kinds(), (Kinds{"response:success"}));
  EXPECT_EQ(stage.only("control_response")["response"]["response"]["still_queued"], Json::array());
}

TEST(PlayerControl, InterruptWhileAToolRunsKillsIt) {
  Stage stage(R"({"turns":[{"steps":[{"run":"sleep"},{"say":"never"}]},{"steps":[{"say":"b"}]}]})");
  stage.say("x", "u1");
  stage.say("y", "u2");
  stage.forget();
  stage.control({{"subtype", "interrupt"}});
  EXPECT_EQ(stage.abandoned, 1);
  EXPECT_EQ(stage.kinds(), (Kinds{"response:success", "user:tool_result", "user:text", "result", "cancelled:u1",
                                  "started:u2", "init", "assistant:text", "result", "completed:u2"}));
  EXPECT_EQ(stage.lines()[0]["response"]["response"]["still_queued"], Json::array({"u2"}));
  const Json result = stage.lines()[3];
  EXPECT_EQ(result["is_error"], true);
  EXPECT_EQ(result["subtype"], "error_during_execution");
  EXPECT_EQ(result["terminal_reason"], "aborted_tools");
  EXPECT_FALSE(result.contains("result"));
  EXPECT_EQ(result["errors"].size(), 1U);
}

TEST(PlayerControl, InterruptWhileNothingRunsAbortsTheStream) {
  Stage stage(Stage::turn(R"({"sleep":"1h"},{"say":"never"})"));
  stage.say("x");
  stage.forget();
  stage.control({{"subtype", "interrupt"}});
  EXPECT_EQ(stage.kinds(), (Kinds{"response:success", "user:text", "result"}));
  EXPECT_EQ(stage.only("result")["terminal_reason"], "aborted_streaming");
  EXPECT_EQ(stage.only("result")["stop_reason"], nullptr);
  stage.forget();
  stage.say("y");
  EXPECT_EQ(stage.only("result")["result"], "nothing left in the script") << "the session lives on";
}

TEST(PlayerControl, InterruptMayCancelWhatIsQueued) {
  Stage stage(Stage::turn(R"({"sleep":"1h"})"));
  stage.say("x", "u1");
  stage.say("y", "u2");
  stage.forget();
  stage.control({{"subtype", "interrupt"}, {"cancel_queued", true}});
  EXPECT_EQ(stage.kinds(), (Kinds{"cancelled:u2", "response:success", "user:text", "result", "cancelled:u1"}));
  EXPECT_EQ(stage.only("control_response")["response"]["response"]["cancelled"], Json::array({"u2"}));
}

TEST(PlayerControl, InterruptTakesBackAPermissionRequest) {
  Stage stage(Stage::turn(R"({"permission":{"tool":"Bash","input":{"command":"ls"}}})"), {.asks_permission = true});
  stage.say("x", "u1");
  const std::string id = stage.only("control_request")["request_id"];
  stage.forget();
  stage.control({{"subtype", "interrupt"}});
  EXPECT_EQ(stage.kinds(), (Kinds{"control_cancel_request", "response:success", "user:tool_result", "user:text",
                                  "result", "cancelled:u1"}));
  EXPECT_EQ(stage.only("control_cancel_request")["request_id"], id);
  EXPECT_EQ(stage.only("result")["terminal_reason"], "aborted_tools");
  stage.forget();
  stage.line(Json{{"type", "control_response"},
                  {"response", {{"subtype", "success"}, {"request_id", id}, {"response", {{"behavior", "allow"}}}}}});
  EXPECT_EQ(stage.printed, "") << "an answer that crossed it";
}

TEST(PlayerControl, AQueuedMessageCanBeTakenBack) {
  Stage stage(Stage::turn(R"({"sleep":"1h"})"));
  stage.say("x", "u1");
  stage.say("y", "u2");
  stage.forget();
  stage.control({{"subtype", "cancel_async_message"}, {"message_uuid", "u2"}});
  EXPECT_EQ(stage.kinds(), (Kinds{"cancelled:u2", "response:success"}));
  stage.forget();
  stage.control({{"subtype", "cancel_async_message"}, {"message_uuid", "u2"}});
  EXPECT_EQ(stage.only("control_response")["response"]["response"]["cancelled"], false);
}

TEST(PlayerControl, ModelAndModeCanBeSet) {
  Stage stage(R"({"turns":[],"otherwise":[{"usage":{"input_tokens":1}},{"say":"a"}]})");
  stage.control({{"subtype", "set_model"}, {"model", "big"}});
  stage.control({{"subtype", "set_permission_mode"}, {"mode", "plan"}});
  EXPECT_EQ(stage.kinds(), (Kinds{"response:success", "response:success", "status"}));
  stage.forget();
  stage.say("x");
  EXPECT_EQ(stage.lines()[0]["model"], "big");
  EXPECT_EQ(stage.lines()[0]["permissionMode"], "plan");
  stage.control({{"subtype", "set_model"}, {"model", "small"}});
  stage.forget();
  stage.say("y");
  EXPECT_EQ(stage.only("result")["modelUsage"]["big"]["inputTokens"], 1);
  EXPECT_EQ(stage.only("result")["modelUsage"]["small"]["inputTokens"], 1);
  stage.forget();
  stage.control({{"subtype", "set_model"}});
  EXPECT_EQ(stage.kinds(), (Kinds{"response:error"}));
}

TEST(PlayerControl, InitializeAnswersAndMayBringTheSchema) {
  const Json schema = Json::parse(R"({"type":"object","required":["score"]})");
  Stage stage(Stage::turn(R"({"answer":{"score":1}})"));
  stage.control({{"subtype", "initialize"}, {"jsonSchema", schema}});
  EXPECT_EQ(stage.kinds(), (Kinds{"response:success"}));
  EXPECT_EQ(stage.only("control_response")["response"]["request_id"], "r1");
  stage.forget();
  stage.say("x");
  EXPECT_EQ(stage.only("result")["structured_output"], (Json{{"score", 1}}));

  Stage late(Stage::turn(R"({"answer":{"score":1}})"));
  late.control({{"subtype", "interrupt"}});
  late.control({{"subtype", "initialize"}, {"jsonSchema", schema}});
  late.say("x");
  EXPECT_FALSE(late.only("result").contains("structured_output")) << "only the first request counts";
}

TEST(PlayerControl, EndSessionLeaves) {
  Stage stage(Stage::turn(""));
  stage.control({{"subtype", "end_session"}});
  EXPECT_EQ(stage.kinds(), (Kinds{"response:success"}));
  ASSERT_TRUE(stage.left);
  EXPECT_EQ(stage.left->exit, 0);
}

TEST(PlayerControl, AnUnknownRequestIsAnError) {
  Stage stage(Stage::turn(""));
  stage.control({{"subtype", "frobnicate"}});
  const Json response = stage.only("control_response")["response"];
  EXPECT_EQ(response["subtype"], "error");
  EXPECT_EQ(response["request_id"], "r1");
  EXPECT_EQ(response["error_code"], "unsupported_request");
  EXPECT_EQ(response["error"], "Unsupported control request subtype: frobnicate");
}

}  // namespace
}  // namespace teamster::script
