// A member with its agent: how it joins, its turns, and what they cost.
#include "agent/hosted_member.h"

#include "agent/hosted_member_for_test.h"
#include "base/limits.h"

namespace teamster::agent {
namespace {

TEST_F(HostedMemberTest, JoinsAsANewEpochAndIsReady) {
  start_and_wait();
  EXPECT_EQ(driver_.starts, 1);
  EXPECT_EQ(status_of("builder")["epoch"], 2) << "the first was the one the team was created with";
  EXPECT_EQ(status_of("builder")["state"], "live");
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->epoch, 2);
  EXPECT_EQ(record()->driver, "fake");
  EXPECT_EQ(record()->agent_pid, 4711);
  EXPECT_EQ(record()->host, view_.processes.self());
  EXPECT_EQ(record()->state, "idle");
}

TEST_F(HostedMemberTest, GivesTheAgentItsPlaceAndTheTeamsTools) {
  start_and_wait();
  const StartOptions& options = agent().options;
  EXPECT_EQ(options.team, "alpha");
  EXPECT_EQ(options.member, "builder");
  EXPECT_EQ(options.private_directory, hubs_.home().member_directory("alpha", "builder"));
  ASSERT_GE(options.team_tools.size(), 6U);
  EXPECT_EQ(options.team_tools[0], view_.processes.own_executable());
  EXPECT_EQ(options.team_tools[1], "mcp");
  EXPECT_EQ(options.team_tools.back(), "host") << "its messages come from the host, not from its tools";
  const auto project = std::find(options.team_tools.begin(), options.team_tools.end(), "--project");
  ASSERT_LT(project, options.team_tools.end() - 1);
  EXPECT_EQ(*(project + 1), options.directory) << "whose skills it is offered";
  EXPECT_EQ(std::find(options.team_tools.begin(), options.team_tools.end(), "--run"), options.team_tools.end());
  EXPECT_TRUE(options.resume_token.empty());
  for (const auto& word : options.team_tools) EXPECT_FALSE(has(word, "token")) << "no token in an argument";
}

TEST_F(HostedMemberTest, WithoutInjectionTheToolsReadTheInbox) {
  driver_.can.injects = false;
  start_and_wait();
  EXPECT_EQ(agent().options.team_tools.back(), "tools");
}

TEST_F(HostedMemberTest, AnAgentWithoutToolsGetsNone) {
  driver_.can.has_tools = false;
  start_and_wait();
  EXPECT_TRUE(agent().options.team_tools.empty());
}

TEST_F(HostedMemberTest, OnlyOneHostRunsAMember) {
  start_and_wait();
  env::World other_view = world_.start("other host").view();
  hub::Client other_client(other_view, hubs_.home(), hub::Access::operator_of_home());
  std::optional<Result<void>> refused;
  MemberObserver observer;
  observer.on_gone = [&](const Result<void>& outcome) { refused = outcome; };
  MemberOptions options;
  options.team = "alpha";
  options.member = "builder";
  options.driver = &driver_;
  HostedMember second(other_view, other_client, hubs_.home(), options, observer);
  second.start();
  ASSERT_TRUE(within(5s, [&] { return refused.has_value(); }));
  ASSERT_FALSE(*refused);
  EXPECT_EQ(refused->error().code, Code::refused);
  EXPECT_TRUE(has(refused->error().what, std::to_string(view_.processes.self().pid))) << refused->error().what;
  EXPECT_EQ(driver_.starts, 1);
  EXPECT_EQ(status_of("builder")["epoch"], 2) << "the first host is not disturbed";
}

TEST_F(HostedMemberTest, AnUnknownTeamIsRefused) {
  call("team.delete", {{"team", "alpha"}, {"force", true}});
  start();
  ASSERT_TRUE(wait_gone());
  EXPECT_FALSE(*outcome_);
  EXPECT_EQ(driver_.starts, 0);
}

TEST_F(HostedMemberTest, AnAgentThatCannotBeStartedEndsTheEpoch) {
  driver_.refusal = "no such program";
  start();
  ASSERT_TRUE(wait_gone());
  ASSERT_FALSE(*outcome_);
  EXPECT_TRUE(has(outcome_->error().what, "no such program"));
  EXPECT_NE(status_of("builder")["state"], "live");
  EXPECT_EQ(record()->state, "gone");
  EXPECT_TRUE(has(record()->trouble, "no such program"));
}

TEST_F(HostedMemberTest, APromptIsAskedAndAnswered) {
  start_and_wait();
  std::vector<TurnResult> results;
  member_->ask({"first"}, [&](const TurnResult& result) { results.push_back(result); });
  member_->ask({"second"}, [&](const TurnResult& result) { results.push_back(result); });
  ASSERT_TRUE(wait_said(1));
  EXPECT_EQ(text(0), "first");
  world_.run_for(1s);
  EXPECT_EQ(said(), 1U) << "one after the other";
  agent().answer("one");
  ASSERT_TRUE(wait_said(2));
  agent().answer("two");
  ASSERT_TRUE(within(5s, [&] { return results.size() == 2; }));
  EXPECT_EQ(results[0].end.text, "one");
  EXPECT_EQ(results[1].end.text, "two");
  EXPECT_EQ(record()->turns, 2);
}

TEST_F(HostedMemberTest, TurnsAreInTheJournalWithTheirUsage) {
  start_and_wait();
  const auto id = send("work");
  ASSERT_TRUE(wait_said(1));
  ASSERT_TRUE(within(5s, [&] { return status_of("builder").value("running", false); }));
  agent().answer("done", {.input_tokens = 10, .output_tokens = 5, .cost_usd = 0.25});
  send("more");
  ASSERT_TRUE(wait_said(2));
  agent().answer("again", {.input_tokens = 1, .output_tokens = 2, .cost_usd = 0.5});
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 2; }));
  const auto turns = ended_turns();
  EXPECT_EQ(turns[0]["turn"], 1);
  EXPECT_EQ(turns[0]["text"], "done");
  EXPECT_EQ(turns[0]["messages"], Json({id}));
  EXPECT_EQ(turns[0]["usage"]["input_tokens"], 10);
  EXPECT_EQ(turns[1]["usage"]["cost_microusd"], 500'000);
  const Json usage = status_of("builder")["usage"];
  EXPECT_EQ(usage["turns"], 2);
  EXPECT_EQ(usage["input_tokens"], 11);
  EXPECT_EQ(usage["output_tokens"], 7);
  EXPECT_EQ(usage["cost_usd"], 0.75);
  EXPECT_FALSE(status_of("builder").value("running", true));
  EXPECT_EQ(record()->cost_usd, 0.75);
}

