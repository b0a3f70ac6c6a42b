// When a member's agent dies, is resumed, or is stopped.
#include "agent/hosted_member.h"
#include "agent/hosted_member_for_test.h"
#include "agent/temporary_directory.h"
#include "base/limits.h"

namespace teamster::agent {
namespace {

TEST_F(HostedMemberTest, ACrashIsFollowedByANewProcessWithTheOldConversation) {
  start_and_wait();
  const auto id = send("work");
  ASSERT_TRUE(wait_said(1));
  agent().resumable("conversation-1");
  agent().take();
  agent().speak("I begin");
  agent().die("exited with code 3");
  EXPECT_EQ(record()->resume_token, "conversation-1");
  ASSERT_TRUE(wait_starts(2));
  EXPECT_EQ(agent().options.resume_token, "conversation-1");
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(has(text(0), "work"));
  EXPECT_TRUE(has(text(0), "do not repeat what is done")) << text(0);
  expect_receipt(id, "seen");
  agent().answer("done");
  expect_receipt(id, "acted");
  EXPECT_EQ(status_of("builder")["epoch"], 2) << "the member is the same";
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 2; }));
  EXPECT_EQ(ended_turns()[0]["fault"], "crashed");
  EXPECT_EQ(ended_turns()[0]["error"], "exited with code 3");
  EXPECT_EQ(ended_turns()[0]["messages"], Json::array()) << "it is not dealt with yet";
  EXPECT_EQ(ended_turns()[1]["messages"], Json({id}));
}

TEST_F(HostedMemberTest, ItsTemporaryFilesGoWithItWhereTheyAreNotInTheHome) {
  const hub::Home elsewhere("/" + std::string(60, 'h'));
  const std::string temporary = temporary_directory_of(elsewhere, "alpha", "builder");
  MemberOptions options;
  options.team = "alpha";
  options.member = "builder";
  options.driver = &driver_;
  options.start.directory = "/src";
  {
    HostedMember hosted(view_, client_, elsewhere, options, {});
    hosted.start();
    EXPECT_NE(*view_.files.status(temporary), std::nullopt);
    {
      HostedMember second(view_, client_, elsewhere, options, {});
      second.start();
    }
    EXPECT_NE(*view_.files.status(temporary), std::nullopt) << "one that is refused has none";
  }
  EXPECT_EQ(*view_.files.status(temporary), std::nullopt);
}

TEST_F(HostedMemberTest, TheLastCrashBeforeGivingUpAnswersTheMessage) {
  start_and_wait();
  const auto id = send("work");
  for (int i = 1; i <= limits::kRespawnsMax + 1; ++i) {
    ASSERT_TRUE(wait_starts(i)) << i;
    ASSERT_TRUE(wait_said(1)) << i;
    agent().take();
    agent().die("exited with code 3");
  }
  ASSERT_TRUE(wait_gone());
  const auto turns = ended_turns();
  ASSERT_EQ(turns.size(), static_cast<std::size_t>(limits::kRespawnsMax) + 1);
  for (std::size_t i = 0; i + 1 < turns.size(); ++i) EXPECT_EQ(turns[i]["messages"], Json::array()) << i;
  EXPECT_EQ(turns.back()["messages"], Json({id})) << "nobody will tell it again";
}

TEST_F(HostedMemberTest, AMessageThatIsToldAgainAfterAnInterruptIsAnsweredByThatTurn) {
  start_and_wait();
  const auto first = send("work");
  ASSERT_TRUE(wait_said(1));
  agent().take();  // and says nothing
  const auto second = send("stop that", {{"priority", "interrupt"}});
  ASSERT_TRUE(within(5s, [&] { return agent().interrupts == 1; }));
  agent().fail_turn(Fault::interrupted, "the turn was interrupted");
  ASSERT_TRUE(wait_said(2));
  agent().answer("stopped");
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 2; }));
  EXPECT_EQ(ended_turns()[0]["messages"], Json::array());
  EXPECT_EQ(ended_turns()[1]["messages"], Json({first, second}));
}

