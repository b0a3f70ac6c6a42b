// Session: one living conversation with an agent, and what it tells its listener. Owned by
// whoever started it; driven by the loop; every callback comes from the loop. Inputs have
// ids chosen by the caller, and what is said about an input is evidence, not hope.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "protocol/words/token_usage.h"

namespace teamster::agent {

using Usage = TokenUsage;

// What an agent does while a turn runs, for the transcript and for whoever watches.
struct Activity {
  enum class Kind { text, thinking, tool_call, tool_result, status, noise };
  Kind kind = Kind::status;
  std::string text = {};  // of noise: what was not understood
  std::string tool = {};  // name of the tool, of calls
  std::string id = {};    // of a call and its result
  Json input = {};        // of a call
  // The model's message that it is part of, and what that one has used so far, in and out; 0: it does not say.
  std::string message = {};
  std::int64_t tokens = 0;
  bool is_error = false;
};
std::string_view to_string(Activity::Kind kind);

// Why a turn did not end as it should. `script`: what is rehearsed went another way than its script says.
enum class Fault {
  none,
  interrupted,
  login,
  credit,
  model,
  program,  // it is missing, too old, or broken
  context,  // the conversation is too long, and could not be made shorter
  rate_limit,
  overloaded,
  provider,
  limit,
  crashed,
  silent,
  protocol,
  script
};
std::string_view to_string(Fault fault);
// A name that this program does not know is a crash: it did not end well.
Fault fault_from_string(std::string_view name);
// Of the provider, and it passes: the same will do later.
bool is_weather(Fault fault);
// It is mended outside, by a login or an installation, which a process that runs already does not notice.
bool is_mended_outside(Fault fault);

struct TurnEnd {
  std::string text = {};                // the agent's last words
  std::optional<Json> structured = {};  // where the agent gives structured output
  Usage usage = {};                     // of this turn alone
  std::string stop_reason = {};
  Fault fault = Fault::none;
  std::string error = {};                // what happened, for people; empty when all is well
  std::vector<std::string> inputs = {};  // the inputs it answered, as far as the agent says
  bool session_over = false;             // the process is gone; on_ended follows
  bool solicited = true;                 // false: the agent began it by itself
  std::size_t background_jobs = 0;       // of the agent's that still run: their end begins a turn by itself

  bool is_good() const { return fault == Fault::none; }
};

enum class InputState {
  accepted,  // the agent has it
  taken,     // it is part of the running turn
  done,      // the turn that took it has ended
  failed,    // that turn ended without the model having answered
};

struct PermissionRequest {
  std::string id;
  std::string tool;
  Json input;
  std::string description;
};

struct PermissionAnswer {
  bool allow = false;
  std::string message;  // of a refusal: what the agent is told
  std::optional<Json> updated_input = {};
};

// How the process behind a session ended.
struct SessionEnd {
  bool expected = false;              // close() was called
  bool conversation_is_lost = false;  // what was to be resumed is not known to it
  bool program_is_broken = false;     // it ended by itself before it had said anything
  std::string what;                   // "exited with code 3", with the end of its standard error
};

class SessionListener {
 public:
  virtual ~SessionListener() = default;
  // The agent's program has said something for the first time: it works.
  virtual void on_up() {}
  virtual void on_activity(const Activity& activity) = 0;
  virtual void on_input(const std::string& id, InputState state) = 0;
  virtual void on_turn_started() = 0;
  virtual void on_turn_ended(const TurnEnd& end) = 0;
  virtual PermissionAnswer on_permission(const PermissionRequest& request) = 0;
  // A name under which the conversation can be taken up again, once there is one.
  virtual void on_resumable(const std::string& resume_token) = 0;
  // Last; the session may be destroyed from here on, but not inside.
  virtual void on_ended(const SessionEnd& end) = 0;
};

struct SessionInput {
  std::string id;  // unique in the session
  std::string text;
};

class Session {
 public:
  virtual ~Session() = default;
  // Starts a turn when none runs. While one runs it becomes part of it where the driver can
  // inject; otherwise it is kept for the next turn.
  virtual void say(SessionInput input) = 0;
  // Cuts the running turn; it ends with Fault::interrupted. Nothing happens between turns.
  virtual void interrupt() = 0;
  // Ends the process: politely, then less so. on_ended follows.
  virtual void close() = 0;
  virtual bool is_working() const = 0;
  // False while its program has not said anything; then on_up follows, or on_ended.
  virtual bool is_up() const { return true; }
  virtual std::int64_t pid() const = 0;
};

}  // namespace teamster::agent
