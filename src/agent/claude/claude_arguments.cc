#include "agent/claude/claude_arguments.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace teamster::agent {
namespace {

// Claude's own ways to talk to other sessions, to ask its user and to plan would go past
// the team: messages and questions have one way each.
constexpr const char* kDisallowedTools = "SendMessage,ListAgents,AskUserQuestion,EnterPlanMode,ExitPlanMode";

std::string server_configuration(const StartOptions& options) {
  Json server = {{"command", options.team_tools.front()}, {"args", Json::array()}};
  for (std::size_t i = 1; i < options.team_tools.size(); ++i) server["args"].push_back(options.team_tools[i]);
  return dump_json({{"mcpServers", {{"team", std::move(server)}}}});
}

}  // namespace

std::string uuid_of(const std::string& hex) {
  CHECK(hex.size() == 32);
  return fmt::format("{}-{}-4{}-8{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(13, 3), hex.substr(17, 3),
                     hex.substr(20, 12));
}

std::vector<std::string> claude_arguments(const StartOptions& options, const std::string& session_id) {
  std::vector<std::string> words = {"-p",
                                    "--verbose",
                                    "--input-format",
                                    "stream-json",
                                    "--output-format",
                                    "stream-json",
                                    "--permission-prompt-tool",
                                    "stdio",
                                    "--strict-mcp-config",
                                    "--disallowedTools",
                                    kDisallowedTools};
  const auto add = [&](const char* flag, const std::string& value) {
    words.emplace_back(flag);
    words.push_back(value);
  };
  std::string allowed;
  if (!options.team_tools.empty()) {
    add("--mcp-config", server_configuration(options));
    allowed = "mcp__team";
  }
  for (const auto& tool : options.allowed_tools) allowed += (allowed.empty() ? "" : ",") + tool;
  if (!allowed.empty()) add("--allowedTools", allowed);
  if (!options.model.empty()) add("--model", options.model);
  if (!options.effort.empty()) add("--effort", options.effort);
  if (!options.instructions.empty()) add("--append-system-prompt", options.instructions);
  if (options.schema) add("--json-schema", dump_json(*options.schema));
  if (options.resume_token.empty())
    add("--session-id", session_id);
  else
    add("--resume", options.resume_token);
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  return words;
}

}  // namespace teamster::agent
