#include "agent/claude/claude_wire.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::agent::claude {
namespace {

std::vector<Event> read(const Json& line) {
  auto events = read_line(dump_json(line));
  EXPECT_TRUE(events) << line;
  return events ? *std::move(events) : std::vector<Event>();
}
// The one event of a line.
template <class T>
T only(const Json& line) {
  const auto events = read(line);
  EXPECT_EQ(events.size(), 1U) << line;
  if (events.size() != 1 || !std::holds_alternative<T>(events[0])) {
    ADD_FAILURE() << "another event: " << line;
    return {};
  }
  return std::get<T>(events[0]);
}
Json result(const Json& more = Json::object()) {
  Json line = {{"type", "result"}, {"subtype", "success"}, {"is_error", false}, {"result", "done"}};
  line.update(more);
  return line;
}
Json blocks(const char* type, const Json& content) {
  return {{"type", type}, {"message", {{"role", type}, {"content", content}}}};
}

TEST(ClaudeWire, ATurnBegins) {
  const auto began = only<Began>({{"type", "system"},
                                  {"subtype", "init"},
                                  {"session_id", "abc"},
                                  {"model", "opus"},
                                  {"mcp_servers", {{{"name", "team"}, {"status", "connected"}}}},
                                  {"tools", {"Bash"}}});
  EXPECT_EQ(began.session_id, "abc");
  EXPECT_EQ(began.model, "opus");
  EXPECT_EQ(began.servers[0]["status"], "connected");
}

TEST(ClaudeWire, WhatItHasUsedInTheTurnSoFar) {
  Json line = blocks("assistant", Json::array({{{"type", "text"}, {"text", "Hm."}}}));
  EXPECT_EQ(only<Activity>(line).tokens, 0);
  line["message"]["id"] = "msg_1";
  line["message"]["usage"] = {{"input_tokens", 100}, {"output_tokens", 20}, {"cache_read_input_tokens", 7}};
  EXPECT_EQ(only<Activity>(line).message, "msg_1");
  EXPECT_EQ(only<Activity>(line).tokens, 120) << "as the turn's end counts them";
}

TEST(ClaudeWire, WhatTheAgentSaysAndDoes) {
  const auto events =
      read(blocks("assistant", {{{"type", "thinking"}, {"thinking", "hm"}, {"signature", "x"}},
                                {{"type", "text"}, {"text", "Hello"}},
                                {{"type", "tool_use"}, {"id", "t1"}, {"name", "Bash"}, {"input", {{"command", "ls"}}}},
                                {{"type", "server_tool_use"}, {"id", "t2"}}}));
  ASSERT_EQ(events.size(), 3U);
  const auto& thinking = std::get<Activity>(events[0]);
  EXPECT_EQ(thinking.kind, Activity::Kind::thinking);
  EXPECT_EQ(thinking.text, "hm");
  EXPECT_EQ(std::get<Activity>(events[1]).text, "Hello");
  const auto& call = std::get<Activity>(events[2]);
  EXPECT_EQ(call.kind, Activity::Kind::tool_call);
  EXPECT_EQ(call.tool, "Bash");
  EXPECT_EQ(call.id, "t1");
  EXPECT_EQ(call.input["command"], "ls");
}

TEST(ClaudeWire, AToolsResultIsATextOrBlocks) {
  const Json plain = {{"type", "tool_result"}, {"tool_use_id", "t1"}, {"content", "a.txt"}, {"is_error", true}};
  auto activity = only<Activity>(blocks("user", Json::array({plain})));
  EXPECT_EQ(activity.kind, Activity::Kind::tool_result);
  EXPECT_EQ(activity.id, "t1");
  EXPECT_EQ(activity.text, "a.txt");
  EXPECT_TRUE(activity.is_error);
  const Json parts = {
      {"type", "tool_result"},
      {"content", {{{"type", "text"}, {"text", "a"}}, {{"type", "image"}}, {{"type", "text"}, {"text", "b"}}}}};
  activity = only<Activity>(blocks("user", Json::array({parts})));
  EXPECT_EQ(activity.text, "ab");
  EXPECT_FALSE(activity.is_error);
}

TEST(ClaudeWire, OurOwnWordsComingBackAreNoActivity) {
  Json line = blocks("user", Json::array({{{"type", "text"}, {"text", "what we said"}}}));
  line["isReplay"] = true;
  EXPECT_TRUE(read(line).empty());
  line = blocks("user", "what we said");
  EXPECT_TRUE(read(line).empty()) << "a plain text is what we sent";
}

TEST(ClaudeWire, NewsOfAnInput) {
  const auto state_of = [](const char* state) {
    return only<InputNews>({{"type", "command_lifecycle"}, {"command_uuid", "input-1"}, {"state", state}}).state;
  };
  EXPECT_EQ(state_of("queued"), InputState::accepted);
  EXPECT_EQ(state_of("started"), InputState::taken);
  EXPECT_EQ(state_of("completed"), InputState::done);
  for (const char* state : {"cancelled", "discarded", "refused"}) EXPECT_EQ(state_of(state), InputState::failed);
  EXPECT_TRUE(read({{"type", "command_lifecycle"}, {"command_uuid", "input-1"}, {"state", "reborn"}}).empty());
}

TEST(ClaudeWire, AnAnswerToAControlRequest) {
  auto answer =
      only<ControlAnswer>({{"type", "control_response"},
                           {"response", {{"subtype", "success"}, {"request_id", "r1"}, {"response", Json::object()}}}});
  EXPECT_EQ(answer.id, "r1");
  EXPECT_FALSE(answer.is_error);
  answer = only<ControlAnswer>(
      {{"type", "control_response"}, {"response", {{"subtype", "error"}, {"request_id", "r1"}, {"error", "no"}}}});
  EXPECT_TRUE(answer.is_error);
  EXPECT_EQ(answer.error, "no");
}

TEST(ClaudeWire, APermissionIsAskedForAndWithdrawn) {
  const auto request = only<PermissionRequest>({{"type", "control_request"},
                                                {"request_id", "p1"},
                                                {"request",
                                                 {{"subtype", "can_use_tool"},
                                                  {"tool_name", "Bash"},
                                                  {"input", {{"command", "ls"}}},
                                                  {"description", "look"}}}});
  EXPECT_EQ(request.id, "p1");
  EXPECT_EQ(request.tool, "Bash");
  EXPECT_EQ(request.input["command"], "ls");
  EXPECT_EQ(request.description, "look");
  EXPECT_EQ(only<PermissionWithdrawn>({{"type", "control_cancel_request"}, {"request_id", "p1"}}).id, "p1");
  EXPECT_TRUE(read({{"type", "control_request"}, {"request", {{"subtype", "hook_callback"}}}}).empty());
}

TEST(ClaudeWire, TheProgramTriesAgain) {
  auto retry = only<Retry>({{"type", "system"},
                            {"subtype", "api_retry"},
                            {"attempt", 2},
                            {"error_status", 429},
                            {"error", "rate_limit"},
                            {"retry_delay_ms", 3000}});
  EXPECT_EQ(retry.attempt, 2);
  EXPECT_EQ(retry.status, 429);
  EXPECT_EQ(retry.error, "rate_limit");
  EXPECT_EQ(retry.delay_ms, 3000);
  retry = only<Retry>({{"type", "system"}, {"subtype", "api_retry"}, {"error_status", nullptr}});
  EXPECT_EQ(retry.status, 0) << "no answer came at all";
}

TEST(ClaudeWire, ATurnEndsWell) {
  const auto ended = only<Ended>(result({{"stop_reason", "end_turn"},
                                         {"terminal_reason", "completed"},
                                         {"user_message_uuids", {"input-1", "input-2"}},
                                         {"structured_output", {{"score", 1}}},
                                         {"total_cost_usd", 0.5},
                                         {"usage",
                                          {{"input_tokens", 1},
                                           {"output_tokens", 2},
                                           {"cache_read_input_tokens", 3},
                                           {"cache_creation_input_tokens", 4}}}}));
  EXPECT_TRUE(ended.turn.is_good());
  EXPECT_TRUE(ended.turn.solicited);
  EXPECT_EQ(ended.turn.text, "done");
  EXPECT_EQ(ended.turn.error, "");
  EXPECT_EQ(ended.turn.stop_reason, "end_turn");
  EXPECT_EQ(ended.turn.inputs, (std::vector<std::string>{"input-1", "input-2"}));
  EXPECT_EQ(ended.turn.structured, Json({{"score", 1}}));
  EXPECT_EQ(ended.turn.usage.input_tokens, 1);
  EXPECT_EQ(ended.turn.usage.output_tokens, 2);
  EXPECT_EQ(ended.turn.usage.cache_read_tokens, 3);
  EXPECT_EQ(ended.turn.usage.cache_write_tokens, 4);
  EXPECT_EQ(ended.session_cost_usd, 0.5);
  EXPECT_EQ(ended.turn.usage.cost_usd, std::nullopt) << "the sum is not the turn's";
}

TEST(ClaudeWire, TheCostOfTheTurnIsTheSumOverItsModels) {
  const auto cost = [](const Json& models) {
    return only<Ended>(result({{"model_usage_since_last_result", models}})).turn.usage.cost_usd;
  };
  EXPECT_EQ(cost({{"opus", {{"costUSD", 0.25}}}, {"haiku", {{"costUSD", 0.5}}}}), 0.75);
  EXPECT_EQ(cost(Json::object()), 0.0) << "a turn that failed";
  EXPECT_EQ(cost({{"opus", {{"costUSD", -1}}}, {"haiku", {{"costUSD", "1"}}}, {"x", nullptr}, {"y", 7}}), 0.0);
  EXPECT_EQ(cost("nothing"), std::nullopt);
}

// The subtype says "success" when a call of the provider failed.
TEST(ClaudeWire, AnErrorIsToldByItsFlagNotByItsSubtype) {
  const auto fault = [](const Json& status) {
    const auto ended = only<Ended>(result({{"is_error", true},
                                           {"subtype", "success"},
                                           {"terminal_reason", "api_error"},
                                           {"api_error_status", status},
                                           {"result", "API Error: no"}}));
    EXPECT_EQ(ended.turn.error, "API Error: no");
    return ended.turn.fault;
  };
  EXPECT_EQ(fault(401), Fault::login);
  EXPECT_EQ(fault(403), Fault::login);
  EXPECT_EQ(fault(429), Fault::rate_limit);
  EXPECT_EQ(fault(529), Fault::overloaded);
  EXPECT_EQ(fault(500), Fault::provider);
  EXPECT_EQ(fault(nullptr), Fault::provider) << "no answer came at all";
  EXPECT_EQ(fault("401"), Fault::provider);
  EXPECT_EQ(fault(-401), Fault::provider);
}

// As the program words it (tests/real/permanent_test.cc).
TEST(ClaudeWire, WhatWaitingDoesNotMendIsToldByStatusOrWords) {
  const auto fault = [](const Json& status, const char* words) {
    return only<Ended>(result({{"is_error", true},
                               {"subtype", "success"},
                               {"terminal_reason", "api_error"},
                               {"api_error_status", status},
                               {"result", words}}))
        .turn.fault;
  };
  EXPECT_EQ(fault(nullptr, "Not logged in · Please run /login"), Fault::login);
  EXPECT_EQ(fault(401, "Invalid API key · Fix external API key"), Fault::login);
  EXPECT_EQ(fault(400, "Credit balance is too low"), Fault::credit);
  EXPECT_EQ(fault(404, "There's an issue with the selected model (x). It may not exist"), Fault::model);
  EXPECT_EQ(fault(400, "Prompt is too long · the request is ~250000 tokens (limit 200000)"), Fault::context);
  EXPECT_EQ(fault(413, "API Error: 413 request too large"), Fault::context);
  EXPECT_EQ(fault(400, "API Error: 400 image could not be processed"), Fault::crashed);
  const auto too_long = only<Ended>(
      result({{"is_error", true}, {"terminal_reason", "prompt_too_long"}, {"result", "compaction failed"}}));
  EXPECT_EQ(too_long.turn.fault, Fault::context);
}

TEST(ClaudeWire, JobsInTheBackgroundAreCounted) {
  const Json changed = {{"type", "system"}, {"subtype", "background_tasks_changed"}, {"tasks", {{{"task_id", "b1"}}}}};
  EXPECT_EQ(only<BackgroundJobs>(changed).count, 1U);
}

TEST(ClaudeWire, ATurnThatWasCutIsNoSuccessWhateverItsFlagSays) {
  for (const char* reason : {"aborted_streaming", "aborted_tools"})
    for (const bool is_error : {false, true}) {
      const auto ended =
          only<Ended>(result({{"is_error", is_error}, {"terminal_reason", reason}, {"result", "half a sen"}}));
      EXPECT_EQ(ended.turn.fault, Fault::interrupted) << reason << is_error;
      EXPECT_FALSE(ended.turn.error.empty());
    }
}

TEST(ClaudeWire, LimitsOfTheProgramAreLimits) {
  for (const char* reason : {"max_turns", "budget_exhausted"})
    EXPECT_EQ(only<Ended>(result({{"is_error", true}, {"terminal_reason", reason}})).turn.fault, Fault::limit);
}

TEST(ClaudeWire, AScriptThatFailedIsNoTroubleOfTheProvider) {
  const auto ended = only<Ended>(
      result({{"is_error", true}, {"terminal_reason", "script_failed"}, {"errors", Json::array({"a.json, turn 1"})}}));
  EXPECT_EQ(to_string(ended.turn.fault), "script");
  EXPECT_EQ(ended.turn.error, "a.json, turn 1");
}

TEST(ClaudeWire, AnErrorSaysWhatHappenedWhereverItStands) {
  EXPECT_EQ(only<Ended>(result({{"is_error", true}, {"errors", {"first", "second"}}})).turn.error, "first");
  EXPECT_EQ(only<Ended>(result({{"is_error", true}, {"errors", {7}}, {"result", "text"}})).turn.error, "text");
  EXPECT_NE(only<Ended>(result({{"is_error", true}, {"subtype", "error_max_turns"}, {"result", nullptr}}))
                .turn.error.find("error_max_turns"),
            std::string::npos);
}

TEST(ClaudeWire, AConversationThatIsNotKnown) {
  const auto lost = only<Ended>(result({{"is_error", true},
                                        {"subtype", "error_during_execution"},
                                        {"result", nullptr},
                                        {"errors", {"No conversation found with session ID: abc"}}}));
  EXPECT_TRUE(lost.is_conversation_lost);
  EXPECT_FALSE(only<Ended>(result({{"result", "No conversation found with session ID: abc"}})).is_conversation_lost)
      << "the words of a model are its own";
}

TEST(ClaudeWire, ATurnThatNobodyAskedFor) {
  EXPECT_FALSE(only<Ended>(result({{"origin", {{"kind", "task-notification"}}}})).turn.solicited);
  EXPECT_TRUE(only<Ended>(result({{"origin", {{"kind", "user"}}}})).turn.solicited);
  EXPECT_TRUE(only<Ended>(result({{"origin", "task-notification"}})).turn.solicited);
}

TEST(ClaudeWire, AmountsThatCannotBeAreNone) {
  auto ended = only<Ended>(
      result({{"total_cost_usd", -0.5},
              {"usage", {{"input_tokens", -1}, {"output_tokens", 1e300}, {"cache_read_input_tokens", "7"}}}}));
  EXPECT_EQ(ended.session_cost_usd, std::nullopt);
  EXPECT_EQ(ended.turn.usage.input_tokens, 0);
  EXPECT_EQ(ended.turn.usage.output_tokens, 0);
  EXPECT_EQ(ended.turn.usage.cache_read_tokens, 0);
  // The hub would refuse the whole turn.
  ended = only<Ended>(
      result({{"total_cost_usd", 1e300}, {"model_usage_since_last_result", {{"m", {{"costUSD", 1e300}}}}}}));
  EXPECT_EQ(ended.session_cost_usd, std::nullopt);
  EXPECT_EQ(ended.turn.usage.cost_usd, 0.0);
}

TEST(ClaudeWire, WhatIsNotKnownIsPassedOver) {
  for (const Json& line :
       {Json::object(), Json{{"type", "stream_event"}}, Json{{"type", "rate_limit_event"}}, Json{{"type", 7}},
        Json{{"type", "system"}, {"subtype", "status"}}, Json{{"type", "system"}, {"subtype", 7}},
        Json{{"type", "assistant"}}, Json{{"type", "control_request"}}})
    EXPECT_TRUE(read(line).empty()) << line;
}

TEST(ClaudeWire, WhatIsNoObjectIsAnError) {
  for (const char* line : {"", "hello", "[]", "7", "null", "\"text\"", "{", "{\"type\":\"result\"", "{}{}",
                           "{\"a\":01}", "\xFF\xFE", "{\"type\":\"\xFF\"}"}) {
    const auto events = read_line(line);
    ASSERT_FALSE(events) << line;
    EXPECT_FALSE(events.error().what.empty());
  }
  EXPECT_FALSE(read_line(std::string(100'000, '[')));
  EXPECT_FALSE(read_line("{\"a\":\"" + std::string(limits::kAgentLineMaxBytes, 'x') + "\"}"));
}

// Any type may stand anywhere: no field may be trusted.
TEST(ClaudeWire, FieldsOfWrongTypesDoNoHarm) {
  const Json values[] = {Json(),
                         Json(true),
                         Json(-1),
                         Json(1e300),
                         Json("text"),
                         Json::array(),
                         Json({1}),
                         Json({{"a", {1, 2}}}),
                         Json::array({Json::array({Json::object()}), nullptr, "x", 7})};
  const Json lines[] = {
      {{"type", "assistant"}, {"message", nullptr}},
      {{"type", "user"}, {"message", {{"content", nullptr}}}},
      blocks("assistant", Json::array({{{"type", "tool_use"}, {"name", 1}, {"id", 2}, {"input", 3}}})),
      blocks("user", Json::array({{{"type", "tool_result"}, {"tool_use_id", 1}, {"content", 2}, {"is_error", 3}}})),
      {{"type", "system"}, {"subtype", "init"}, {"session_id", 1}, {"model", 2}, {"mcp_servers", 3}},
      {{"type", "system"},
       {"subtype", "api_retry"},
       {"attempt", 1},
       {"error_status", 2},
       {"error", 3},
       {"retry_delay_ms", 4}},
      {{"type", "command_lifecycle"}, {"command_uuid", 1}, {"state", "queued"}},
      {{"type", "control_request"},
       {"request_id", 1},
       {"request", {{"subtype", "can_use_tool"}, {"tool_name", 1}, {"input", 2}}}},
      {{"type", "control_response"}, {"response", {{"subtype", 1}, {"request_id", 2}, {"error", 3}}}},
      {{"type", "control_cancel_request"}, {"request_id", 1}},
      result({{"errors", 1},
              {"usage", 2},
              {"total_cost_usd", 3},
              {"origin", 4},
              {"user_message_uuids", 5},
              {"terminal_reason", 6},
              {"api_error_status", 7},
              {"stop_reason", 8},
              {"model_usage_since_last_result", 9}}),
  };
  for (const Json& line : lines) {
    const Json places = line.flatten();
    for (const auto& place : places.items())
      for (const Json& value : values) {
        Json changed = line;
        changed[Json::json_pointer(place.key())] = value;
        EXPECT_TRUE(read_line(dump_json(changed))) << changed;
      }
  }
}

TEST(ClaudeWire, LinesToWriteAreOneLineEach) {
  const auto parsed = [](const std::string& line) {
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    return *parse_json(line);
  };
  const Json user = parsed(user_line({"input-1", "first\nsecond \"quoted\""}));
  EXPECT_EQ(user, Json({{"type", "user"},
                        {"uuid", "input-1"},
                        {"message", {{"role", "user"}, {"content", "first\nsecond \"quoted\""}}}}));
  EXPECT_EQ(parsed(interrupt_line("r1"))["request"]["subtype"], "interrupt");
  EXPECT_EQ(parsed(initialize_line("r2"))["request_id"], "r2");
  EXPECT_EQ(parsed(end_line("r3"))["request"]["subtype"], "end_session");
  EXPECT_EQ(parsed(user_line({"x", "\xFF"}))["message"]["content"], "\xEF\xBF\xBD") << "never an exception";
}

TEST(ClaudeWire, APermissionIsGivenOrRefusedInItsWords) {
  const auto response = [](const PermissionAnswer& answer) {
    return (*parse_json(permission_line("p1", answer)))["response"];
  };
  EXPECT_EQ(response({.allow = true, .message = "unused"}),
            Json({{"subtype", "success"}, {"request_id", "p1"}, {"response", {{"behavior", "allow"}}}}));
  EXPECT_EQ(
      response({.allow = true, .message = {}, .updated_input = Json{{"command", "ls"}}})["response"]["updatedInput"],
      Json({{"command", "ls"}}));
  EXPECT_EQ(response({.allow = false, .message = "no"})["response"], Json({{"behavior", "deny"}, {"message", "no"}}));
}

}  // namespace
}  // namespace teamster::agent::claude
