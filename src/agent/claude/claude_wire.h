// The stream-json format of `claude -p`, one JSON object per line: text to events and
// back. Pure, no I/O; safe on any bytes (fuzzed). What it does not know it passes over.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/session.h"
#include "base/result.h"

namespace teamster::agent::claude {

// A turn begins.
struct Began {
  std::string session_id;
  std::string model;
  Json servers;  // MCP servers with their states
};

struct InputNews {
  std::string id;
  InputState state = InputState::accepted;
};

// The program waits before it asks the model again.
struct Retry {
  int attempt = 0;
  int status = 0;  // of HTTP; 0 when there was none
  std::string error;
  std::int64_t delay_ms = 0;
};

// How many jobs of the agent's run in the background now.
struct BackgroundJobs {
  std::size_t count = 0;
};

struct PermissionWithdrawn {
  std::string id;
};

struct ControlAnswer {
  std::string id;
  bool is_error = false;
  std::string error;
};

// A turn ended. What it cost is in `turn` where the program says so; the cost of the session
// so far begins again at 0 with a process that was killed and resumed.
struct Ended {
  TurnEnd turn;
  std::optional<double> session_cost_usd;
  bool is_conversation_lost = false;  // no turn: what was to be resumed is not known
};

using Event = std::variant<Began, Activity, InputNews, Retry, BackgroundJobs, PermissionRequest, PermissionWithdrawn,
                           ControlAnswer, Ended>;

// The events of one line, in order; none for what we do not need to know. An error says what
// is wrong with the line.
Result<std::vector<Event>> read_line(std::string_view line);

// Lines to write, each with its newline.
std::string user_line(const SessionInput& input);
std::string interrupt_line(const std::string& request_id);
std::string initialize_line(const std::string& request_id);
std::string end_line(const std::string& request_id);
std::string permission_line(const std::string& request_id, const PermissionAnswer& answer);

}  // namespace teamster::agent::claude
