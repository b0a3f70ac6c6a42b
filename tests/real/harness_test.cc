// What the other tests of this suite stand on: the real program runs here, and the scripted
// model can speak to it. When these fail, nothing else of the suite means anything.
#include <gtest/gtest.h>

#include "e2e/process.h"
#include "real/real_team.h"

namespace teamster::real {
namespace {

// Claude Code by itself, one prompt, without teamster.
Json answer_of_claude(const model::RunningServer& server, const std::string& scratch, const std::string& prompt) {
  e2e::Process claude(e2e::Start{
      .command = {claude_program(), "-p", "--output-format", "json", prompt},
      .environment = {"PATH=/usr/bin:/bin", "HOME=" + scratch, "TMPDIR=" + scratch, "CLAUDE_CONFIG_DIR=" + scratch,
                      "ANTHROPIC_API_KEY=" + key_of("alone"), "ANTHROPIC_BASE_URL=" + server.url(),
                      "CLAUDE_CODE_MAX_RETRIES=0", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}});
  EXPECT_TRUE(claude.wait()) << "it did not end";
  const Json answer = Json::parse(claude.out(), nullptr, false);
  EXPECT_TRUE(answer.is_object()) << claude.out() << claude.err();
  return answer;
}

TEST(Harness, TheProgramIsThere) {
  const e2e::Home home;
  e2e::Process claude(e2e::Start{.command = {claude_program(), "--version"},
                                 .environment = {"PATH=/usr/bin:/bin", "HOME=" + home.scratch()}});
  EXPECT_EQ(claude.wait(), 0) << claude.err();
  EXPECT_NE(claude.out().find("Claude Code"), std::string::npos) << claude.out();
}

TEST(Harness, TheScriptedModelAnswersTheRealProgram) {
  const e2e::Home home;
  const model::RunningServer server(script_of({conversation_of("alone", {say("hello, you")})}));
  const Json answer = answer_of_claude(server, home.scratch(), "hello, model");
  EXPECT_EQ(answer.value("result", ""), "hello, you");
  EXPECT_EQ(answer["usage"].value("input_tokens", 0), 100);
  const auto requests = server.requests_of(key_of("alone"));
  ASSERT_EQ(requests.size(), 1U);  // none of the program's own
  EXPECT_NE(requests[0].value("last", "").find("hello, model"), std::string::npos);
  EXPECT_TRUE(server.surprises().empty());
}

TEST(Harness, AScriptedErrorIsAnErrorOfTheRealProgram) {
  const e2e::Home home;
  const Json refusal = {{"error", {{"status", 401}}}};
  const model::RunningServer server(script_of({conversation_of("alone", {refusal})}));
  const Json answer = answer_of_claude(server, home.scratch(), "hello, model");
  EXPECT_TRUE(answer.value("is_error", false));
  EXPECT_EQ(answer.value("api_error_status", 0), 401);
}

}  // namespace
}  // namespace teamster::real
