// Process: one child of the test, either a program or a function of the test in a fork.
// Its output goes into memory files, so nothing blocks on a pipe that nobody reads.
// Destroying it kills and reaps it. Every wait has a limit.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace teamster::e2e {

using namespace std::chrono_literals;
using Milliseconds = std::chrono::milliseconds;

constexpr uid_t kNobody = 65534;
// More than any command may take, limits::kClientGiveUpAfter included, also on a loaded machine.
constexpr Milliseconds kPatience = 180s;

// What execve wants of texts that outlive it: pointers, and null behind them.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

struct Start {
  std::vector<std::string> command;      // argv; command[0] is a path
  std::vector<std::string> environment;  // the whole of it, "NAME=value"
  std::string input = {};
  bool close_input = false;
  std::optional<uid_t> uid = {};  // become this user first
};

class Process {
 public:
  explicit Process(const Start& start);
  // Runs the function in a fork; its value is the exit code.
  explicit Process(const std::function<int()>& body);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  pid_t pid() const { return pid_; }
  // The exit code, 128 + signal, or nullopt when it still runs after the limit.
  std::optional<int> wait(Milliseconds limit = kPatience);
  bool is_running() { return !wait(0ms).has_value(); }
  void kill(int signal);
  // What it has printed so far.
  std::string out() const;
  std::string err() const;

 private:
  pid_t pid_ = -1;
  int pidfd_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::optional<int> exit_;
};

// Looks until the condition holds; false when it does not within the limit.
bool eventually(const std::function<bool()>& condition, Milliseconds limit = 20s);

// Pids whose environment holds exactly this "NAME=value".
std::vector<pid_t> processes_with(const std::string& variable);
std::vector<std::string> arguments_of(pid_t pid);
// Waits until it is gone or a zombie.
bool has_ended(pid_t pid, Milliseconds limit = 20s);

}  // namespace teamster::e2e
