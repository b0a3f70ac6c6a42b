// Steps: what a rehearsal script lets its agent do, one struct each (docs/formats/script.md).
// Plain values, made by the script's parser and read by the player.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/time.h"
#include "script/usage.h"

namespace teamster::script {

struct Say {
  std::string text;
};

struct Think {
  std::string text;
};

struct ChangeFile {
  enum class How { write, append, remove };
  How how = How::write;
  std::string path;
  std::string text = {};
};

struct RunCommand {
  std::string command;
  std::optional<int> expect_exit = {};
  std::string save = {};  // name under which its output is kept; empty: it is not
};

// Looks a piece of what was heard up, as the place where a file is to be.
struct Find {
  std::string pattern;  // its first group
  std::string save;     // under which name it is kept
};

struct CallTool {
  std::string name;  // of a team tool, or mcp__SERVER__TOOL
  Json arguments = Json::object();
  std::string save = {};          // under which name its answer is kept
  bool needs_last_claim = false;  // id and token come from the last claim
};

struct AskPermission {
  std::string tool;
  Json input = Json::object();
};

struct AnswerStep {
  Json value;
};

struct SpendUsage {
  Usage usage;
};

struct Sleep {
  Duration span{};
};

struct WaitMessage {
  Duration timeout{};
};

struct FailRequest {
  std::optional<int> status;  // none: no answer came at all
  std::string message;
  int retries = 0;
};

struct Crash {
  int exit = 1;
  std::optional<int> signal = {};
};

struct Garble {
  std::string text;
  bool ends_line = true;
};

struct Huge {
  std::size_t bytes = 0;
};

struct Mute {};

struct Deaf {
  bool to_end_of_input = false;
};

struct Fork {
  std::string command;
  bool detached = false;
};

struct Unsolicited {
  std::string text;
};

struct End {
  std::string stop_reason = "end_turn";
};

using Step = std::variant<Say, Think, ChangeFile, RunCommand, CallTool, AskPermission, AnswerStep, SpendUsage, Sleep,
                          WaitMessage, FailRequest, Crash, Garble, Huge, Mute, Deaf, Fork, Unsolicited, End, Find>;

}  // namespace teamster::script
