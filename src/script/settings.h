// Settings: how a scripted agent was started, in the words of claude's command line. A value,
// made from flags, then read only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::script {

struct McpServer {
  std::string command;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
};

struct Settings {
  std::string script_file = {};
  std::string place_directory = {};
  std::string cwd = {};
  std::string rehearsal = {};              // directory of the rehearsal that this is part of, see rehearsal_place.h
  std::optional<std::uint64_t> seed = {};  // of what it permutes
  std::string member = {};                 // whom it plays in the team

  std::optional<std::string> session_id = {};  // --session-id
  std::optional<std::string> resume = {};
  std::optional<std::string> model = {};
  std::string permission_mode = "default";
  bool asks_permission = false;  // --permission-prompt-tool stdio
  bool replays = false;          // --replay-user-messages
  std::vector<std::string> allowed_tools = {};
  std::vector<std::string> disallowed_tools = {};
  std::optional<Json> json_schema = {};
  std::map<std::string, McpServer> mcp_servers = {};
};

}  // namespace teamster::script
