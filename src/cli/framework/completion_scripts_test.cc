#include "cli/framework/completion_scripts.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

// The program is played by a function that says what it was asked; the real one is in the end-to-end tests.
class CompletionScriptsTest : public testing::Test {
 protected:
  // What bash offers after these words, the last being typed, when the program prints `answer`.
  static std::string offered(const std::string& words, const std::string& answer) {
    const std::string path = testing::TempDir() + "/completion-" + std::to_string(::getpid());
    std::ofstream(path) << "teamster() { printf -- '" << answer << "'; printf '%s|' \"$@\" >asked-" << ::getpid()
                        << "; }\n"
                        << bash_completion() << "COMP_WORDS=(" << words
                        << "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _teamster teamster; echo \"${COMPREPLY[*]}\"\n"
                        << "cat asked-" << ::getpid() << "; rm asked-" << ::getpid() << "\n";
    FILE* pipe = ::popen(("cd " + testing::TempDir() + " && bash " + path + " 2>&1").c_str(), "r");
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
    ::pclose(pipe);
    ::unlink(path.c_str());
    return output;
  }

  void SetUp() override {
    if (std::system("command -v bash >/dev/null") != 0) GTEST_SKIP() << "no bash";
  }
};

TEST_F(CompletionScriptsTest, BashShowsWhatTheProgramOffers) {
  EXPECT_EQ(offered("teamster run imp", "implement-spec\\tbuilt in * ?\\nimport\\n"),
            "implement-spec import\ncomplete|--|run|imp|");
  EXPECT_EQ(offered("teamster status ''", ""), "\ncomplete|--|status||");
}

TEST_F(CompletionScriptsTest, BashWantsOnlyTheValueAfterAnEqualsSign) {
  EXPECT_EQ(offered("teamster run --driver = sc", "--driver=script\\n"), "script\ncomplete|--|run|--driver|=|sc|");
  EXPECT_EQ(offered("teamster run --driver =", "--driver=script\\n"), "script\ncomplete|--|run|--driver|=|");
}

TEST_F(CompletionScriptsTest, BashCompletesFilesItself) {
  const std::string name = "completion-of-a-file-" + std::to_string(::getpid());
  std::ofstream(testing::TempDir() + "/" + name) << "x";
  EXPECT_EQ(offered("teamster run --people completion-of-a-file-", ":file\\n").find(name + "\n"), 0U);
  ::unlink((testing::TempDir() + "/" + name).c_str());
}

}  // namespace
}  // namespace teamster::cli
