// A team from creation to deletion, what it leaves behind, and what a name means afterwards.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

bool lists(const Json& list, const std::string& team) {
  return std::any_of(list.begin(), list.end(), [&](const Json& each) { return each["team"] == team; });
}

TEST(Lifecycle, DeletingALiveTeamIsRefusedUnlessForced) {
  const Home home;
  home.create_team("alpha", {"builder", "tester"});
  const Outcome refused = home.fails(3, {"team", "delete", "alpha"});
  EXPECT_NE(refused.what().find("2 live members"), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("--shutdown"), std::string::npos);
  EXPECT_NE(refused.next().find("--force"), std::string::npos);
  EXPECT_EQ(home.ok({"team", "status", "alpha"})["members"].size(), 2U);
  const Json deleted = home.ok({"team", "delete", "alpha", "--force"});
  EXPECT_EQ(deleted["deleted"], true);
  EXPECT_EQ(deleted["forced"], Json({"builder", "tester"}));
  EXPECT_FALSE(std::filesystem::exists(home.file("teams/alpha")));
  home.fails(1, {"team", "status", "alpha"});
  EXPECT_NE(home.run({"team", "delete", "alpha", "--force"}).exit, 0);
  EXPECT_EQ(home.fails(3, {"message", "send", "--team", "alpha", "--to", "builder", "x"}).code(), "refused");
}

TEST(Lifecycle, ATeamWhoseMembersHaveLeftIsDeletedWithoutForce) {
  const Home home;
  home.create_team("alpha", {"builder"});
  home.ok({"team", "leave", "alpha", "--member", "builder", "--reason", "done"});
  EXPECT_EQ(home.ok({"team", "delete", "alpha"})["forced"], Json::array());
}

TEST(Lifecycle, ShutdownAsksEachMemberAndForcesThoseThatStay) {
  const Home home;
  home.create_team("alpha", {"agrees", "objects", "sleeps"});
  const auto begin = std::chrono::steady_clock::now();
  Process shutdown = home.start({"team", "delete", "alpha", "--shutdown", "--reason", "phase over", "--json"});
  for (const char* member : {"agrees", "objects", "sleeps"}) {
    const Json asked =
        home.ok({"message", "wait", "--team", "alpha", "--member", member, "--timeout", "8s"})["messages"].at(0);
    EXPECT_EQ(asked["kind"], "shutdown_request");
    EXPECT_EQ(asked["priority"], "interrupt");
    EXPECT_NE(asked["body"].get<std::string>().find("phase over"), std::string::npos);
  }
  home.kill_hubs();  // what was asked, and since when, is not forgotten
  EXPECT_EQ(home.ok({"team", "status", "alpha"})["shutting_down"], true);
  home.fails(3, {"team", "join", "alpha", "--member", "late"});
  const auto answer = [&](const char* member, const char* body) {
    home.ok({"message", "send", "--to", "operator", "--kind", "shutdown_response", body, "--token-file",
             home.token_file("alpha", member)});
  };
  home.fails(2, {"message", "send", "--team", "alpha", "--from", "agrees", "--to", "operator", "--kind",
                 "shutdown_response", "fine"});
  answer("agrees", R"({"approve":true})");
  answer("objects", R"({"approve":false,"reason":"tests still run"})");
  EXPECT_EQ(home.fails(3, {"message", "send", "--team", "alpha", "--to", "agrees", "x"}).code(), "refused");
  home.send("alpha", "operator", "objects", "it is still there");
  ASSERT_EQ(shutdown.wait(20s), 0) << shutdown.err();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 9500ms) << "members have 10 s";
  const Json result = Json::parse(shutdown.out());
  EXPECT_EQ(result["approved"], Json({"agrees"}));
  ASSERT_EQ(result["rejected"].size(), 1U);
  EXPECT_EQ(result["rejected"][0]["name"], "objects");
  EXPECT_EQ(result["rejected"][0]["reason"], "tests still run");
  EXPECT_EQ(result["forced"], Json({"objects", "sleeps"}));
  EXPECT_EQ(home.ok({"team", "list"})["teams"].size(), 0U);
  EXPECT_EQ(home.ok({"doctor", "--deep"})["score"], 100);
}

TEST(Lifecycle, ShutdownEndsAtOnceWhenAllApprove) {
  const Home home;
  home.create_team("alpha", {"one", "two"});
  Process shutdown = home.start({"team", "delete", "alpha", "--shutdown", "--json"});
  for (const char* member : {"one", "two"}) {
    home.ok({"message", "wait", "--team", "alpha", "--member", member, "--timeout", "8s"});
    home.ok({"message", "send", "--team", "alpha", "--from", member, "--to", "operator", "--kind", "shutdown_response",
             R"({"approve":true})"});
  }
  ASSERT_EQ(shutdown.wait(5s), 0) << shutdown.err();
  EXPECT_EQ(Json::parse(shutdown.out())["approved"], Json({"one", "two"}));
  EXPECT_EQ(Json::parse(shutdown.out())["forced"], Json::array());
}

