#include "cli/framework/completion_scripts.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

class CompletionScriptsTest : public testing::Test {
 protected:
  // Runs the script and then the lines in bash; returns what they print.
  std::string bash(const std::string& lines) const {
    const std::string path = testing::TempDir() + "/completion-" + std::to_string(::getpid());
    std::ofstream(path) << bash_completion(registry_) << lines;
    FILE* pipe = ::popen(("bash " + path + " 2>&1").c_str(), "r");
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
    ::pclose(pipe);
    ::unlink(path.c_str());
    return output;
  }
  // What bash offers after these words; the last one is being typed.
  std::string offered(const std::string& words) const {
    return bash("COMP_WORDS=(" + words +
                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _teamster; echo \"${COMPREPLY[*]}\"\n");
  }
  static bool has_bash() { return std::system("command -v bash >/dev/null") == 0; }

  Registry registry_ = all_commands();
};

TEST_F(CompletionScriptsTest, EveryScriptNamesEveryCommandAndFlag) {
  for (const auto& script : {bash_completion(registry_), zsh_completion(registry_), fish_completion(registry_)}) {
    for (const auto& command : registry_.commands()) {
      EXPECT_NE(script.find(command.path), std::string::npos) << command.path;
      for (const auto& flag : all_flags(command))
        EXPECT_TRUE(flag.hidden || script.find(flag.name) != std::string::npos) << flag.name;
    }
  }
}

TEST_F(CompletionScriptsTest, BashScriptWorks) {
  if (!has_bash()) GTEST_SKIP() << "no bash";
  EXPECT_EQ(offered("teamster mess"), "message\n");
  EXPECT_EQ(offered("teamster team cr"), "create\n");
  EXPECT_EQ(offered("teamster team create --own"), "--owner-pid\n");
  EXPECT_EQ(offered("teamster run --a"), "--all\n") << "and not --as and --arg, which are hidden";
  EXPECT_EQ(offered("teamster message send --priority i"), "interrupt\n");
  EXPECT_EQ(offered("teamster --json message inbox --mark ''"), "seen acted\n");
  EXPECT_EQ(offered("teamster completion f"), "fish\n");
  EXPECT_EQ(offered("teamster message send --to t"), "\n");
}

}  // namespace
}  // namespace teamster::cli
