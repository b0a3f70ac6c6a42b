// ScriptedAgent: the real `teamster script-agent` on raw pipes, spoken to line by line, as a
// host would. AgentPlace is the directory it works in; its destructor ends whatever was
// started there and removes it. Every wait has a limit.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "e2e/process.h"

namespace teamster::e2e {

class AgentPlace {
 public:
  AgentPlace();
  ~AgentPlace();
  AgentPlace(const AgentPlace&) = delete;
  AgentPlace& operator=(const AgentPlace&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // In the environment of everything that is started here.
  std::string mark() const { return "TEAMSTER_E2E_PLACE=" + path_; }
  void script(const std::string& text) const;
  // One with a single turn of these steps.
  void turn(const std::string& steps) const;

 private:
  std::string path_;
};

using Words = std::vector<std::string>;

class ScriptedAgent {
 public:
  // The flags every start has come first; the working directory is the place.
  ScriptedAgent(const AgentPlace& place, const Words& flags = {}, const Words& environment = {});
  ~ScriptedAgent();
  ScriptedAgent(const ScriptedAgent&) = delete;
  ScriptedAgent& operator=(const ScriptedAgent&) = delete;

  pid_t pid() const { return pid_; }
  void write(const std::string& bytes) const;
  void send(const Json& line) const { write(dump_json(line) + "\n"); }
  void say(const std::string& text, const Json& uuid = {}) const;
  void control(const Json& request, const std::string& id = "r1") const;
  void close_input();
  void close_output();
  void kill(int signal) const;

  // The next line as it is; nullopt at the end of output, or when none came in time.
  std::optional<std::string> raw_line(Milliseconds limit = 20s);
  // The next line; null for what is no JSON and at the end.
  Json line(Milliseconds limit = 20s);
  // Reads on until a line has this type, and gives it. All lines passed by are kept in `seen`.
  Json until(const std::string& type);
  Json result() { return until("result"); }
  // Reads until the output ends.
  void drain();
  // Whether nothing is printed for a while.
  bool is_silent(Milliseconds span);
  std::vector<Json> seen;

  // The exit code, or 128 + signal.
  std::optional<int> wait(Milliseconds limit = kPatience);
  bool is_running() { return !wait(0ms); }
  std::string err() const;

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string err_file_;
  std::string buffer_;
  std::optional<int> exit_;
};

}  // namespace teamster::e2e