TEST_F(HostedMemberTest, TheNumberOfATurnThatAKilledHostBeganIsNotUsedAgain) {
  start_and_wait();
  send("work");
  ASSERT_TRUE(wait_said(1));
  agent().take();
  member_.reset();  // killed in the middle of it
  is_ready_ = false;
  MemberOptions options;
  options.fresh = true;  // a new conversation, and the same member
  start_and_wait(std::move(options));
  ASSERT_TRUE(wait_said(1));
  agent().answer("done");
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 1; }));
  EXPECT_EQ(ended_turns()[0]["turn"], 2);
}

TEST_F(HostedMemberTest, APromptIsSaidAgainAfterACrash) {
  start_and_wait();
  std::optional<TurnResult> result;
  member_->ask({"build it"}, [&](const TurnResult& outcome) { result = outcome; });
  ASSERT_TRUE(wait_said(1));
  agent().take();
  agent().die("was killed by signal 9");
  EXPECT_FALSE(result) << "it is not over";
  ASSERT_TRUE(wait_starts(2));
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(text(0).starts_with("build it"));
  EXPECT_TRUE(has(text(0), "You may have begun this before"));
  agent().answer("built");
  ASSERT_TRUE(within(5s, [&] { return result.has_value(); }));
  EXPECT_EQ(result->end.text, "built");
  ASSERT_EQ(result->restarts.size(), 1U);
  EXPECT_TRUE(has(result->restarts[0], "killed by signal 9")) << result->restarts[0];
}

TEST_F(HostedMemberTest, MessagesThatCameWhileItWasDownAreTold) {
  start_and_wait();
  agent().die("was killed by signal 9");
  const auto id = send("are you there?");
  ASSERT_TRUE(wait_starts(2));
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(has(text(0), "are you there?"));
  EXPECT_FALSE(has(text(0), "before")) << "it is new";
  agent().answer("yes");
  expect_receipt(id, "acted");
}

TEST_F(HostedMemberTest, GivesUpAfterSoManyCrashesWithoutAGoodTurn) {
  start_and_wait();
  std::optional<TurnResult> result;
  member_->ask({"build it"}, [&](const TurnResult& outcome) { result = outcome; });
  for (int i = 1; i <= limits::kRespawnsMax + 1; ++i) {
    ASSERT_TRUE(wait_starts(i)) << i;
    ASSERT_TRUE(wait_said(1)) << i;
    agent().take();
    agent().die("exited with code 3; it said: no luck");
  }
  ASSERT_TRUE(wait_gone());
  ASSERT_FALSE(*outcome_);
  EXPECT_TRUE(has(outcome_->error().what, "no luck"));
  EXPECT_TRUE(has(outcome_->error().next, "agent attach"));
  ASSERT_TRUE(result) << "whoever asked is told";
  EXPECT_FALSE(result->end.is_good());
  EXPECT_EQ(driver_.starts, limits::kRespawnsMax + 1);
  EXPECT_NE(status_of("builder")["state"], "live");
  EXPECT_EQ(record()->state, "gone");
}

TEST_F(HostedMemberTest, AGoodTurnForgivesEarlierCrashes) {
  start_and_wait();
  for (int i = 1; i <= 2 * limits::kRespawnsMax; ++i) {
    agent().die("exited with code 3");
    ASSERT_TRUE(wait_starts(i + 1)) << i;
    send("still fine?");
    ASSERT_TRUE(wait_said(1));
    agent().answer("yes");
  }
  EXPECT_FALSE(outcome_);
}

TEST_F(HostedMemberTest, PausesBetweenCrashesGrow) {
  start_and_wait();
  std::vector<Duration> pauses;
  for (int i = 1; i <= limits::kRespawnsMax; ++i) {
    const Instant before = world_.clock().now();
    agent().die("exited with code 3");
    ASSERT_TRUE(wait_starts(i + 1));
    pauses.push_back(world_.clock().now() - before);
  }
  for (std::size_t i = 1; i < pauses.size(); ++i) EXPECT_GT(pauses[i], pauses[i - 1]);
}

