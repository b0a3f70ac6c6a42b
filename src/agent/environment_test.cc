#include "agent/environment.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace teamster::agent {
namespace {

class EnvironmentTest : public testing::Test {
 protected:
  std::map<std::string, std::string> make(const std::string& driver = "claude", const std::string& key = "") {
    const auto made = try_make(driver, key);
    EXPECT_TRUE(made) << made.error().text();
    std::map<std::string, std::string> variables;
    if (!made) return variables;
    for (const auto& entry : *made) {
      const auto equals = entry.find('=');
      EXPECT_TRUE(variables.emplace(entry.substr(0, equals), entry.substr(equals + 1)).second) << "twice: " << entry;
    }
    return variables;
  }
  Result<std::vector<std::string>> try_make(const std::string& driver, const std::string& key = "") {
    return make_environment(
        **find_driver(driver), options_,
        [this](const char* name) {
          const auto found = ours_.find(name);
          return found == ours_.end() ? std::nullopt : std::optional(found->second);
        },
        key);
  }

  std::map<std::string, std::string> ours_ = {{"PATH", "/opt/bin:/bin"},
                                              {"HOME", "/home/user"},
                                              {"LANG", "C.UTF-8"},
                                              {"ANTHROPIC_API_KEY", "sk-user"},
                                              {"AWS_SECRET_ACCESS_KEY", "hidden"},
                                              {"GITHUB_TOKEN", "ghp"},
                                              {"LD_PRELOAD", "/evil.so"},
                                              {"TEAMSTER_TOKEN_FILE", "/home/user/token"},
                                              {"TEAMSTER_KEEPER", "1-2-3"},
                                              {"CLAUDECODE", "1"},
                                              {"TMPDIR", "/var/tmp"},
                                              {"TEAMSTER_HOME", "/elsewhere"}};
  EnvironmentOptions options_{.login = Login::inherit,
                              .login_file = {},
                              .secrets = {},
                              .home = "/home/user/teamster",
                              .private_directory = "/home/user/teamster/teams/alpha/builder",
                              .temporary_directory = "/tmp/own"};
};

TEST_F(EnvironmentTest, NothingIsPassedOnButWhatEveryProgramNeeds) {
  const auto variables = make();
  EXPECT_EQ(variables.at("PATH"), "/opt/bin:/bin");
  EXPECT_EQ(variables.at("HOME"), "/home/user");
  EXPECT_EQ(variables.at("LANG"), "C.UTF-8");
  for (const char* name :
       {"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "LD_PRELOAD", "TEAMSTER_TOKEN_FILE", "TEAMSTER_KEEPER", "CLAUDECODE"})
    EXPECT_FALSE(variables.contains(name)) << name;
}

TEST_F(EnvironmentTest, DirectoriesAreTheMembersOwn) {
  const auto variables = make();
  EXPECT_EQ(variables.at("TMPDIR"), "/tmp/own");
  EXPECT_EQ(variables.at("XDG_RUNTIME_DIR"), "/tmp/own");
  EXPECT_EQ(variables.at("TEAMSTER_HOME"), "/home/user/teamster") << "the host's, not what the variable said";
}

TEST_F(EnvironmentTest, ThereIsAlwaysAPath) {
  ours_.clear();
  EXPECT_FALSE(make().at("PATH").empty());
}

TEST_F(EnvironmentTest, SecretsAreNamed) {
  options_.secrets = {"GITHUB_TOKEN"};
  const auto variables = make();
  EXPECT_EQ(variables.at("GITHUB_TOKEN"), "ghp");
  EXPECT_FALSE(variables.contains("AWS_SECRET_ACCESS_KEY"));
}

TEST_F(EnvironmentTest, ASecretThatIsNotSetIsAnErrorBeforeAnythingStarts) {
  options_.secrets = {"GITHUB_TOKEN", "NPM_TOKEN"};
  const auto made = try_make("claude");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::invalid);
  EXPECT_NE(made.error().what.find("NPM_TOKEN"), std::string::npos);
  EXPECT_EQ(made.error().text().find("ghp"), std::string::npos) << "no secret in an error";
}

TEST_F(EnvironmentTest, AnInheritedLoginUsesTheUsersConfiguration) {
  const auto variables = make();
  EXPECT_FALSE(variables.contains("CLAUDE_CONFIG_DIR"));
  EXPECT_EQ(variables.at("ANTHROPIC_API_KEY"), "sk-user");
}

TEST_F(EnvironmentTest, ALoginByVariableHasAConfigurationOfItsOwn) {
  options_.login = Login::env;
  const auto variables = make();
  EXPECT_TRUE(variables.at("CLAUDE_CONFIG_DIR").starts_with(options_.private_directory + "/"));
  EXPECT_EQ(variables.at("ANTHROPIC_API_KEY"), "sk-user");
}

TEST_F(EnvironmentTest, ALoginByFileTakesTheKeyFromIt) {
  options_.login = Login::file;
  const auto variables = make("claude", "sk-file");
  EXPECT_EQ(variables.at("ANTHROPIC_API_KEY"), "sk-file") << "and not the user's";
  EXPECT_TRUE(variables.contains("CLAUDE_CONFIG_DIR"));
}

TEST_F(EnvironmentTest, ADriverWithoutALoginGetsNoKey) {
  options_.login = Login::file;
  const auto variables = make("command", "sk-file");
  for (const auto& [name, value] : variables) {
    EXPECT_EQ(value.find("sk-"), std::string::npos) << name;
    EXPECT_FALSE(name.starts_with("ANTHROPIC")) << name;
  }
}

TEST_F(EnvironmentTest, ClaudeTriesAgainOnlySoOften) {
  const auto variables = make();
  EXPECT_TRUE(variables.contains("CLAUDE_CODE_MAX_RETRIES"));
  EXPECT_EQ(variables.at("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"), "1");
  EXPECT_FALSE(make("command").contains("CLAUDE_CODE_MAX_RETRIES"));
}

}  // namespace
}  // namespace teamster::agent
