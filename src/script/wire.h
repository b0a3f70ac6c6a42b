// Wire: the lines a scripted agent prints, in the format of claude's stream-json output as it
// was measured. Knows formats, not the script. The order of keys changes from line to line on
// purpose, as nobody may rely on it. Owned by the player; borrows clock and chance.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/time.h"
#include "env/clock.h"
#include "env/random.h"
#include "script/input.h"
#include "script/usage.h"

namespace teamster::script {

// Of `system/init`.
struct InitFacts {
  std::string cwd;
  std::string model;
  std::string permission_mode;
  std::vector<std::string> tools;
  std::vector<std::string> mcp_servers;
};

// Of `result`. What is null is left out.
struct ResultFacts {
  std::string subtype = "success";
  bool is_error = false;
  Json result = {};
  Json structured_output = {};
  Json errors = {};
  Json stop_reason = {};  // null is printed
  std::string terminal_reason = "completed";
  Json api_error_status = {};  // null is printed
  Json api_error_type = {};
  Json origin = {};
  Json permission_denials = Json::array();
  int num_turns = 0;
  int result_index = 0;
  std::size_t queued_turn_count = 0;
  Duration took{};
  Usage usage = {};
  Usage total = {};
  std::map<std::string, Usage> spent = {};  // by model
  std::string model = {};
};

class Wire {
 public:
  Wire(const env::Clock& clock, env::Random& random, std::string session_id)
      : clock_(clock), random_(random), session_id_(std::move(session_id)) {}

  const std::string& session_id() const { return session_id_; }
  std::string new_uuid() { return random_uuid(random_); }
  std::string new_tool_use_id() { return "toolu_" + random_.hex(12); }

  // Each gives one whole line.
  std::string init(const InitFacts& facts, const UserMessage* prompt);
  std::string assistant(const Json& block, std::string_view model, const UserMessage* prompt, bool is_aborted = false);
  std::string tool_result(const std::string& tool_use_id, const Json& content, bool is_error, const Json& detail);
  std::string user_text(std::string_view text, bool is_synthetic);
  std::string replay(const UserMessage& message);
  std::string lifecycle(const UserMessage& message, std::string_view state);
  std::string result(const ResultFacts& facts, const UserMessage* prompt);
  std::string status(std::string_view permission_mode);
  std::string api_retry(int attempt, int max_retries, const Json& status, std::string_view error);
  std::string control_success(const std::string& request_id, const Json& response);
  std::string control_error(const std::string& request_id, std::string_view error, std::string_view code);
  std::string can_use_tool(const std::string& request_id, const std::string& tool, const Json& input,
                           const std::string& tool_use_id);
  std::string cancel_request(const std::string& request_id);

  static std::string random_uuid(env::Random& random);

 private:
  std::string message_line(Json event);
  std::string event_line(Json event);
  std::string line(const Json& event);

  const env::Clock& clock_;
  env::Random& random_;
  const std::string session_id_;
  std::uint64_t printed_ = 0;
};

}  // namespace teamster::script
