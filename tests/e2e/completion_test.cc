// Completion in a real bash with the real program: names that only the hub knows, and no hub for their sake.
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

class ShellCompletion : public testing::Test {
 protected:
  // What bash offers after these words, the last being typed.
  std::string offered(const std::string& words) const {
    Start start;
    start.command = {"/bin/bash", "--norc", "-c",
                     "source <(" + std::string(TEAMSTER_BINARY) + " completion bash); COMP_WORDS=(" +
                         std::string(TEAMSTER_BINARY) + " " + words +
                         "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _teamster \"${COMP_WORDS[0]}\"; echo "
                         "\"${COMPREPLY[*]}\""};
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
    Process bash(start);
    EXPECT_EQ(bash.wait(), 0);
    EXPECT_EQ(bash.err(), "");
    return bash.out();
  }

  Home home_;
};

TEST_F(ShellCompletion, KnowsWhatIsThere) {
  home_.create_team("alpha", {"builder", "tester"});
  const std::string place = home_.scratch() + "/choice";
  std::filesystem::create_directories(place);
  write_file(place + "/workflow.yaml", R"(
name: choice
about: Something to choose and to approve.
phases:
  - id: which
    kind: ask
    question: { text: 'Which way?', to: kim, options: [left, right] }
)");
  ASSERT_EQ(home_.run({"run", place, "--no-wait"}).exit, 4);
  const std::string run = home_.ok({"status"})["runs"][0]["run"];
  EXPECT_EQ(offered("status ch"), run + "\n");
  EXPECT_EQ(offered("log ''"), run + " alpha\n");
  EXPECT_EQ(offered("team status al"), "alpha\n");
  EXPECT_EQ(offered("message inbox --team alpha --member t"), "tester\n");
  EXPECT_EQ(offered("message inbox --team = alpha --member t"), "tester\n") << "as bash breaks --team=alpha";
  EXPECT_EQ(offered("run imp"), "implement-spec\n");
  EXPECT_EQ(offered("answer ''"), "which.1\n");
  EXPECT_EQ(offered("approve ''"), "\n") << "it is no gate";
  EXPECT_EQ(offered("message send --priority i"), "interrupt\n");
  EXPECT_EQ(offered("mess"), "message\n");
  EXPECT_EQ(offered("nonsense ''"), "\n");
}

TEST_F(ShellCompletion, NeverStartsAHub) {
  EXPECT_EQ(offered("status ''"), "\n");
  EXPECT_EQ(offered("message inbox --team a"), "\n");
  EXPECT_EQ(offered("run imp"), "implement-spec\n") << "what needs no hub is known";
  EXPECT_TRUE(home_.hub_pids().empty());
  EXPECT_FALSE(std::filesystem::exists(home_.path())) << "nor is a home made for it";
}

}  // namespace
}  // namespace teamster::e2e
