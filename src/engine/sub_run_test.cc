#include "engine/sub_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::engine {
namespace {

using Words = std::vector<std::string>;

Effect effect_for_test() {
  Effect effect;
  effect.command = {workflow::command::SubRun{"implement-spec", {{"spec", "01"}, {"words", "a=b c"}}}, "each/1", 1};
  effect.since = *parse_iso8601("2026-11-16T04:00:00.000Z");
  return effect;
}

ProgramOutcome outcome_for_test(int code, const std::string& answer) {
  ProgramOutcome outcome;
  outcome.code = code;
  outcome.answer = answer;
  outcome.output = answer;
  return outcome;
}

TEST(SubRunTest, IsTheSameCommandForAPerson) {
  const SubRunOptions options{"/project", "/home", {"--driver=script"}, "outer-20261116-1a2b"};
  EXPECT_EQ(sub_run_words(options, effect_for_test()),
            (Words{"run", "implement-spec", "--json", "--parent=outer-20261116-1a2b/each/1.1", "--arg=spec=01",
                   "--arg=words=a=b c", "--driver=script"}));
}

TEST(SubRunTest, AfterACrashWhatEndedMeanwhileCounts) {
  Effect effect = effect_for_test();
  effect.again = true;
  EXPECT_EQ(sub_run_words({"/project", "/home", {}, "outer-20261116-1a2b"}, effect).back(),
            "--since=2026-11-16T04:00:00.000Z");
}

TEST(SubRunTest, OneThatIsGivenUpIsCancelledByTheEffectThatStartedIt) {
  Effect effect;
  effect.command = {workflow::command::EndSubRun{"each/1.1"}, "each/1/end", 1};
  EXPECT_EQ(sub_run_words({"/project", "/home", {"--driver=script"}, "outer-20261116-1a2b"}, effect),
            (Words{"cancel", "outer-20261116-1a2b/each/1.1", "--json", "--timeout=5s"}));
  EXPECT_TRUE(is_sub_run_over(outcome_for_test(0, R"({"run":"r-1","status":"cancelled"})")));
  EXPECT_TRUE(is_sub_run_over(outcome_for_test(1, R"({"error":{"code":"not_found","what":"there is none"}})")));
  EXPECT_FALSE(is_sub_run_over(outcome_for_test(1, R"({"run":"r-1","status":"ending"})")));
  EXPECT_FALSE(is_sub_run_over(outcome_for_test(3, R"({"error":{"code":"refused","what":"it is held"}})")));
  EXPECT_FALSE(is_sub_run_over(outcome_for_test(70, "teamster: a bug")));
}

TEST(SubRunTest, ItsAnswerIsHowItEnded) {
  const auto answer =
      sub_run_answer(outcome_for_test(0, R"({"run":"r-1","status":"done","reason":"","report":"All good"})"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, Json::parse(R"({"run":"r-1","status":"done","report":"All good"})"));
}

TEST(SubRunTest, AnythingElseFailsTheStepWithTheReason) {
  const auto error = [](int code, const std::string& text) {
    const auto answer = sub_run_answer(outcome_for_test(code, text));
    return answer ? "" : answer.error().text();
  };
  EXPECT_EQ(error(1, R"({"run":"r-1","status":"blocked","reason":"verify: max"})"), "run r-1 is blocked: verify: max");
  EXPECT_EQ(error(3, R"({"error":{"code":"refused","what":"run r-2 is under way","next":"Watch it"}})"),
            "run r-2 is under way. Watch it");
  EXPECT_NE(error(70, "teamster: a bug").find("exited with code 70"), std::string::npos);
  EXPECT_NE(error(0, "").find("exited with code 0"), std::string::npos);
  EXPECT_NE(error(0, "[1]"), "");
  EXPECT_NE(error(1, R"({"run":"r-1","status":"done"})"), "") << "its code says otherwise";
}

}  // namespace
}  // namespace teamster::engine
