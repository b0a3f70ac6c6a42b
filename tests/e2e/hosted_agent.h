// HostedAgent: a member of a scratch home that a detached host runs, with the script driver
// or with the claude driver and a fake `claude` that plays the same script. Whatever it
// started is found by the home in its environment.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/json.h"
#include "e2e/fixture.h"

namespace teamster::e2e {

class HostedAgent {
 public:
  // `driver` is "script" or "claude". The team is `alpha`, the agent its member `builder`,
  // beside `tester`, who is nobody.
  explicit HostedAgent(const std::string& driver);

  Home& home() { return home_; }
  const std::string& work() const { return work_; }
  void script(const std::vector<Json>& turns, const Json& otherwise = Json::array({{{"say", "nothing more"}}})) const;
  // A whole script, as its format has it.
  void whole_script(const Json& script) const { write_file(script_, dump_json(script)); }

  // Of the environment of those who start it, "NAME=value".
  void add_variable(const std::string& variable) { variables_.push_back(variable); }
  // Takes away what the agent's program keeps of its conversations.
  void lose_conversations() const;

  // teamster agent start --detach.
  Json start(const Words& more = {});
  Outcome fails_to_start(int exit, const Words& more);
  // teamster agent say --json, whatever comes of it.
  Outcome say(const std::string& text, const Words& more = {});
  std::int64_t tell(const std::string& text, const Words& more = {});
  Json listed();
  pid_t host() { return static_cast<pid_t>(listed().value("host_pid", 0)); }
  pid_t agent() { return static_cast<pid_t>(listed().value("agent_pid", 0)); }
  pid_t keeper();
  std::string receipt(std::int64_t message);
  bool has_receipt(std::int64_t message, const std::string& receipt);
  bool is_working();
  // Entries of its transcript of this kind.
  std::vector<Json> transcript(const std::string& kind) const;
  // Processes of this home but the hub.
  std::vector<pid_t> processes() const;
  bool nothing_is_left() const;
  std::string leftovers() const;

 private:
  RunOptions options() const;

  Home home_;
  std::string driver_;
  std::string work_;
  std::string script_;
  Words variables_;
};

}  // namespace teamster::e2e
