// McpClient: a client of `teamster mcp` over raw pipes, as an agent is. It writes lines as they
// are given and reads messages with a limit on every wait. Destroying it kills the server.
#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "e2e/fixture.h"

namespace teamster::e2e {

class McpClient {
 public:
  // Words after `teamster mcp`.
  McpClient(const Home& home, const Words& words);
  static McpClient of_member(const Home& home, const std::string& team, const std::string& member, Words more = {});
  ~McpClient();
  McpClient(McpClient&& other) noexcept;
  McpClient& operator=(McpClient&&) = delete;

  // Waits until the server has taken it; false when it does not within the limit.
  bool say(const std::string& line, Milliseconds limit = kPatience);
  bool say(const Json& message) { return say(message.dump()); }
  // The next message; nullopt when none comes in time, or at the end.
  std::optional<Json> hear(Milliseconds limit = kPatience);
  // The answer to the request with that id; what comes before it is kept in `others`.
  Json hear_answer(const Json& id);
  Json ask(const Json& request) {
    say(request);
    return hear_answer(request.at("id"));
  }
  std::vector<Json> others;

  void close_input();
  // Everything up to the end of its output.
  std::vector<Json> hear_rest();
  std::optional<int> wait(Milliseconds limit = kPatience);
  pid_t pid() const { return pid_; }

 private:
  bool read_some(Milliseconds limit);

  pid_t pid_ = -1;
  int in_ = -1;   // we write
  int out_ = -1;  // we read
  std::string read_;
  bool ended_ = false;
};

}  // namespace teamster::e2e
