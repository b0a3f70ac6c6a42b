#include <gtest/gtest.h>

#include "cli/framework/outside_for_test.h"
#include "env/sim/sim_world.h"
#include "protocol/words/process_record.h"

namespace teamster::cli {
namespace {

using Words = std::vector<std::string>;

class TeamCommandsTest : public testing::Test {
 protected:
  TeamCommandsTest() {
    outside_.world = [this] { return host_.view(); };
    outside_.variables["TEAMSTER_HOME"] = "/h";
  }
  static Json orphan(const std::string& team, std::int64_t age_ms) {
    return {
        {"team", team}, {"ref", team}, {"place", "/h/teams/" + team}, {"age_ms", age_ms}, {"reason", "owner has gone"}};
  }
  static Json orphans(std::initializer_list<Json> list) { return {{"orphans", Json(list)}}; }

  env::sim::World world_{3};
  env::sim::Host& host_ = world_.start("shell");
  FakeOutside outside_;
};

TEST_F(TeamCommandsTest, CreateSendsMembersAndPrintsTokenFiles) {
  outside_.answers(
      {{"team", "demo"}, {"members", {{{"name", "lead"}, {"epoch", 1}, {"token_file", "/h/lead/token"}}}}});
  EXPECT_EQ(outside_.run({"team", "create", "demo", "--member", "lead", "--member=tester"}), 0);
  ASSERT_EQ(outside_.requests.size(), 1U);
  EXPECT_EQ(outside_.requests[0].op, "team.create");
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","members":["lead","tester"]})"));
  EXPECT_EQ(outside_.out.captured, "team demo\n  lead (epoch 1)\n    token: /h/lead/token\n");
}

TEST_F(TeamCommandsTest, CreateNamesTheOwnerAsItIsSeenFromHere) {
  env::sim::World world(3);
  env::sim::Host& host = world.start("shell");
  outside_.world = [&] { return host.view(); };
  outside_.answers({{"team", "demo"}, {"members", Json::array()}});
  const std::string pid = std::to_string(host.pid());
  EXPECT_EQ(outside_.run({"team", "create", "demo", "--member", "lead", "--owner-pid", pid}), 0);
  EXPECT_EQ(outside_.requests[0].args["owner"], holder_argument(host.view().processes.self()));
  EXPECT_EQ(outside_.run({"team", "create", "demo", "--member", "lead", "--owner-pid", "99999"}), 2);
  EXPECT_TRUE(outside_.requests.empty());
}

TEST_F(TeamCommandsTest, CreateNeedsAMember) {
  EXPECT_EQ(outside_.run({"team", "create", "demo"}), 2);
  EXPECT_EQ(outside_.err.captured, "teamster: --member MEMBER is missing\n  See `teamster team create --help`\n");
}