TEST_F(HostedMemberTest, AConversationThatIsLostBeginsAnew) {
  start_and_wait();
  const auto id = send("work");
  ASSERT_TRUE(wait_said(1));
  agent().resumable("conversation-1");
  agent().take();
  agent().die("killed");
  ASSERT_TRUE(wait_starts(2));
  ASSERT_TRUE(wait_said(1));
  EXPECT_EQ(agent().options.resume_token, "conversation-1");
  agent().die("exited with code 1", true);
  ASSERT_TRUE(wait_starts(3));
  EXPECT_EQ(agent().options.resume_token, "");
  ASSERT_TRUE(wait_said(1)) << "what it was told is told again, and soon";
  agent().answer("done");
  expect_receipt(id, "acted");
}

TEST_F(HostedMemberTest, ANewHostTakesTheConversationUpAgain) {
  start_and_wait();
  const auto done = send("finished work");
  ASSERT_TRUE(wait_said(1));
  agent().resumable("conversation-1");
  agent().answer("ok", {.cost_usd = 1.5});
  expect_receipt(done, "acted");
  const auto cut = send("cut work");
  ASSERT_TRUE(wait_said(2));
  agent().take();
  agent().speak("I begin");
  expect_receipt(cut, "seen");
  member_.reset();  // as a host that is killed: nobody says goodbye
  is_ready_ = false;
  start_and_wait();
  EXPECT_EQ(status_of("builder")["epoch"], 3);
  EXPECT_EQ(agent().options.resume_token, "conversation-1");
  EXPECT_EQ(agent().options.cost_so_far_usd, 1.5);
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(has(text(0), "cut work"));
  EXPECT_FALSE(has(text(0), "finished work"));
  EXPECT_TRUE(has(text(0), "before"));
  agent().answer("done");
  expect_receipt(cut, "acted");
}

TEST_F(HostedMemberTest, AFreshConversationForgetsTheOldOne) {
  start_and_wait();
  send("work");
  ASSERT_TRUE(wait_said(1));
  agent().resumable("conversation-1");
  agent().answer("ok", {.cost_usd = 1.5});
  member_.reset();
  is_ready_ = false;
  MemberOptions options;
  options.fresh = true;
  start_and_wait(std::move(options));
  EXPECT_EQ(agent().options.resume_token, "");
  EXPECT_EQ(agent().options.cost_so_far_usd, 0.0);
}

TEST_F(HostedMemberTest, StopEndsTheAgentThenTheEpoch) {
  start_and_wait();
  member_->stop("enough");
  EXPECT_TRUE(agent().closed);
  world_.run_for(1s);
  EXPECT_EQ(status_of("builder")["state"], "live") << "not before the agent is gone";
  agent().die("exited with code 0");
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(*outcome_);
  EXPECT_NE(status_of("builder")["state"], "live");
  const Json events = call("journal.read", {{"team", "alpha"}, {"after", 0}})["events"];
  EXPECT_EQ(events.back()["kind"], "member.left");
  EXPECT_EQ(events.back()["body"]["reason"], "enough");
  EXPECT_EQ(record()->state, "gone");
  EXPECT_EQ(driver_.starts, 1);
}

TEST_F(HostedMemberTest, StopTellsWhoeverWaitsForAnAnswer) {
  start_and_wait();
  std::vector<std::string> errors;
  for (const char* prompt : {"running", "waiting"})
    member_->ask({prompt}, [&](const TurnResult& result) { errors.push_back(result.end.error); });
  ASSERT_TRUE(wait_said(1));
  member_->stop("enough");
  agent().die("exited with code 0");
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(errors.size(), 2U);
}

TEST_F(HostedMemberTest, StopWhileItIsDownNeedsNoProcess) {
  start_and_wait();
  agent().die("exited with code 3");
  member_->stop("enough");
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(*outcome_);
  world_.run_for(10s);
  EXPECT_EQ(driver_.starts, 1);
}

TEST_F(HostedMemberTest, StopBeforeItHasJoinedStartsNothing) {
  start();
  member_->stop("never mind");
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(*outcome_);
  world_.run_for(10s);
  EXPECT_EQ(driver_.starts, 0);
  EXPECT_FALSE(is_ready_);
  EXPECT_NE(status_of("builder")["state"], "live") << "the epoch that it joined as is over, too";
}

