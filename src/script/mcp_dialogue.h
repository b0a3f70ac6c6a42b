// McpDialogue: a client's side of the Model Context Protocol over newline-delimited JSON, as
// text in and text out. Asks for revision 2026-07-28 first and falls back to the handshake
// of 2025-11-25. Pure; owned by McpClient. Calls made before the server is ready wait here.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "script/action.h"

namespace teamster::script {

class McpDialogue {
 public:
  struct Reply {
    std::int64_t call = 0;
    Outcome outcome;
  };

  // What to send first.
  std::string open();
  // What to send for a call of a tool; empty while the server is not ready.
  std::string call(std::int64_t id, const std::string& tool, const Json& arguments);
  // What to send to take a call back. No reply to it follows.
  std::string cancel(std::int64_t id);
  // A line from the server. Adds to `send` what is to be sent. Code::failed: it is no MCP.
  Result<std::vector<Reply>> take(std::string_view line, std::string& send);

  bool is_ready() const { return state_ == State::modern || state_ == State::legacy; }

 private:
  enum class State { probing, greeting, modern, legacy };

  std::string request(const Json& id, std::string_view method, Json params) const;
  std::string call_line(std::int64_t id, const std::string& tool, const Json& arguments) const;
  Result<void> take_probe(const Json& message, std::string& send);
  Result<void> take_greeting(const Json& message, std::string& send);
  void become_ready(State state, std::string& send);

  struct Waiting {
    std::int64_t id;
    std::string tool;
    Json arguments;
  };

  State state_ = State::probing;
  std::vector<Waiting> waiting_;
  std::set<std::int64_t> open_;  // sent and not answered
};

}  // namespace teamster::script
