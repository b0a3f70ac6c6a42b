#include "protocol/client/team_calls.h"

#include "protocol/client/calls_for_test.h"
#include "protocol/client/message_calls.h"
#include "protocol/client/run_calls.h"
#include "protocol/client/task_calls.h"
#include "protocol/words/addresses.h"
#include "protocol/words/message_kinds.h"

namespace teamster::hub {
namespace {

using namespace std::chrono_literals;

class TeamCallsTest : public CallsTest {
 protected:
  CreateTeam::Answer create() { return call(CreateTeam{.team = "alpha", .members = {"builder", "tester"}}); }
};

TEST_F(TeamCallsTest, ANewTeamHasItsMembersAndTheirTokens) {
  const auto created = create();
  EXPECT_EQ(created.team, "alpha");
  ASSERT_EQ(created.members.size(), 2U);
  EXPECT_EQ(created.members[0].name, "builder");
  EXPECT_EQ(created.members[0].epoch, Epoch(1));
  EXPECT_NE(created.members[0].token_file.find("builder"), std::string::npos);
  const TeamStatus status = call(GetTeamStatus{"alpha"});
  ASSERT_NE(status.member("tester"), nullptr);
  EXPECT_TRUE(status.member("tester")->is_live);
  EXPECT_EQ(status.member("nobody"), nullptr);
  EXPECT_FALSE(status.owner) << "made by hand";
  EXPECT_EQ(call(ListTeams{}).at(0).live_members, 2);
}

TEST_F(TeamCallsTest, AMemberComesBackInItsNextEpochAndLeaves) {
  create();
  const NewMember joined = call(JoinTeam{"alpha", "builder"});
  EXPECT_EQ(joined.epoch, Epoch(2));
  call(CreateTask{.team = "alpha", .subject = "a"});
  call(ClaimTask{.team = "alpha", .member = "builder"});
  EXPECT_FALSE(try_call(LeaveTeam{.team = "alpha", .member = "builder", .epoch = Epoch(1)}));
  const auto left = call(LeaveTeam{.team = "alpha", .member = "builder", .reason = "done", .epoch = Epoch(2)});
  EXPECT_EQ(left.member, "builder");
  EXPECT_EQ(left.epoch, Epoch(2));
  EXPECT_EQ(left.released, std::vector<TaskId>{TaskId(1)});
  EXPECT_FALSE(call(GetTeamStatus{"alpha"}).member("builder")->is_live);
}

TEST_F(TeamCallsTest, ANativeMemberIsToldFromAnAgent) {
  create();
  call(JoinTeam{.team = "alpha", .member = "lead", .is_native = true});
  const TeamStatus status = call(GetTeamStatus{"alpha"});
  EXPECT_TRUE(status.member("lead")->is_native);
  EXPECT_FALSE(status.member("builder")->is_native);
}

TEST_F(TeamCallsTest, ATurnIsCountedWithWhatItCost) {
  create();
  call(SetTurn{.team = "alpha", .member = "builder", .epoch = Epoch(1), .turn = 1});
  EXPECT_TRUE(call(GetTeamStatus{"alpha"}).member("builder")->is_running);
  call(SetTurn{
      .team = "alpha",
      .member = "builder",
      .epoch = Epoch(1),
      .turn = 1,
      .ended = EndedTurn{
          .text = "done", .stop = "end_turn", .result = Json{{"ok", true}}, .usage = TokenUsage{10, 20, 30, 40, 0.5}}});
  const TeamStatus status = call(GetTeamStatus{"alpha"});
  const TeamMember& member = *status.member("builder");
  EXPECT_FALSE(member.is_running);
  EXPECT_EQ(member.turns, 1);
  EXPECT_EQ(member.usage.cache_write_tokens, 40);
  EXPECT_EQ(member.usage.cost_usd, 0.5);
}

TEST_F(TeamCallsTest, TheEndOfATurnIsFoundByItsPrompt) {
  create();
  EXPECT_FALSE(call(GetTurn{"alpha", "w-1/build.1"}));
  const EndedTurn ended{.text = "begin",
                        .whole_text = EndedTurn::WholeText{70'000, "ab12"},
                        .fault = "crashed",
                        .error = "it fell",
                        .result = Json{{"ok", false}},
                        .usage = {.input_tokens = 1},
                        .prompt = "w-1/build.1",
                        .spent = {.input_tokens = 3, .cost_usd = 0.25},
                        .took = 7s,
                        .restarts = {"it was killed"}};
  call(SetTurn{.team = "alpha", .member = "builder", .epoch = Epoch(1), .turn = 1, .ended = ended});
  const auto found = call(GetTurn{"alpha", "w-1/build.1"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->json(), ended.json());
  EXPECT_EQ(found->took, 7s);
}

TEST_F(TeamCallsTest, AShutdownSaysWhoAgreedAndWhoWasForced) {
  create();
  std::optional<ShutDownTeam::Answer> ended;
  ask(client_, ShutDownTeam{.team = "alpha", .reason = "over", .deadline = 10s}, {.wait = 20s},
      [&](Result<ShutDownTeam::Answer> answer) { ended = answer ? *answer : ShutDownTeam::Answer{}; });
  call(SendMessage{.team = "alpha",
                   .from = "builder",
                   .to = kOperator,
                   .text = {.body = R"({"approve":true})", .kind = message_kind::kShutdownResponse}});
  call(SendMessage{.team = "alpha",
                   .from = "tester",
                   .to = kOperator,
                   .text = {.body = R"({"approve":false,"reason":"busy"})", .kind = message_kind::kShutdownResponse}});
  world_.run_until([&] { return ended.has_value(); });
  EXPECT_EQ(ended->approved, std::vector<std::string>{"builder"});
  ASSERT_EQ(ended->rejected.size(), 1U);
  EXPECT_EQ(ended->rejected[0].reason, "busy");
  EXPECT_EQ(ended->forced, std::vector<std::string>{"tester"});
}

TEST_F(TeamCallsTest, ATeamOfARunIsAnOrphanWhenTheRunIsOver) {
  call(StartRun{.run = "build-20261116-0001", .workflow = "build", .holder = host_.view().processes.self()});
  call(CreateTeam{.team = "alpha", .members = {"builder"}, .run = "build-20261116-0001"});
  const TeamStatus driven = call(GetTeamStatus{"alpha"});
  ASSERT_TRUE(driven.owner);
  EXPECT_EQ(driven.owner->run, "build-20261116-0001");
  EXPECT_TRUE(driven.owner->is_alive);
  EXPECT_TRUE(call(ListOrphans{}).empty());
  EXPECT_FALSE(try_call(DeleteTeam{.team = "alpha", .force = true, .only_orphan = true}));
  call(AppendToRun{.run = "build-20261116-0001",
                   .lease = Lease(1),
                   .after = 1,
                   .records = {{.kind = "run.ended", .body = {{"status", "done"}}}}});
  const auto orphans = call(ListOrphans{});
  ASSERT_EQ(orphans.size(), 1U);
  EXPECT_EQ(orphans[0].team, "alpha");
  EXPECT_NE(orphans[0].reason.find("build-20261116-0001"), std::string::npos);
  EXPECT_EQ(call(DeleteTeam{.team = "alpha", .force = true, .only_orphan = true}).forced,
            std::vector<std::string>{"builder"});
  EXPECT_TRUE(call(ListTeams{}).empty());
}

TEST_F(TeamCallsTest, ATeamWithAnOwner) {
  call(CreateTeam{.team = "alpha", .owner = host_.view().processes.self()});
  const auto team = call(ListTeams{}).at(0);
  ASSERT_TRUE(team.owner);
  EXPECT_EQ(team.owner->pid, host_.view().processes.self().pid);
  EXPECT_FALSE(team.is_orphan);
}

TEST_F(TeamCallsTest, MessagesAndTasksAreCounted) {
  create();
  call(CreateTask{.team = "alpha", .subject = "a"});
  call(SendMessage{.team = "alpha", .to = "builder", .text = {.body = "hi"}});
  const TeamStatus status = call(GetTeamStatus{"alpha"});
  EXPECT_EQ(count_of(status.tasks, TaskStatus::pending), 1);
  EXPECT_EQ(count_of(status.messages, Receipt::queued), 1);
  EXPECT_EQ(status.member("builder")->unread, 1);
}

}  // namespace
}  // namespace teamster::hub