TEST(Lifecycle, AMessageToSomebodyWhoHasGoneIsRefusedWithTheReason) {
  const Home home;
  home.create_team("alpha", {"builder", "tester"});
  Process waiter =
      home.start({"message", "wait", "--team", "alpha", "--member", "builder", "--timeout", "50s", "--json"});
  ASSERT_TRUE(eventually([&] { return home.ok({"hub", "--status"})["parked"] == 1; }));
  home.ok({"team", "leave", "alpha", "--member", "builder", "--reason", "crashed twice"});
  EXPECT_EQ(waiter.wait(10s), 3) << "who waits as a member that goes is told at once" << waiter.out();
  const Outcome refused =
      home.fails(3, {"message", "send", "--team", "alpha", "--from", "tester", "--to", "builder", "x"});
  EXPECT_NE(refused.what().find("crashed twice"), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("tester"), std::string::npos) << "names who is there";
  home.fails(3, {"message", "send", "--team", "alpha", "--from", "builder", "--to", "tester", "x"});
  home.fails(3, {"task", "claim", "--team", "alpha", "--member", "builder"});
}

TEST(Lifecycle, AReusedNameStartsFresh) {
  const Home home;
  home.create_team("alpha", {"builder", "tester"});
  home.send("alpha", "builder", "tester", "of the old team");
  home.ok({"task", "create", "--team", "alpha", "old work"});
  const std::string old = home.scratch() + "/old-token";
  write_file(old, read_file(home.token_file("alpha", "tester")));
  home.ok({"team", "join", "alpha", "--member", "tester"});
  home.ok({"team", "delete", "alpha", "--force"});

  const Json again = home.ok({"team", "create", "alpha", "--member", "tester"});
  EXPECT_EQ(again["members"].at(0)["epoch"], 1);
  EXPECT_EQ(home.inbox("alpha", "tester", {"--all"}).size(), 0U);
  EXPECT_EQ(home.ok({"task", "list", "--team", "alpha"})["tasks"].size(), 0U);
  EXPECT_EQ(home.ok({"task", "create", "--team", "alpha", "new work"})["task"]["id"], 1);
  EXPECT_EQ(home.fails(3, {"message", "inbox", "--token-file", old}).code(), "refused");
  EXPECT_EQ(home.fails(3, {"message", "send", "--to", "tester", "x", "--token-file", old}).code(), "refused");
  home.ok({"message", "inbox", "--token-file", home.token_file("alpha", "tester")});
  EXPECT_EQ(home.inbox("alpha", "tester", {"--all"}).size(), 0U);
}

TEST(Orphans, ATeamWhoseOwnerHasGoneIsListedAndCleanedUp) {
  const Home home;
  Process owner(Start{.command = {"/bin/sleep", "300"}, .environment = {}});
  home.ok({"team", "create", "lost", "--member", "builder", "--owner-pid", std::to_string(owner.pid())});
  home.ok({"team", "create", "kept", "--member", "builder", "--owner-pid", std::to_string(::getpid())});
  home.create_team("by-hand", {"builder"});
  EXPECT_EQ(home.ok({"team", "status"})["orphans"].size(), 0U);
  EXPECT_EQ(home.ok({"team", "cleanup", "--yes"})["results"].size(), 0U);
  owner.kill(SIGKILL);
  ASSERT_TRUE(owner.wait().has_value());

  const Json status = home.ok({"team", "status"});
  ASSERT_EQ(status["orphans"].size(), 1U);
  const Json& orphan = status["orphans"][0];
  EXPECT_EQ(orphan["team"], "lost");
  EXPECT_EQ(orphan["place"], home.file("teams/lost"));
  EXPECT_GE(orphan["age_ms"], 0);
  const Outcome shown = home.run({"team", "status"});
  EXPECT_NE(shown.out.find("teamster team cleanup"), std::string::npos) << shown;
  EXPECT_EQ(home.ok({"team", "status", "lost"})["orphan"], true);

  EXPECT_EQ(home.ok({"team", "cleanup", "--yes", "--older-than", "1h"})["results"].size(), 0U);
  const Outcome unasked = home.fails(3, {"team", "cleanup"}, {.input = "y\n"});
  EXPECT_NE(unasked.next().find("--yes"), std::string::npos);
  EXPECT_TRUE(lists(home.ok({"team", "list"})["teams"], "lost"));
  const Json results = home.ok({"team", "cleanup", "--yes"})["results"];
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0]["result"], "deleted");
  const Json left = home.ok({"team", "list"})["teams"];
  EXPECT_FALSE(lists(left, "lost"));
  EXPECT_TRUE(lists(left, "kept") && lists(left, "by-hand"));
  EXPECT_FALSE(std::filesystem::exists(home.file("teams/lost")));
  home.fails(2, {"team", "create", "unowned", "--member", "x", "--owner-pid", "4194303"});
}

