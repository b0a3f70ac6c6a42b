#include "agent/claude/claude_arguments.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/report.h"
#include "base/check.h"
#include "base/text.h"

namespace teamster::agent {
namespace {

// Claude's own ways to talk to other sessions, to ask its user, to plan, to begin work that nobody has asked for and to
// work elsewhere would go past the team: messages and questions have one way each. An agent whose tools are listed has
// them only if they are named there.
constexpr std::array kOutOfSight = {
    "SendMessage",   "ListAgents",   "AskUserQuestion", "EnterPlanMode",   "ExitPlanMode",
    "Agent",         "Task",         "CronCreate",      "CronDelete",      "CronList",
    "EnterWorktree", "ExitWorktree", "ScheduleWakeup",  "RemoteTrigger",   "Monitor",
    "TeamCreate",    "TeamDelete",   "Workflow",        "PushNotification"};

std::string out_of_sight_of(const StartOptions& options) {
  std::vector<std::string> names;
  for (const char* name : kOutOfSight) {
    const auto is_named = [&](const std::string& rule) { return rule.substr(0, rule.find('(')) == name; };
    const auto& allowed = options.allowed_tools;
    const bool is_wanted = options.tools ? std::any_of(options.tools->begin(), options.tools->end(), is_named)
                                         : std::any_of(allowed.begin(), allowed.end(), is_named);
    if (!is_wanted) names.emplace_back(name);
  }
  return join(names, ",");
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// What the `report` tool has taken is the answer, and the turn is over with it: without this the model would be asked
// once more, to say that it is done. What it refused is mended in the same turn.
Json settings_of(const StartOptions& options) {
  Json settings = Json::object();
  if (options.team_tools.empty()) return settings;
  const std::string end = R"({"continue":false,"stopReason":"the report was taken"})";
  const std::string command = fmt::format("if [ -f {} ]; then echo {}; fi",
                                          in_quotes(report_file_in(options.private_directory)), in_quotes(end));
  settings["hooks"]["PostToolUse"] = Json::array(
      {{{"matcher", "mcp__team__report"}, {"hooks", Json::array({{{"type", "command"}, {"command", command}}})}}});
  return settings;
}

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
  std::vector<std::string> words = {"-p", "--verbose", "--input-format", "stream-json", "--output-format",
                                    "stream-json", "--permission-prompt-tool", "stdio", "--strict-mcp-config",
                                    // What the user or the repository have set is for sessions of people: it could
                                    // bring other tools, hooks, or another endpoint.
                                    "--setting-sources", "", "--disallowedTools", out_of_sight_of(options)};
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
  if (options.tools) add("--tools", join(*options.tools, ","));
  if (const Json settings = settings_of(options); !settings.empty()) add("--settings", dump_json(settings));
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
