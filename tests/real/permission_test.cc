// What a real Claude Code may do is decided by the rules its host was given; it asks on its pipe.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "real/real_team.h"

namespace teamster::real {
namespace {

TEST(Permission, PolicyDecidesAndTheModelIsToldWhy) {
  RealTeam team({"builder"}, {conversation_of("builder", {run("touch allowed"), run("touch forbidden"),
                                                          run("mkdir elsewhere"), say("that is all")})});
  team.start("builder", {"--allow", "Bash(touch *)", "--deny", "Bash(touch forbidden*)"});
  EXPECT_EQ(team.say_to("builder", "make files").value("text", ""), "that is all");
  EXPECT_TRUE(std::filesystem::exists(team.work() + "/allowed"));
  EXPECT_FALSE(std::filesystem::exists(team.work() + "/forbidden"));
  EXPECT_FALSE(std::filesystem::exists(team.work() + "/elsewhere"));

  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 4U);
  const auto told = [&](std::size_t request, const char* text) {
    const std::string last = requests[request].value("last", "");
    EXPECT_NE(last.find(text), std::string::npos) << last;
  };
  told(2, "The team's policy denies Bash (rule Bash(touch forbidden*))");
  told(3, "The team's policy does not allow Bash here");

  const auto decisions = team.transcript_of("builder", "permission");
  ASSERT_EQ(decisions.size(), 3U);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_EQ(decisions[i].value("tool", ""), "Bash");
    EXPECT_EQ(decisions[i].value("allowed", false), i == 0) << decisions[i];
  }
  EXPECT_NE(decisions[1].value("input", "").find("touch forbidden"), std::string::npos) << decisions[1];
}

TEST(Permission, ARuleForPathsDecidesWhatIsWritten) {
  RealTeam team({"builder"}, {});
  const auto write = [&](const std::string& name) {
    return call("Write", {{"file_path", team.work() + "/" + name}, {"content", "words\n"}});
  };
  team.start_server_again({conversation_of("builder", {write("docs.md"), write("main.cc"), say("one of the two")})});
  team.start("builder", {"--allow", "Write(*/docs.md)"});
  EXPECT_EQ(team.say_to("builder", "write both").value("text", ""), "one of the two");
  EXPECT_EQ(e2e::read_file(team.work() + "/docs.md"), "words\n");
  EXPECT_FALSE(std::filesystem::exists(team.work() + "/main.cc"));
}

TEST(Permission, AllowAllIsStillBoundByDenials) {
  RealTeam team({"builder"}, {conversation_of("builder", {run("touch one"), run("touch two"), say("one of them")})});
  team.start("builder", {"--allow-all", "--deny", "Bash(*two*)"});
  EXPECT_EQ(team.say_to("builder", "make files").value("text", ""), "one of them");
  EXPECT_TRUE(std::filesystem::exists(team.work() + "/one"));
  EXPECT_FALSE(std::filesystem::exists(team.work() + "/two"));
}

// They would go past the team, so the model is not offered them at all.
TEST(Permission, ToolsThatGoPastTheTeamAreNotOffered) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("yes")})});
  team.start("builder", {"--allow-all"});
  team.say_to("builder", "are you there?");
  const Json tools = team.requests_of("builder").at(0).at("tools");
  const auto offers = [&](const char* name) {
    return std::find(tools.begin(), tools.end(), Json(name)) != tools.end();
  };
  EXPECT_TRUE(offers("Bash")) << tools;
  EXPECT_TRUE(offers("mcp__team__send_message")) << tools;
  for (const auto* name : {"SendMessage", "ListAgents", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"})
    EXPECT_FALSE(offers(name)) << name;
}

}  // namespace
}  // namespace teamster::real
