// A fanout whose items each have a team of their own, with scripted agents as real processes.
#include <filesystem>
#include <set>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kLookedWorkflow = R"(
name: looked
about: Looks at three things, two at a time.
roles:
  scout: { about: looks }
phases:
  - id: look
    kind: fanout
    role: scout
    template: look.md
    returns: seen.json
    items: { list: [alpha, beta, gamma], members: 2 }
    team: { name: 'look-{{item}}', scope: item }
)";

constexpr const char* kScript = R"({
  "turns": [],
  "otherwise": [{"say": "```json\n{\"seen\": true}\n```"}]
})";

class ItemTeams : public testing::Test {
 protected:
  ItemTeams() {
    const std::string workflow = project_ + "/.teamster/workflows/looked";
    std::filesystem::create_directories(workflow);
    std::filesystem::create_directories(scripts_);
    write_file(workflow + "/workflow.yaml", kLookedWorkflow);
    write_file(workflow + "/look.md", "Look at {{ITEM}}.\n");
    write_file(workflow + "/seen.json",
               R"({"type":"object","required":["seen"],"properties":{"seen":{"type":"boolean"}}})");
    write_file(scripts_ + "/scout.json", kScript);
  }
  int teamster(const Words& words) {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_, TEAMSTER_BINARY};
    start.command.insert(start.command.end(), words.begin(), words.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
    Process process(start);
    const int exit = process.wait().value_or(-1);
    said_ += process.out() + process.err();
    return exit;
  }
  Words run_words() const { return {"run", "looked", "--driver", "script", "--scripts", scripts_}; }
  void expect_a_team_for_each() const {
    std::set<std::string> teams;
    std::set<std::string> gone;
    const Json events = home_.ok({"log", home_.ok({"status", "--all"})["runs"][0]["run"].get<std::string>()})["events"];
    for (const auto& event : events) {
      if (event["kind"] == "run.team_gone") gone.insert(event["body"]["team"].get<std::string>());
      for (const auto& command : event["body"].value("then", Json::array()))
        if (command["do"] == "turn")
          teams.insert(command["step"].get<std::string>() + " in " + command["team"].get<std::string>());
    }
    EXPECT_EQ(teams, (std::set<std::string>{"look/1 in look-alpha", "look/2 in look-beta", "look/3 in look-gamma"}))
        << said_;
    for (const char* team : {"look-alpha", "look-beta", "look-gamma"}) EXPECT_EQ(gone.count(team), 1U) << team;
    EXPECT_TRUE(home_.ok({"team", "list"})["teams"].empty());
  }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string scripts_ = home_.scratch() + "/scripts";
  std::string said_;
};

TEST_F(ItemTeams, ComeAndGoWithTheirItems) {
  ASSERT_EQ(teamster(run_words()), 0) << said_;
  expect_a_team_for_each();
}

TEST_F(ItemTeams, AreThereAgainAfterTheEngineWasKilled) {
  Words words = run_words();
  words.insert(words.end(), {"--fault", "kill engine@run.team_ready:look/2/team.1:after"});
  ASSERT_EQ(teamster(words), 128 + SIGKILL) << said_;
  ASSERT_EQ(teamster({"resume"}), 0) << said_;
  expect_a_team_for_each();
}

}  // namespace
}  // namespace teamster::e2e
