// What a member does about trouble that its agent's process cannot mend: a program that cannot be run, a login that is
// refused, a conversation that is too long; and while its agent waits for a job of its own.
#include "agent/hosted_member_for_test.h"

namespace teamster::agent {
namespace {

class HostedTroubleTest : public HostedMemberTest {
 protected:
  void ask(const std::string& text) {
    Prompt prompt{.text = text};
    prompt.schema = Json{{"type", "object"}, {"required", {"score"}}};
    prompt.id = "run/step." + std::to_string(++asked_);
    prompt.goes_back_when_lost = true;
    prompt.mends = false;
    member_->ask(std::move(prompt), [this](const TurnResult& result) { results_.push_back(result); });
  }
  bool has_results(std::size_t count) {
    return within(30s, [&] { return results_.size() >= count; });
  }

  int asked_ = 0;
  std::vector<TurnResult> results_;
};

TEST_F(HostedTroubleTest, AProgramThatCannotBeRunIsNotTriedAgainAndAgain) {
  start_and_wait();
  ask("work");
  ASSERT_TRUE(wait_said(1));
  agent().break_down("the agent's process exited with code 1; it said: error: unknown option '--tools'");
  ASSERT_TRUE(has_results(1));
  EXPECT_EQ(results_[0].end.fault, Fault::program);
  EXPECT_TRUE(has(results_[0].end.error, "unknown option '--tools'")) << results_[0].end.error;
  EXPECT_EQ(driver_.starts, 1);
  EXPECT_EQ(member_->fault(), Fault::program);
}

TEST_F(HostedTroubleTest, AfterALoginThatWasRefusedAnotherProcessGoesOnInTheConversation) {
  start_and_wait();
  ask("work");
  ASSERT_TRUE(wait_said(1));
  agent().take();
  agent().resumable("conversation-1");
  agent().fail_turn(Fault::login, "401");
  ASSERT_TRUE(has_results(1));
  EXPECT_EQ(results_[0].end.fault, Fault::login);
  world_.run_for(1h);
  EXPECT_EQ(driver_.starts, 1) << "nobody has asked for anything";
  ask("once more");
  ASSERT_TRUE(within(5s, [&] { return agent().closed; })) << "the process has the login of before";
  agent().die("ended");
  ASSERT_TRUE(within(5s, [&] { return driver_.starts == 2; }));
  EXPECT_EQ(agent().options.resume_token, "conversation-1");
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(has(text(0), "once more"));
  agent().answer(R"({"score":1})");
  ASSERT_TRUE(has_results(2));
  EXPECT_TRUE(results_[1].end.is_good());
}

TEST_F(HostedTroubleTest, AConversationThatIsTooLongIsReplacedByANewOne) {
  start_and_wait();
  ask("work");
  ASSERT_TRUE(wait_said(1));
  agent().take();
  agent().resumable("conversation-1");
  agent().fail_turn(Fault::context, "Prompt is too long");
  ASSERT_TRUE(has_results(1));
  EXPECT_EQ(results_[0].end.fault, Fault::context);
  ASSERT_TRUE(agent().closed);
  agent().die("ended");
  ASSERT_TRUE(within(5s, [&] { return driver_.starts == 2; }));
  EXPECT_EQ(agent().options.resume_token, "");
  EXPECT_FALSE(member_->has_conversation());
}

TEST_F(HostedTroubleTest, WhoWaitsForAJobOfItsOwnIsNotAskedToMend) {
  start_and_wait();
  ask("run the tests");
  ASSERT_TRUE(wait_said(1));
  agent().take();
  agent().speak("They run in the background.");
  agent().end({.text = "I wait.", .inputs = {agent().last()}, .background_jobs = 1});
  world_.run_for(1h);
  EXPECT_TRUE(results_.empty());
  EXPECT_EQ(said(), 1U);
  agent().begin_by_itself();
  agent().end({.text = R"({"score":7})", .solicited = false});
  ASSERT_TRUE(has_results(1));
  EXPECT_TRUE(results_[0].end.is_good()) << results_[0].end.error;
  EXPECT_EQ(results_[0].answer.value.value_or(Json()), Json({{"score", 7}}));
  EXPECT_EQ(results_[0].prompt, "run/step.1");
}

TEST_F(HostedTroubleTest, AJobThatNeverEndsIsNotWaitedForForEver) {
  start_and_wait();
  ask("run the tests");
  ASSERT_TRUE(wait_said(1));
  agent().take();
  agent().end({.text = "I wait.", .inputs = {agent().last()}, .background_jobs = 1});
  world_.run_for(limits::kTurnMax + 1min);
  ASSERT_EQ(results_.size(), 1U);
  EXPECT_EQ(results_[0].end.fault, Fault::protocol);
}

}  // namespace
}  // namespace teamster::agent
