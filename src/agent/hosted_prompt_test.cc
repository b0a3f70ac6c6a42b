// Prompts of an engine: their ends are in the hub's journal under their ids, and those whose conversation is lost go
// back to be worded anew.
#include "agent/hosted_member.h"

#include "agent/hosted_member_for_test.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/text.h"

namespace teamster::agent {
namespace {

class HostedPromptTest : public HostedMemberTest {
 protected:
  void ask(Prompt prompt) {
    const std::size_t before = said();
    member_->ask(std::move(prompt), [this](const TurnResult& result) { results_.push_back(result); });
    ASSERT_TRUE(wait_said(before + 1));
  }
  bool wait_results(std::size_t count) {
    return within(5s, [&] { return results_.size() >= count; });
  }
  // What an engine that comes later reads.
  std::optional<TurnResult> recorded(const std::string& prompt) {
    const Json turn = call("turn.get", {{"team", "alpha"}, {"prompt", prompt}})["turn"];
    return turn.is_object() ? std::optional(turn_result(hub::EndedTurn::read(turn))) : std::nullopt;
  }
  // The one who asked and the one who comes later know the same.
  static void expect_same(const TurnResult& one, const TurnResult& other) {
    EXPECT_EQ(ended_turn(one).json(), ended_turn(other).json());
  }