TEST_F(HostedMemberTest, AnAnswerLongerThanTheJournalKeepsIsCutAtACharacter) {
  start_and_wait();
  send("work");
  ASSERT_TRUE(wait_said(1));
  std::string umlauts = "x";
  while (umlauts.size() <= limits::kTurnTextMaxBytes + 10) umlauts += "\xC3\xA4";
  agent().answer(umlauts);
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 1; }));
  const std::string kept = ended_turns()[0]["text"];
  EXPECT_LE(kept.size(), limits::kTurnTextMaxBytes);
  EXPECT_GE(kept.size(), limits::kTurnTextMaxBytes - 1);
  EXPECT_TRUE(umlauts.starts_with(kept));
}

TEST_F(HostedMemberTest, AFailedTurnIsATroubleUntilAGoodOne) {
  start_and_wait();
  send("work");
  ASSERT_TRUE(wait_said(1));
  agent().take();
  agent().fail_turn(Fault::provider, "API Error: 500");
  EXPECT_EQ(record()->state, "failing");
  EXPECT_EQ(record()->trouble, "API Error: 500");
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 1; }));
  EXPECT_EQ(ended_turns()[0]["fault"], "provider");
  EXPECT_EQ(ended_turns()[0]["error"], "API Error: 500");
  send("again");
  ASSERT_TRUE(wait_said(2));
  agent().answer("fine");
  EXPECT_EQ(record()->state, "idle");
  EXPECT_EQ(record()->trouble, "");
}

TEST_F(HostedMemberTest, ATurnThatTheAgentBeganByItselfSettlesNothingElse) {
  start_and_wait();
  agent().begin_by_itself();
  agent().speak("a task has ended");
  agent().end({.text = "a task has ended", .solicited = false});
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 1; }));
  EXPECT_EQ(ended_turns()[0]["messages"], Json::array());
  // Now with something that was said while it ran.
  const auto id = send("work");
  ASSERT_TRUE(wait_said(1));
  agent().end({.text = "unasked", .solicited = false});
  world_.run_for(1s);
  EXPECT_EQ(receipt(id), "queued");
  agent().begin_by_itself();
  agent().answer("asked");
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 3; }));
  EXPECT_EQ(ended_turns()[1]["messages"], Json::array());
  EXPECT_EQ(ended_turns()[2]["messages"], Json({id}));
  EXPECT_EQ(ended_turns()[2]["text"], "asked");
}

TEST_F(HostedMemberTest, PermissionsAreDecidedByThePolicy) {
  MemberOptions options;
  options.permissions = *PermissionPolicy::make({.allow = {"Bash(git *)"}, .deny = {}});
  start_and_wait(std::move(options));
  EXPECT_TRUE(agent().ask({"1", "Bash", {{"command", "git status"}}, ""}).allow);
  EXPECT_FALSE(agent().ask({"2", "Bash", {{"command", "rm"}}, ""}).allow);
  EXPECT_EQ(notes_, (std::vector<std::string>{"allowed Bash", "denied Bash"}));
}

TEST_F(HostedMemberTest, TheTranscriptTellsTheStory) {
  start_and_wait();
  send("work");
  ASSERT_TRUE(wait_said(1));
  agent().answer("done");
  const auto text =
      view_.files.read(Transcript::file_in(hubs_.home().member_directory("alpha", "builder")), 1024 * 1024);
  ASSERT_TRUE(text);
  std::vector<std::string> kinds;
  std::size_t at = 0;
  for (std::size_t end = 0; (end = text->find('\n', at)) != text->npos; at = end + 1)
    kinds.push_back((*parse_json(text->substr(at, end - at)))["kind"]);
  EXPECT_EQ(kinds, (std::vector<std::string>{"note", "turn_started", "told", "text", "turn_ended"}));
}

}  // namespace
}  // namespace teamster::agent
