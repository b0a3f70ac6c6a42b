// What a player wants done, and what came of it. The player is pure: it gives actions, in
// order; the agent carries them out and hands the outcome of the one that takes time back.
// Plain values.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/time.h"
#include "script/step.h"

namespace teamster::script {

// Effects: one runs at a time, and each has one outcome.
struct Flush {};  // until all that was printed is with the system
struct Pause {
  Duration span{};
};
struct Command {
  std::string command;
  std::string prompt = {};  // what the turn is about, and the last message folded into it: for the command to read
  std::string message = {};
};
struct FileChange {
  ChangeFile change;
};
struct ToolCall {
  std::string server;
  std::string tool;
  Json arguments;
};
struct LeaveChild {
  Fork fork;
};
using Effect = std::variant<Flush, Pause, Command, FileChange, ToolCall, LeaveChild>;

struct Outcome {
  bool is_error = false;
  std::string text = {};
  Json structured = {};          // of a tool: its structured content
  std::optional<int> exit = {};  // of a command; 128 + signal
};

struct Print {
  std::string bytes;
};
// Add the record to the session's file.
struct Keep {
  Json record;
};
struct Begin {
  Effect effect;
};
// End the running effect; its outcome is not wanted any more.
struct Abandon {};
// The process ends at once, as if by itself.
struct Die {
  Crash crash;
};
// The process ends in order: what was printed goes out first, unless it is in a hurry.
struct Leave {
  int exit = 0;
  std::string complaint = {};
  bool in_a_hurry = false;
};
using Action = std::variant<Print, Keep, Begin, Abandon, Die, Leave>;

}  // namespace teamster::script