  const Json kSchema = {{"type", "object"}, {"required", {"score"}}};
  std::vector<TurnResult> results_;
};

TEST_F(HostedPromptTest, TheJournalKnowsWhatTheOneWhoAskedKnows) {
  start_and_wait();
  ask({.text = "rate it", .schema = kSchema, .id = "w-1/rate.1"});
  agent().take();
  agent().die("was killed by signal 9");
  ASSERT_TRUE(wait_starts(2));
  ASSERT_TRUE(wait_said(1));
  agent().answer("three", {.input_tokens = 10, .cost_usd = 0.25});
  ASSERT_TRUE(wait_said(2));
  EXPECT_FALSE(recorded("w-1/rate.1")) << "it is being mended";
  world_.run_for(2s);
  agent().take();
  agent().end({.text = R"({"score": 3})",
               .usage = {.input_tokens = 1, .cost_usd = 0.5},
               .stop_reason = "end_turn",
               .inputs = {agent().last()}});
  ASSERT_TRUE(wait_results(1));
  const auto found = recorded("w-1/rate.1");
  ASSERT_TRUE(found);
  expect_same(results_[0], *found);
  EXPECT_TRUE(found->end.is_good());
  EXPECT_EQ(found->end.stop_reason, "end_turn");
  EXPECT_EQ(found->answer.value, Json({{"score", 3}}));
  EXPECT_EQ(found->end.usage.input_tokens, 1);
  EXPECT_EQ(found->spent.input_tokens, 11);
  EXPECT_EQ(found->spent.cost_usd, 0.75);
  EXPECT_GE(found->took, 2s);
  ASSERT_EQ(found->restarts.size(), 1U);
}

TEST_F(HostedPromptTest, AFailureIsRecordedAsOne) {
  start_and_wait();
  ask({.text = "build it", .id = "w-1/build.1"});
  agent().take();
  agent().fail_turn(Fault::rate_limit, "429");
  ASSERT_TRUE(wait_results(1));
  const auto found = recorded("w-1/build.1");
  ASSERT_TRUE(found);
  expect_same(results_[0], *found);
  EXPECT_EQ(found->end.fault, Fault::rate_limit);
  EXPECT_EQ(found->end.error, "429");
}

TEST_F(HostedPromptTest, ALongTextIsCutForBothAndLeavesItsDigest) {
  start_and_wait();
  ask({.text = "tell a story", .id = "w-1/story.1"});
  const std::string story = "\xff once" + std::string(limits::kTurnTextMaxBytes, 'x');
  agent().answer(story);
  ASSERT_TRUE(wait_results(1));
  const auto found = recorded("w-1/story.1");
  ASSERT_TRUE(found);
  expect_same(results_[0], *found);
  EXPECT_EQ(found->end.text.size(), limits::kTurnTextMaxBytes);
  ASSERT_TRUE(found->whole_text);
  EXPECT_EQ(found->whole_text->bytes, static_cast<std::int64_t>(story.size()) + 2) << "what is no UTF-8 is replaced";
  EXPECT_EQ(found->whole_text->sha256.size(), 64U);
  EXPECT_EQ(turns_.back().text, story) << "who watches sees all of it";
}

TEST_F(HostedPromptTest, ATurnThatIsCutBecauseItsHostStopsIsNoAnswer) {
  start_and_wait();
  ask({.text = "build it", .id = "w-1/build.1"});
  agent().take();
  member_->stop("the engine was told to end");
  agent().die("exited with code 0");
  ASSERT_TRUE(wait_gone());
  ASSERT_TRUE(wait_results(1));
  EXPECT_FALSE(results_[0].end.is_good());
  EXPECT_FALSE(recorded("w-1/build.1")) << "who takes over asks again";
  EXPECT_EQ(ended_turns().size(), 1U);
}

TEST_F(HostedPromptTest, AnAnswerThatCameWhileItsHostStopsCounts) {
  start_and_wait();
  ask({.text = "build it", .id = "w-1/build.1"});
  agent().take();
  member_->stop("the engine was told to end");
  agent().end({.text = "built", .inputs = {agent().last()}});
  agent().die("exited with code 0");
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(recorded("w-1/build.1")->end.text, "built");
}

TEST_F(HostedPromptTest, OneWhoseConversationIsLostGoesBack) {
  start_and_wait();
  ask({.text = "first"});
  agent().resumable("conversation-1");
  agent().answer("one");
  ask({.text = "go on", .id = "w-1/build.2", .goes_back_when_lost = true});
  agent().take();
  agent().die("was killed by signal 9");
  ASSERT_TRUE(wait_starts(2));
  EXPECT_TRUE(member_->has_conversation());
  ASSERT_TRUE(wait_said(1)) << "it is said again to whom it was said";
  agent().die("exited with code 1: no conversation found", true);
  ASSERT_TRUE(wait_results(2));
  EXPECT_EQ(results_[1].lost_because, "exited with code 1: no conversation found");
  EXPECT_FALSE(member_->has_conversation());
  EXPECT_TRUE(lost_.empty()) << "who asked knows";
  EXPECT_FALSE(recorded("w-1/build.2"));
  ASSERT_TRUE(wait_starts(3));
  world_.run_for(5s);
  EXPECT_EQ(said(), 0U) << "a new agent would not understand it";
  ask({.text = "all of it again", .id = "w-1/build.3"});
  agent().answer("two");
  ASSERT_TRUE(wait_results(3));
  EXPECT_TRUE(results_[2].end.is_good());
}

TEST_F(HostedPromptTest, ALossBetweenTurnsIsTold) {
  start_and_wait();
  ask({.text = "first"});
  agent().resumable("conversation-1");
  agent().answer("one");
  agent().die("was killed by signal 9");
  ASSERT_TRUE(wait_starts(2));
  EXPECT_TRUE(lost_.empty()) << "it may be taken up";
  agent().die("exited with code 1: no conversation found", true);
  EXPECT_EQ(lost_, std::vector<std::string>{"exited with code 1: no conversation found"});
}

TEST_F(HostedPromptTest, OneThatStandsAloneIsSaidToTheNewConversation) {
  start_and_wait();
  ask({.text = "build it"});
  agent().resumable("conversation-1");
  agent().take();
  agent().die("exited with code 1: no conversation found", true);
  ASSERT_TRUE(wait_starts(2));
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(text(0).starts_with("build it"));
  EXPECT_EQ(lost_.size(), 1U);
}

}  // namespace
}  // namespace teamster::agent
