#include "script/script.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace teamster::script {
namespace {

std::string problem(std::string_view text) {
  const auto script = parse_script(text, "a.json");
  return script ? "none" : script.error().text();
}

// Of a script whose only step is this.
std::string step_problem(const std::string& step) { return problem(R"({"turns":[{"steps":[)" + step + "]}]}"); }

template <class T>
T only_step(const std::string& step) {
  const auto script = parse_script(R"({"turns":[{"steps":[)" + step + "]}]}", "a.json");
  EXPECT_TRUE(script) << (script ? "" : script.error().text());
  if (!script) return T{};
  const T* found = std::get_if<T>(&script->turns.at(0).steps.at(0));
  EXPECT_NE(found, nullptr) << step;
  return found != nullptr ? *found : T{};
}

TEST(Script, ReadsTurnsInOrder) {
  const auto script = parse_script(
      R"({"turns":[{"when":{"contains":"fix"},"steps":[{"say":"a"},{"say":"b"}]},{"steps":[]}],"otherwise":[{"say":"c"}]})",
      "a.json");
  ASSERT_TRUE(script) << script.error().text();
  ASSERT_EQ(script->turns.size(), 2U);
  EXPECT_TRUE(script->turns[0].matches("please fix it"));
  EXPECT_FALSE(script->turns[0].matches("please"));
  EXPECT_TRUE(script->turns[1].matches(""));
  EXPECT_EQ(script->step_count(), 3U);
  EXPECT_FALSE(parse_script(R"({"turns":[]})", "a.json")->otherwise);
}

TEST(Script, ReadsEveryStep) {
  EXPECT_EQ(only_step<Say>(R"({"say":"x"})").text, "x");
  EXPECT_EQ(only_step<Think>(R"({"think":"x"})").text, "x");
  EXPECT_EQ(only_step<ChangeFile>(R"({"write":{"path":"p","text":"t"}})").how, ChangeFile::How::write);
  EXPECT_EQ(only_step<ChangeFile>(R"({"append":{"path":"p","text":"t"}})").how, ChangeFile::How::append);
  EXPECT_EQ(only_step<ChangeFile>(R"({"remove":{"path":"p"}})").how, ChangeFile::How::remove);
  EXPECT_EQ(only_step<RunCommand>(R"({"run":"ls"})").command, "ls");
  EXPECT_EQ(only_step<RunCommand>(R"({"run":{"command":"ls","expect_exit":3}})").expect_exit, 3);
  EXPECT_EQ(only_step<CallTool>(R"({"tool":{"name":"get_task","arguments":{"id":1},"save":"t"}})").save, "t");
  EXPECT_EQ(only_step<AskPermission>(R"({"permission":{"tool":"Bash","input":{"command":"ls"}}})").tool, "Bash");
  EXPECT_EQ(only_step<AnswerStep>(R"({"answer":[1]})").value, Json::array({1}));
  const auto usage = only_step<SpendUsage>(
      R"({"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4,"cost_usd":0.5}})");
  EXPECT_EQ(usage.usage, (Usage{1, 2, 3, 4, 0.5}));
  EXPECT_EQ(only_step<Sleep>(R"({"sleep":"500ms"})").span, std::chrono::milliseconds(500));
  EXPECT_EQ(only_step<WaitMessage>(R"({"wait_message":{"timeout":"5s"}})").timeout, std::chrono::seconds(5));
  EXPECT_EQ(only_step<FailRequest>(R"({"error":{"status":529,"message":"m","retries":2}})").retries, 2);
  EXPECT_EQ(only_step<FailRequest>(R"({"error":{}})").status, std::nullopt);
  EXPECT_EQ(only_step<Crash>(R"({"crash":{"exit":7}})").exit, 7);
  EXPECT_EQ(only_step<Crash>(R"({"crash":{"signal":9}})").signal, 9);
  EXPECT_TRUE(only_step<Garble>(R"({"garble":"x"})").ends_line);
  EXPECT_FALSE(only_step<Garble>(R"({"partial":"x"})").ends_line);
  EXPECT_EQ(only_step<Huge>(R"({"huge":{"bytes":10}})").bytes, 10U);
  only_step<Mute>(R"({"mute":{}})");
  EXPECT_FALSE(only_step<Deaf>(R"({"deaf":{}})").to_end_of_input);
  EXPECT_TRUE(only_step<Deaf>(R"({"deaf":{"eof":true}})").to_end_of_input);
  EXPECT_TRUE(only_step<Fork>(R"({"fork":{"command":"sleep 1","detached":true}})").detached);
  EXPECT_EQ(only_step<Unsolicited>(R"({"unsolicited":{"text":"x"}})").text, "x");
  EXPECT_EQ(only_step<End>(R"({"end":{"stop_reason":"max_tokens"}})").stop_reason, "max_tokens");
  EXPECT_EQ(only_step<End>(R"({"end":{}})").stop_reason, "end_turn");
}

