// What the host writes to a scripted agent: one line of claude's stream-json input, decoded.
// Pure. It is as strict and as lenient as the real program was measured to be: broken JSON
// ends the process, an unknown type is ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::script {

// A prompt, or a message to a turn that is running.
struct UserMessage {
  // To a running turn: folded in after its next tool result, its end before this is read, or
  // left for a turn of its own.
  enum class Priority { next, now, later };

  std::string text;
  Json content;  // as it came
  Json uuid;     // as it came; null when there was none
  Priority priority = Priority::next;

  bool has_uuid() const { return !uuid.is_null(); }
};

struct ControlRequest {
  std::string id;
  std::string subtype;
  Json request;
};

// The host's answer to a request of ours.
struct ControlResponse {
  std::string id;
  bool failed = false;
  std::string error;
  Json response;
};

struct Ignored {};

// What the process says on stderr before it exits with 1.
struct Fatal {
  std::string text;
};

using HostInput = std::variant<Ignored, UserMessage, ControlRequest, ControlResponse, Fatal>;

HostInput parse_input(std::string_view line);

}  // namespace teamster::script
