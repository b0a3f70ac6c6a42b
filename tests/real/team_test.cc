// Real members beside each other: messages, a task list for all, and a home that stays clean.
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "real/real_team.h"

namespace teamster::real {
namespace {

namespace fs = std::filesystem;

// With the number and the token of the claim that the member was told of. What it has called
// itself is in the request, too; a token is what begins with the c of a claim.
Json finish_claimed(const std::string& token = "c{{TOKEN}}") {
  Json reply = call("update_task", {{"id", "{{number:ID}}"}, {"token", token}, {"status", "completed"}});
  reply["take"] = {{"ID", {{"after", "\"id\":"}, {"until", ","}}},
                   {"TOKEN", {{"after", "\"token\":\"c"}, {"until", "\""}}}};
  return reply;
}

TEST(Team, TwoMembersExchangeMessagesAndShareATaskList) {
  const Json two_tasks = {{"tool_use",
                           {{{"name", "create_task"}, {"input", {{"subject", "paint the door"}}}},
                            {{"name", "create_task"}, {"input", {{"subject", "paint the wall"}}}}}}};
  RealTeam team(
      {"builder", "tester"},
      {conversation_of("builder", {two_tasks, call("send_message", {{"to", "tester"}, {"body", "take one task"}}),
                                   call("claim_task"), held(finish_claimed(), "the tester is done"),
                                   expecting(say("both are done"), "mine is done")}),
       conversation_of("tester", {expecting(call("claim_task"), "take one task"), finish_claimed("forged"),
                                  finish_claimed(), call("send_message", {{"to", "builder"}, {"body", "mine is done"}}),
                                  say("nothing left for me")})});
  team.start("builder");
  team.start("tester");
  auto prompt = team.say_aside("builder", "paint everything, together");
  // Its message is there before the builder goes on, and so becomes part of the builder's turn.
  ASSERT_TRUE(eventually([&] { return team.home().events("message.sent").size() == 3; }, e2e::kPatience));
  const Json sent = team.home().events("message.sent").back();
  EXPECT_EQ(sent.at("body").value("from", ""), "tester");
  EXPECT_TRUE(team.has_receipt(sent.value("seq", std::int64_t{0}), "delivered"));
  ASSERT_TRUE(team.has_requests("builder", 4));
  team.server().release("the tester is done");
  EXPECT_EQ(prompt.wait(), 0) << prompt.out();
  EXPECT_EQ(document_of(prompt).value("text", ""), "both are done");

  std::set<std::string> owners;
  std::set<std::int64_t> claimed;
  for (const auto& event : team.home().events("task.claimed")) {
    owners.insert(event.value("actor", ""));
    claimed.insert(event.at("body").value("id", std::int64_t{0}));
  }
  EXPECT_EQ(team.home().events("task.claimed").size(), 2U);
  EXPECT_EQ(owners, std::set<std::string>({"builder", "tester"}));
  EXPECT_EQ(claimed.size(), 2U) << "each task has one owner";
  const Json tasks = team.home().ok({"task", "list", "--team", kTeam}).at("tasks");
  EXPECT_EQ(tasks.size(), 2U);
  for (const auto& task : tasks) EXPECT_EQ(task.value("status", ""), "completed") << task;

  const auto of_tester = team.requests_of("tester");
  ASSERT_EQ(of_tester.size(), 5U);
  EXPECT_NE(of_tester[0].value("last", "").find("from=\"builder\""), std::string::npos) << of_tester[0]["last"];
  EXPECT_NE(of_tester[2].value("last", "").find("the token is not that of the current claim"), std::string::npos)
      << of_tester[2]["last"];
  EXPECT_NE(team.requests_of("builder").at(4).value("last", "").find("from=\"tester\""), std::string::npos);
  EXPECT_TRUE(team.server().surprises().empty()) << team.server().surprises().front();
}

// With a login of its own a member has its whole configuration below its own directory.
TEST(Team, NothingIsWrittenToTheUsersHome) {
  RealTeam team({"builder"},
                {conversation_of("builder", {run("echo words > note"), call("list_members"), say("done")})});
  team.start("builder", {"--allow", "Bash"});
  team.say_to("builder", "begin");
  const std::string own = team.private_directory("builder");
  EXPECT_TRUE(fs::exists(own + "/config/projects"));
  // Its logs of the team's tools come last, some seconds later.
  EXPECT_TRUE(eventually([&] { return fs::exists(own + "/cache/claude-cli-nodejs"); }, e2e::kPatience));
  team.stop("builder");
  EXPECT_TRUE(fs::exists(team.work() + "/note"));
  // $HOME is the scratch directory; these two are ours.
  for (const auto& entry : fs::directory_iterator(team.home().scratch()))
    EXPECT_TRUE(entry.path().filename() == "home" || entry.path().filename() == "work") << entry.path();
}

// Claude Code writes to its directories until it is gone; nothing of a deleted team is left all the same.
TEST(Team, ThatIsDeletedLeavesNoDirectory) {
  RealTeam team({"builder"}, {conversation_of("builder", {run("touch near; tail -f near"), repeated(say("well"), 3)})});
  team.start("builder", {"--allow", "Bash"});
  team.tell("builder", "watch the files");
  ASSERT_TRUE(eventually([&] { return !team.processes("tail -f near").empty(); }, e2e::kPatience)) << team.leftovers();
  team.home().ok({"team", "delete", kTeam, "--shutdown"});
  EXPECT_FALSE(std::filesystem::exists(team.home().as_hub_home().team_directory(kTeam)));
  EXPECT_TRUE(team.nothing_is_left()) << team.leftovers();
  EXPECT_FALSE(std::filesystem::exists(team.home().as_hub_home().team_directory(kTeam)));
}

}  // namespace
}  // namespace teamster::real
