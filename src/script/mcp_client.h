// McpClient: a running MCP server and the calls to it. The server is started by the first
// call and ends with this object; one that died is started anew by the next call. Owned and
// driven by the agent's loop. Every call gets one answer, unless it was taken back.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/line_reader.h"
#include "env/loop.h"
#include "env/processes.h"
#include "env/world.h"
#include "script/action.h"
#include "script/mcp_dialogue.h"
#include "script/settings.h"

namespace teamster::script {

class McpClient {
 public:
  using Answer = std::function<void(const Outcome& outcome)>;

  McpClient(const env::World& world, std::string name, const McpServer& server,
            const std::vector<std::string>& environment);
  ~McpClient();
  McpClient(const McpClient&) = delete;
  McpClient& operator=(const McpClient&) = delete;

  // From the loop, later. Returns a number to take the call back with.
  std::int64_t call(const std::string& tool, const Json& arguments, Answer answer);
  void take_back(std::int64_t call);

 private:
  void start();
  void take_bytes(std::string_view bytes);
  bool take_line(std::string_view line);
  void broken(const std::string& why);

  env::World world_;
  const std::string name_;
  env::Spawn spawn_;
  std::unique_ptr<env::Child> child_;
  std::shared_ptr<LineReader> lines_;
  std::unique_ptr<McpDialogue> dialogue_;
  std::string complaints_;  // the end of what it wrote to stderr
  env::Timer deadline_;     // to become ready
  std::map<std::int64_t, Answer> answers_;
  std::int64_t last_call_ = 0;
};

}  // namespace teamster::script
