#include "agent/claude/claude_arguments.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::agent {
namespace {

// The word after the flag, or "" when it is not there.
std::string value_of(const std::vector<std::string>& words, const std::string& flag) {
  const auto found = std::find(words.begin(), words.end(), flag);
  return found == words.end() || found + 1 == words.end() ? std::string() : *(found + 1);
}
bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(ClaudeArguments, SpeakStreamJsonBothWays) {
  const auto words = claude_arguments({}, "id-1");
  EXPECT_EQ(words.front(), "-p");
  EXPECT_EQ(value_of(words, "--input-format"), "stream-json");
  EXPECT_EQ(value_of(words, "--output-format"), "stream-json");
  EXPECT_EQ(value_of(words, "--permission-prompt-tool"), "stdio");
  EXPECT_TRUE(has_word(words, "--verbose"));
  EXPECT_TRUE(has_word(words, "--strict-mcp-config")) << "the user's own servers are not the team's";
}

TEST(ClaudeArguments, WaysPastTheTeamAreClosed) {
  const std::string closed = value_of(claude_arguments({}, "id-1"), "--disallowedTools");
  for (const char* tool : {"SendMessage", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"})
    EXPECT_NE(closed.find(tool), std::string::npos) << tool;
}

TEST(ClaudeArguments, ListedToolsAreAllThatTheAgentHas) {
  StartOptions options;
  EXPECT_FALSE(has_word(claude_arguments(options, "id-1"), "--tools"));
  options.tools = {"Read", "Agent"};
  const auto words = claude_arguments(options, "id-1");
  EXPECT_EQ(value_of(words, "--tools"), "Read,Agent");
  const std::string closed = "," + value_of(words, "--disallowedTools") + ",";
  EXPECT_EQ(closed.find(",Agent,"), std::string::npos) << "it is named: " << closed;
  EXPECT_NE(closed.find(",CronCreate,"), std::string::npos) << closed;
  options.tools = std::vector<std::string>();
  EXPECT_TRUE(has_word(claude_arguments(options, "id-1"), "--tools")) << "none is a list, too";
}

TEST(ClaudeArguments, NoSettingsOfOthersAreRead) {
  const auto words = claude_arguments({}, "id-1");
  const auto flag = std::find(words.begin(), words.end(), "--setting-sources");
  ASSERT_NE(flag, words.end());
  EXPECT_EQ(*(flag + 1), "");
}

TEST(ClaudeArguments, AReportThatWasTakenEndsTheTurn) {
  StartOptions options;
  options.private_directory = "/home/o'brien/x";
  EXPECT_FALSE(has_word(claude_arguments(options, "id-1"), "--settings")) << "without the tool there is no report";
  options.team_tools = {"/usr/bin/teamster", "mcp"};
  const auto settings = parse_json(value_of(claude_arguments(options, "id-1"), "--settings"));
  ASSERT_TRUE(settings);
  const Json& hook = (*settings)["hooks"]["PostToolUse"][0];
  EXPECT_EQ(hook["matcher"], "mcp__team__report");
  const std::string command = hook["hooks"][0]["command"];
  EXPECT_NE(command.find(R"('/home/o'\''brien/x/report.json')"), std::string::npos) << command;
  EXPECT_NE(command.find(R"("continue":false)"), std::string::npos) << command;
}

TEST(ClaudeArguments, WhatWasNotAskedForIsNotThere) {
  const auto words = claude_arguments({}, "id-1");
  for (const char* flag :
       {"--model", "--effort", "--mcp-config", "--allowedTools", "--append-system-prompt", "--json-schema", "--resume"})
    EXPECT_FALSE(has_word(words, flag)) << flag;
}

TEST(ClaudeArguments, ANewConversationHasItsIdAndAnOldOneIsResumed) {
  EXPECT_EQ(value_of(claude_arguments({}, "id-1"), "--session-id"), "id-1");
  StartOptions options;
  options.resume_token = "old";
  const auto words = claude_arguments(options, "id-1");
  EXPECT_EQ(value_of(words, "--resume"), "old");
  EXPECT_FALSE(has_word(words, "--session-id"));
}

TEST(ClaudeArguments, TheTeamsToolsAreAServerThatNeedsNoPermission) {
  StartOptions options;
  options.team_tools = {"/usr/bin/teamster", "mcp", "--team", "a \"b\""};
  options.allowed_tools = {"Bash(git *)", "Read"};
  const auto words = claude_arguments(options, "id-1");
  const auto configuration = parse_json(value_of(words, "--mcp-config"));
  ASSERT_TRUE(configuration);
  EXPECT_EQ((*configuration)["mcpServers"]["team"]["command"], "/usr/bin/teamster");
  EXPECT_EQ((*configuration)["mcpServers"]["team"]["args"], Json({"mcp", "--team", "a \"b\""}));
  EXPECT_EQ(value_of(words, "--allowedTools"), "mcp__team,Bash(git *),Read");
}

TEST(ClaudeArguments, ModelInstructionsAndSchemaAreWordsOfTheirOwn) {
  StartOptions options;
  options.model = "opus";
  options.effort = "high";
  options.instructions = "--not-a-flag\nbut two lines";
  options.schema = Json{{"type", "object"}};
  options.arguments = {"--effort", "high"};
  const auto words = claude_arguments(options, "id-1");
  EXPECT_EQ(value_of(words, "--model"), "opus");
  EXPECT_EQ(value_of(words, "--effort"), "high");
  EXPECT_EQ(value_of(words, "--append-system-prompt"), "--not-a-flag\nbut two lines");
  EXPECT_EQ(value_of(words, "--json-schema"), R"({"type":"object"})");
  EXPECT_EQ(words.back(), "high") << "what the user adds comes last, and so wins";
}

TEST(Uuid, HasItsVersionAndVariant) {
  EXPECT_EQ(uuid_of("00112233445566778899aabbccddeeff"), "00112233-4455-4677-8899-aabbccddeeff");
  EXPECT_EQ(uuid_of(std::string(32, 'f')), "ffffffff-ffff-4fff-8fff-ffffffffffff");
}

}  // namespace
}  // namespace teamster::agent