TEST(Broadcast, ReachesEveryLiveMemberButTheSenderOrNobody) {
  const Home home;
  home.create_team("alpha", {"one", "two", "three", "gone"});
  home.ok({"team", "leave", "alpha", "--member", "gone"});
  const Json sent = home.ok({"message", "broadcast", "--team", "alpha", "--from", "one", "all hands"});
  EXPECT_EQ(sent["to"].size(), 2U);
  EXPECT_EQ(sent["ids"].size(), 2U);
  for (const char* member : {"two", "three"}) {
    const auto messages = home.inbox("alpha", member);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0]["kind"], "broadcast");
    EXPECT_EQ(messages[0]["body"], "all hands");
  }
  EXPECT_EQ(home.inbox("alpha", "one").size(), 0U);
  home.fails(3, {"message", "broadcast", "--team", "alpha", "--from", "gone", "from nowhere"});
  home.fails(2, {"message", "broadcast", "--team", "alpha", "-"}, {.input = std::string(1024 * 1024 + 1, 'x')});
  for (const char* member : {"one", "two", "three"}) EXPECT_LE(home.inbox("alpha", member).size(), 1U);
  home.create_team("beta", {"alone"});
  home.fails(3, {"message", "broadcast", "--team", "beta", "--from", "alone", "anybody?"});
}

TEST(Gc, RemovesTheHistoryOfDeletedTeamsAndNothingElse) {
  const Home home;
  for (const char* team : {"old-one", "old-two", "live"}) {
    home.create_team(team, {"builder"});
    home.ok({"task", "create", "--team", team, "work"});
    home.send(team, "operator", "builder", "text");
  }
  for (const char* team : {"old-one", "old-two"}) home.ok({"team", "delete", team, "--force"});
  EXPECT_EQ(home.ok({"gc"})["teams"].size(), 0U) << "30 days are not over";
  EXPECT_EQ(home.ok({"gc", "--older-than", "0s", "--dry-run"})["teams"].size(), 2U);
  const std::size_t before = home.ok({"log"})["events"].size();
  const Json collected = home.ok({"gc", "--older-than", "0s"});
  EXPECT_EQ(collected["teams"].size(), 2U) << collected;
  EXPECT_EQ(collected["done"], true);
  EXPECT_GE(collected["events"], 8);
  EXPECT_LT(home.ok({"log"})["events"].size(), before);
  EXPECT_EQ(home.ok({"gc", "--older-than", "0s"})["teams"].size(), 0U);
  EXPECT_EQ(home.ok({"doctor", "--deep"})["score"], 100);
  home.end_hub();
  EXPECT_EQ(home.inbox("live", "builder").at(0)["body"], "text");
  home.create_team("old-one", {"builder"});
  EXPECT_EQ(home.inbox("old-one", "builder").size(), 0U);
  EXPECT_EQ(home.ok({"doctor", "--deep"})["score"], 100);
}

// A team as Claude Code keeps it, led by this process or by one that is none.
void leave_claude_team(const Home& home, const std::string& name, const Json& lead_process) {
  const std::string place = home.scratch() + "/.claude/teams/" + name;
  std::filesystem::create_directories(place + "/inboxes");
  write_file(place + "/config.json", dump_json({{"leadProcess", lead_process}, {"members", Json::array()}}));
}

TEST(Lifecycle, TeamsThatClaudeCodeLeftAreSeenAndRemovedWithConsentOnly) {
  const Home home;
  const Json gone = {{"pid", 1}, {"procStart", "99999999999"}};
  leave_claude_team(home, "left", gone);
  leave_claude_team(home, "living", {{"pid", ::getpid()}});
  const std::string teams = home.scratch() + "/.claude/teams/";
  const Json seen = home.ok({"team", "status"}).at("claude_teams");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0]["team"], "left");
  EXPECT_EQ(seen[0]["orphan"], true) << seen[0];
  EXPECT_EQ(seen[0]["place"], teams + "left");
  EXPECT_EQ(seen[1]["orphan"], false) << seen[1];
  EXPECT_NE(home.run({"team", "status"}).out.find("team cleanup --claude-code"), std::string::npos);
  home.ok({"team", "cleanup", "--yes"});
  EXPECT_TRUE(std::filesystem::exists(teams + "left")) << "nobody asked for that";
  home.fails(3, {"team", "cleanup", "--claude-code"});
  EXPECT_TRUE(std::filesystem::exists(teams + "left")) << "nobody consented";
  const Json results = home.ok({"team", "cleanup", "--claude-code", "--yes"}).at("results");
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0]["result"], "deleted");
  EXPECT_FALSE(std::filesystem::exists(teams + "left"));
  EXPECT_TRUE(std::filesystem::exists(teams + "living/config.json"));
}

}  // namespace
}  // namespace teamster::e2e