TEST_F(HostedMemberTest, AnEpochThatSomebodyElseEndedStopsIt) {
  start_and_wait();
  call("team.leave", {{"team", "alpha"}, {"member", "builder"}, {"reason", "stopped"}});
  ASSERT_TRUE(within(5s, [&] { return agent().closed; }));
  agent().die("exited with code 0");
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(*outcome_);
}

TEST_F(HostedMemberTest, AnEpochThatWasTakenOverStopsItAndTheNewOneStays) {
  start_and_wait();
  call("team.join", {{"team", "alpha"}, {"member", "builder"}});
  ASSERT_TRUE(within(5s, [&] { return agent().closed; }));
  agent().die("exited with code 0");
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status_of("builder")["state"], "live");
  EXPECT_EQ(status_of("builder")["epoch"], 3);
}

TEST_F(HostedMemberTest, ATeamThatIsDeletedStopsIt) {
  start_and_wait();
  call("team.delete", {{"team", "alpha"}, {"force", true}});
  ASSERT_TRUE(within(5s, [&] { return agent().closed; }));
  agent().die("exited with code 0");
  EXPECT_TRUE(wait_gone());
}

TEST_F(HostedMemberTest, AMemberThatAnotherProcessRunsIsRefusedOrWaitedFor) {
  start_and_wait();
  const env::World elsewhere = world_.start("other host").view();
  hub::Client client(elsewhere, hubs_.home(), hub::Access::operator_of_home());
  MemberOptions options;
  options.team = "alpha";
  options.member = "builder";
  options.driver = &driver_;
  options.start.directory = "/src";
  std::optional<Result<void>> gone;
  bool is_ready = false;
  MemberObserver observer;
  observer.on_ready = [&] { is_ready = true; };
  observer.on_gone = [&](const Result<void>& why) { gone = why; };
  HostedMember refused(elsewhere, client, hubs_.home(), options, observer);
  refused.start();
  ASSERT_TRUE(within(1s, [&] { return gone.has_value(); }));
  EXPECT_EQ(gone->error().code, Code::refused);
  gone.reset();
  options.waits_for_host = 60s;
  HostedMember patient(elsewhere, client, hubs_.home(), options, observer);
  patient.start();
  EXPECT_FALSE(within(20s, [&] { return is_ready || gone; }));
  member_.reset();
  EXPECT_TRUE(within(1s, [&] { return is_ready; }));
  HostedMember impatient(view_, client_, hubs_.home(), options, observer);
  impatient.start();
  EXPECT_FALSE(within(59s, [&] { return gone.has_value(); }));
  EXPECT_TRUE(within(5s, [&] { return gone.has_value(); }));
}

TEST_F(HostedMemberTest, TheAgentOfAKilledHostIsWaitedFor) {
  env::sim::Host& old_agent = world_.start("agent of a killed host");
  Record earlier;
  earlier.driver = "fake";
  earlier.host = view_.processes.self();
  earlier.agent_pid = old_agent.pid();
  const std::string directory = hubs_.home().member_directory("alpha", "builder");
  ASSERT_TRUE(view_.files.make_private_directory(directory));
  ASSERT_TRUE(earlier.save(view_.files, directory, true));
  start();
  EXPECT_FALSE(within(1s, [&] { return is_ready_; }));
  world_.kill(old_agent);
  EXPECT_TRUE(within(1s, [&] { return is_ready_; }));
}

TEST_F(HostedMemberTest, ANumberThatIsAnothersByNowDoesNotKeepAMemberAway) {
  Record earlier;
  earlier.driver = "fake";
  earlier.host = view_.processes.self();
  earlier.agent_pid = world_.start("somebody else").pid();
  const std::string directory = hubs_.home().member_directory("alpha", "builder");
  ASSERT_TRUE(view_.files.make_private_directory(directory));
  ASSERT_TRUE(earlier.save(view_.files, directory, true));
  start();
  EXPECT_TRUE(within(limits::kKeeperGrace + 2s, [&] { return is_ready_; }));
}

}  // namespace
}  // namespace teamster::agent