TEST_F(TeamCommandsTest, JoinAndLeave) {
  outside_.answers({{"team", "demo"}, {"member", {{"name", "x"}, {"epoch", 2}, {"token_file", "/t"}}}});
  EXPECT_EQ(outside_.run({"team", "join", "demo", "--member", "x", "--key", "k1"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","member":"x"})"));
  EXPECT_EQ(outside_.requests[0].key, "k1");
  outside_.answers({{"team", "demo"}, {"member", {{"name", "x"}, {"epoch", 2}}}, {"released", {3, 4}}});
  EXPECT_EQ(outside_.run({"team", "leave", "demo", "--member", "x", "--reason", "done"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","member":"x","reason":"done"})"));
  EXPECT_EQ(outside_.out.captured, "x left demo; released tasks: 3, 4\n");
}

TEST_F(TeamCommandsTest, ListIsATable) {
  outside_.answers(Json::parse(R"({"teams":[
      {"team":"demo","created":"2027-01-15T07:00:00.000Z","live_members":2,"tasks":{"pending":1,"in_progress":2},"owner":{"pid":7,"alive":true},"orphan":false},
      {"team":"old","created":"bad","live_members":0,"tasks":{},"owner":null,"orphan":true}]})"));
  EXPECT_EQ(outside_.run({"team", "list"}), 0);
  EXPECT_EQ(outside_.out.captured,
            "TEAM  LIVE  AGE   OWNER   TASKS                     PROJECT\n"
            "demo  2     60 m  7       1 pending, 2 in progress  -\n"
            "old   0     ?     orphan  none                      -\n");
}

TEST_F(TeamCommandsTest, StatusOfAllShowsWhoIsAtWhatThenOrphansAndHowToClean) {
  outside_.answers({{"runs", Json::array()}})
      .answers(Json::parse(
          R"({"teams":[{"team":"a","ref":"a"},{"team":"gone","ref":"gone"},{"team":"lost","orphan":true}]})"))
      .answers(Json::parse(R"({"team":"a","created":"2027-01-15T07:59:00.000Z","owner":null,"members":[
          {"name":"lead","epoch":1,"state":"live","native":true,"claimed":[]},
          {"name":"ada","epoch":1,"state":"live","running":true,"unread":3,"claimed":[1]},
          {"name":"bob","epoch":1,"state":"live","running":false,"claimed":[]},
          {"name":"eve","epoch":1,"state":"gone","claimed":[]}],"tasks":{"in_progress":1},"messages":{"dead":1}})"))
      .answers(Json::parse(R"({"task":{"id":1,"team":"a","subject":"Write the parser","status":"in_progress"}})"))
      .fails({Code::not_found, "no such team", ""})
      .answers(orphans({orphan("lost", 7'200'000)}));
  EXPECT_EQ(outside_.run({"team", "status"}), 0);
  EXPECT_EQ(outside_.out.captured,
            "Active Teams\n"
            "Team: a\n"
            "Owner: made by hand, created 60 s ago\n"
            "Teammates (2):\n"
            "- ada: Write the parser (WORKING)\n"
            "- bob: no task (IDLE)\n"
            "Tasks: 1 in progress\n"
            "Messages: 1 dead\n\n"
            "Orphaned Teams (1):\n"
            "  lost (/h/teams/lost, age 2 h): owner has gone\n"
            "  Clean up: teamster team cleanup\n");
}

TEST_F(TeamCommandsTest, StatusInJsonIsOneDocument) {
  outside_.answers({{"runs", Json::array()}}).answers({{"teams", Json::array()}}).answers(orphans({}));
  EXPECT_EQ(outside_.run({"team", "status", "--json"}), 0);
  EXPECT_EQ(outside_.document(), Json::parse(R"({"teams":[],"orphans":[],"claude_teams":[]})"));
}

TEST_F(TeamCommandsTest, StatusOfASpecThatNobodyWorksOn) {
  outside_.fails({Code::not_found, "no such team", ""}).answers({{"runs", Json::array()}});
  EXPECT_EQ(outside_.run({"team", "status", "auth"}), 1);
  EXPECT_NE(outside_.err.captured.find("no run under way is about the spec 'auth'"), std::string::npos)
      << outside_.err.captured;
}

TEST_F(TeamCommandsTest, DeleteRefusedKeepsTheHubsAdvice) {
  outside_.fails({Code::refused, "team demo has live members", "Pass --force"});
  EXPECT_EQ(outside_.run({"team", "delete", "demo", "--json"}), 3);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo"})"));
  EXPECT_EQ(outside_.document(),
            Json::parse(R"({"error":{"code":"refused","what":"team demo has live members","next":"Pass --force"}})"));
  EXPECT_EQ(outside_.err.captured, "teamster: team demo has live members\n  Pass --force\n");
}

TEST_F(TeamCommandsTest, DeleteWithShutdownAsksThenForces) {
  outside_
      .answers(
          Json::parse(R"({"team":"demo","approved":["a"],"rejected":[{"name":"b","reason":"busy"}],"forced":["b"]})"))
      .answers(Json::parse(R"({"team":"demo","deleted":true,"forced":["b","c"]})"));
  EXPECT_EQ(outside_.run({"team", "delete", "demo", "--shutdown", "--reason", "end", "--key", "k"}), 0);
  ASSERT_EQ(outside_.requests.size(), 2U);
  EXPECT_EQ(outside_.requests[0].op, "team.shutdown");
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","reason":"end","deadline_ms":10000})"));
  EXPECT_EQ(outside_.requests[0].wait, std::chrono::seconds(15));
  EXPECT_EQ(outside_.requests[0].key, "k.shutdown");
  EXPECT_EQ(outside_.requests[1].args, Json::parse(R"({"team":"demo","force":true})"));
  EXPECT_EQ(outside_.requests[1].key, "k.delete");
  EXPECT_EQ(outside_.out.captured, "team demo deleted\n  approved  a\n  rejected  b: busy\n  forced    b, c\n");
}