TEST(Script, ShortFormsAreTeamTools) {
  const auto send = only_step<CallTool>(R"({"send":{"to":"lead","body":"hi","in_reply_to":3}})");
  EXPECT_EQ(send.name, "send_message");
  EXPECT_EQ(send.arguments, Json::parse(R"({"to":"lead","body":"hi","in_reply_to":3})"));
  const auto claim = only_step<CallTool>(R"({"claim":{"id":4}})");
  EXPECT_EQ(claim.name, "claim_task");
  EXPECT_EQ(claim.save, "claim");
  EXPECT_TRUE(only_step<CallTool>(R"({"update":{"status":"completed"}})").needs_last_claim);
  EXPECT_FALSE(only_step<CallTool>(R"({"update":{"id":4,"token":"t","status":"completed"}})").needs_last_claim);
  EXPECT_EQ(only_step<CallTool>(R"({"create_task":{"subject":"s"}})").name, "create_task");
  EXPECT_EQ(only_step<CallTool>(R"({"inbox":{}})").name, "read_inbox");
  EXPECT_EQ(only_step<CallTool>(R"({"ask":{"question":"q"}})").name, "ask");
  EXPECT_EQ(only_step<CallTool>(R"({"report":[1,2]})").arguments, Json::parse(R"({"result":[1,2]})"));
}

TEST(Script, AMistakeIsNamedByFileAndPointer) {
  EXPECT_EQ(problem("{"), "a.json: not valid JSON at byte 1");
  EXPECT_EQ(problem("[]"), "a.json at its top: expected an object, got '[]'");
  EXPECT_EQ(problem("{}"), "a.json at its top: key 'turns' is missing");
  EXPECT_EQ(problem(R"({"turns":1})"), "a.json at /turns: expected a list, got '1'");
  EXPECT_EQ(problem(R"({"turns":[],"otherwize":[]})"),
            "a.json at its top: unknown key 'otherwize'. Did you mean 'otherwise'?");
  EXPECT_EQ(problem(R"({"turns":[{"when":{"contains":1},"steps":[]}]})"),
            "a.json at /turns/0/when/contains: expected a string, got '1'");
  EXPECT_EQ(problem(R"({"turns":[{"steps":[]},{}]})"), "a.json at /turns/1: key 'steps' is missing");
  EXPECT_EQ(problem(R"({"turns":[],"otherwise":[{"say":1}]})"),
            "a.json at /otherwise/0/say: expected a string, got '1'");
}

TEST(Script, AMistakeInAStepToo) {
  EXPECT_EQ(step_problem(R"({"sai":"x"})"), "a.json at /turns/0/steps/0: there is no step 'sai'. Did you mean 'say'?");
  EXPECT_EQ(step_problem(R"({"say":"x","run":"y"})"), "a.json at /turns/0/steps/0: has 2 keys, a step has exactly one");
  EXPECT_EQ(step_problem(R"("say")"), "a.json at /turns/0/steps/0: expected an object with one key, got '\"say\"'");
  EXPECT_EQ(step_problem(R"({"write":{"path":"p"}})"), "a.json at /turns/0/steps/0/write: key 'text' is missing");
  EXPECT_EQ(step_problem(R"({"run":{"command":"x","a/b~":1}})"),
            "a.json at /turns/0/steps/0/run: unknown key 'a/b~'. Known here: command, expect_exit, save");
  EXPECT_EQ(step_problem(R"({"mute":{"x":1}})"), "a.json at /turns/0/steps/0/mute: unknown key 'x'. It takes none");
  EXPECT_EQ(step_problem(R"({"crash":{}})"), "a.json at /turns/0/steps/0/crash: expected either 'exit' or 'signal'");
}

TEST(Script, HasLimits) {
  for (const char* step : {
           R"({"crash":{"exit":256}})",
           R"({"crash":{"exit":-1}})",
           R"({"crash":{"signal":0}})",
           R"({"crash":{"signal":65}})",
           R"({"crash":{"exit":1,"signal":9}})",
           R"({"huge":{"bytes":0}})",
           R"({"huge":{"bytes":99999999999999999999}})",
           R"({"huge":{"bytes":1e3}})",
           R"({"huge":{}})",
           R"({"sleep":5})",
           R"({"sleep":"soon"})",
           R"({"sleep":"-1s"})",
           R"({"wait_message":{}})",
           R"({"usage":{"input_tokens":-1}})",
           R"({"usage":{"cost_usd":-1}})",
           R"({"usage":{"cost_usd":"1"}})",
           R"({"error":{"status":99}})",
           R"({"error":{"retries":101}})",
           R"({"claim":{"id":0}})",
           R"({"claim":{"id":"1"}})",
           R"({"send":{"to":"x"}})",
           R"({"send":{"to":"x","body":1}})",
           R"({"tool":{"name":""}})",
           R"({"tool":{"name":"x","arguments":[]}})",
           R"({"write":{"path":"","text":""}})",
           R"({"permission":{"tool":"x","input":1}})",
           R"({"update":1})",
           R"({"inbox":null})",
           R"({"deaf":{"eof":1}})",
           R"({"end":{"stop_reason":1}})",
           R"({"fork":{}})",
           R"({"unsolicited":"x"})",
       })
    EXPECT_NE(step_problem(step), "none") << step;
}

TEST(Script, HugeAndDeepFilesAreRefused) {
  EXPECT_NE(problem(std::string(limits::kScriptMaxBytes + 1, ' ')).find("over the limit"), std::string::npos);
  EXPECT_NE(problem(std::string(100000, '[')).find("nested deeper"), std::string::npos);
}

}  // namespace
}  // namespace teamster::script
