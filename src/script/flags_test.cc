#include "script/flags.h"

#include <map>

#include <gtest/gtest.h>

#include "env/sim/sim_files.h"

namespace teamster::script {
namespace {

constexpr const char* kId = "56d2c8ef-1414-4528-88f8-409469726c6f";

class FlagsTest : public testing::Test {
 protected:
  Result<CommandLine> parse(const std::vector<std::string>& words) {
    return parse_flags(
        words,
        [this](const char* name) -> std::optional<std::string> {
          const auto it = variables_.find(name);
          return it == variables_.end() ? std::nullopt : std::optional(it->second);
        },
        files_);
  }
  // With what every start has.
  Result<CommandLine> start(std::vector<std::string> words) {
    const std::vector<std::string> common{"-p", "--verbose", "--input-format", "stream-json",
                                          "--output-format=stream-json"};
    words.insert(words.begin(), common.begin(), common.end());
    return parse(words);
  }
  std::string refusal(const std::vector<std::string>& words) {
    const auto line = start(words);
    return line ? "accepted" : line.error().what;
  }

  env::sim::SimClock clock_;
  env::sim::SimLoop loop_{clock_, env::sim::SimRandom(1)};
  env::sim::HostId host_ = loop_.add_host();
  env::sim::SimFileTree tree_{loop_};
  env::sim::SimFiles files_{tree_, loop_, clock_, host_};
  std::map<std::string, std::string> variables_{{"HOME", "/home/a"}, {"TEAMSTER_SCRIPT", "s.json"}};
};

TEST_F(FlagsTest, TakesClaudesFlags) {
  const auto line = start({"--session-id",
                           kId,
                           "--model",
                           "m",
                           "--permission-prompt-tool",
                           "stdio",
                           "--permission-mode",
                           "plan",
                           "--allowedTools",
                           "mcp__team",
                           "Read,Bash(git *)",
                           "--disallowedTools",
                           "A",
                           "B",
                           "--json-schema",
                           R"({"type":"object"})",
                           "--append-system-prompt",
                           "--text",
                           "--replay-user-messages",
                           "--settings",
                           "{}",
                           "--strict-mcp-config",
                           "--mcp-config",
                           R"({"mcpServers":{"team":{"command":"/t","args":["mcp"],"env":{"A":"b"}}}})"});
  ASSERT_TRUE(line) << line.error().text();
  const Settings& settings = line->settings;
  EXPECT_EQ(settings.session_id, kId);
  EXPECT_EQ(settings.model, "m");
  EXPECT_TRUE(settings.asks_permission);
  EXPECT_TRUE(settings.replays);
  EXPECT_EQ(settings.permission_mode, "plan");
  EXPECT_EQ(settings.allowed_tools, (std::vector<std::string>{"mcp__team", "Read", "Bash(git *)"}));
  EXPECT_EQ(settings.disallowed_tools, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(settings.json_schema, (Json{{"type", "object"}}));
  EXPECT_EQ(settings.mcp_servers.at("team").command, "/t");
  EXPECT_EQ(settings.mcp_servers.at("team").arguments, (std::vector<std::string>{"mcp"}));
  EXPECT_EQ(settings.mcp_servers.at("team").environment.at("A"), "b");
  EXPECT_EQ(settings.script_file, "s.json");
  EXPECT_EQ(settings.place_directory, "/home/a/.script-agent");
}

TEST_F(FlagsTest, ItsOwnFlagsWinOverTheEnvironment) {
  variables_["TEAMSTER_SCRIPT_PLACE"] = "/place";
  EXPECT_EQ(start({})->settings.place_directory, "/place");
  const auto line = start({"--script", "other.json", "--place", "/elsewhere"});
  EXPECT_EQ(line->settings.script_file, "other.json");
  EXPECT_EQ(line->settings.place_directory, "/elsewhere");
}

TEST_F(FlagsTest, AnUnknownFlagIsNamed) {
  EXPECT_EQ(refusal({"--frob"}), "error: unknown option '--frob'");
  EXPECT_EQ(refusal({"--frob=1"}), "error: unknown option '--frob'");
  EXPECT_EQ(refusal({"-x"}), "error: unknown option '-x'");
  EXPECT_EQ(refusal({"--model"}), "error: option '--model' argument missing");
  EXPECT_EQ(refusal({"a prompt"}), "error: a scripted agent takes its prompts from its input, not 'a prompt'");
}

TEST_F(FlagsTest, BadValuesAreRefusedInClaudesWords) {
  EXPECT_EQ(refusal({"--session-id", "../../etc/passwd"}), "Error: Invalid session ID. Must be a valid UUID.");
  EXPECT_EQ(refusal({"--resume", ""}), "Error: Invalid session ID. Must be a valid UUID.");
  EXPECT_TRUE(refusal({"--json-schema", "{bad"}).starts_with("Error: --json-schema is not valid JSON"));
  EXPECT_EQ(refusal({"--mcp-config", "{bad"}), "Error: Invalid MCP configuration:\nMCP config file not found: {bad");
  for (const char* config :
       {"[]", "{}", R"({"mcpServers":[]})", R"({"mcpServers":{"a":{}}})", R"({"mcpServers":{"a":{"command":1}}})",
        R"({"mcpServers":{"a":{"command":"x","args":1}}})", R"({"mcpServers":{"a":{"command":"x","args":[1]}}})",
        R"({"mcpServers":{"a":{"command":"x","env":{"A":1}}}})", R"({"mcpServers":{"a":5}})"})
    EXPECT_TRUE(refusal({"--mcp-config", config}).starts_with("Error: Invalid MCP configuration:")) << config;
}

TEST_F(FlagsTest, TheMcpConfigurationMayBeAFile) {
  ASSERT_TRUE(files_.make_private_directory("/home"));
  ASSERT_TRUE(files_.write_atomically("/home/mcp.json", R"({"mcpServers":{"team":{"command":"t"}}})", 0600));
  ASSERT_TRUE(files_.write_atomically("/home/bad.json", "no", 0600));
  EXPECT_EQ(start({"--mcp-config", "/home/mcp.json"})->settings.mcp_servers.at("team").command, "t");
  EXPECT_NE(refusal({"--mcp-config", "/home/bad.json"}).find("/home/bad.json: not valid JSON"), std::string::npos);
}

TEST_F(FlagsTest, OnlyTheStreamIsSpoken) {
  EXPECT_EQ(parse({"-p"}).error().what, "error: a scripted agent needs --input-format stream-json");
  EXPECT_EQ(parse({"-p", "--input-format", "stream-json", "--output-format", "json"}).error().what,
            "error: a scripted agent needs --output-format stream-json");
}

TEST_F(FlagsTest, NeedsAScriptAndAPlace) {
  variables_.clear();
  EXPECT_EQ(refusal({}), "error: there is no script; give --script FILE or set TEAMSTER_SCRIPT");
  EXPECT_EQ(refusal({"--script", "s"}), "error: there is no place for sessions; give --place DIR or set HOME");
}

TEST_F(FlagsTest, VersionAndCheckNeedNothingElse) {
  variables_.clear();
  EXPECT_TRUE(parse({"--version"})->wants_version);
  EXPECT_EQ(parse({"--check", "s.json"})->check, "s.json");
}

}  // namespace
}  // namespace teamster::script