TEST_F(TeamCommandsTest, DeleteFlagsThatDoNotGoTogether) {
  EXPECT_EQ(outside_.run({"team", "delete", "demo", "--shutdown", "--force"}), 2);
  EXPECT_EQ(outside_.run({"team", "delete", "demo", "--reason", "x"}), 2);
  EXPECT_TRUE(outside_.requests.empty());
}

TEST_F(TeamCommandsTest, CleanupWithNothingToDo) {
  outside_.answers(orphans({}));
  EXPECT_EQ(outside_.run({"team", "cleanup"}), 0);
  EXPECT_EQ(outside_.err.captured, "no orphaned teams\n");
}

TEST_F(TeamCommandsTest, CleanupWithoutTerminalListsAndRefuses) {
  outside_.answers(orphans({orphan("a", 5000)}));
  EXPECT_EQ(outside_.run({"team", "cleanup"}), 3);
  EXPECT_EQ(outside_.out.captured, "a (/h/teams/a, age 5 s): owner has gone\n");
  EXPECT_NE(outside_.err.captured.find("--yes"), std::string::npos);
  outside_.answers(orphans({orphan("a", 5000)}));
  EXPECT_EQ(outside_.run({"team", "cleanup", "--json"}), 3);
  EXPECT_EQ(outside_.document()["error"]["code"], "refused");
  EXPECT_EQ(outside_.document()["orphans"][0]["team"], "a");
}

TEST_F(TeamCommandsTest, CleanupAsksOneByOne) {
  outside_.input_is_terminal = true;
  outside_.lines = {"y", "n"};
  const Json both = orphans({orphan("a", 5000), orphan("b", 6000), orphan("c", 7000)});
  outside_.answers(both).answers({{"team", "a"}, {"deleted", true}, {"forced", Json::array()}});
  EXPECT_EQ(outside_.run({"team", "cleanup"}), 0);
  ASSERT_EQ(outside_.requests.size(), 2U);
  EXPECT_EQ(outside_.requests[1].args, Json::parse(R"({"team":"a","force":true,"only_orphan":true})"));
  EXPECT_EQ(outside_.out.captured, "a: deleted\nb: kept\nc: kept\n");
  EXPECT_NE(outside_.err.captured.find("Delete a? (y/n) "), std::string::npos) << outside_.err.captured;
}

TEST_F(TeamCommandsTest, CleanupThatFailsSaysWhereAndWhatToDo) {
  outside_.answers(orphans({orphan("a", 5000)})).fails({Code::failed, "its directory is in use", "Mend it"});
  EXPECT_EQ(outside_.run({"team", "cleanup", "--yes"}), 1);
  EXPECT_EQ(outside_.out.captured, "a: failed (its directory is in use) at /h/teams/a\n  Mend it\n");
}

TEST_F(TeamCommandsTest, CleanupCanOnlyWarn) {
  outside_.answers(orphans({orphan("young", 1000), orphan("old", 7'200'000)}));
  EXPECT_EQ(outside_.run({"team", "cleanup", "--dry-run", "--older-than", "1h"}), 0);
  EXPECT_EQ(outside_.out.captured,
            "WARNING: Orphaned team detected: old\n"
            "Team directory: /h/teams/old\n"
            "Age: 2 hours\n"
            "To cleanup: teamster team cleanup\n");
  EXPECT_EQ(outside_.requests.size(), 1U) << "nothing was deleted";
  EXPECT_EQ(outside_.run({"team", "cleanup", "--dry-run", "--yes"}), 2);
}

TEST_F(TeamCommandsTest, CleanupSparesTheYoungAndWhatIsNoOrphanAnyMore) {
  outside_.answers(orphans({orphan("young", 1000), orphan("old", 7'200'000)}))
      .fails({Code::refused, "team old is no orphan any more", ""});
  EXPECT_EQ(outside_.run({"team", "cleanup", "--yes", "--older-than", "1h", "--json"}), 1);
  EXPECT_EQ(outside_.requests.size(), 2U);
  const Json results = outside_.document()["results"];
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0]["team"], "old");
  EXPECT_EQ(results[0]["result"], "failed");
}

}  // namespace
}  // namespace teamster::cli
