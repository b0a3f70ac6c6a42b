// ChildProcess: a process of the benchmark that serves others, a hub or a bare server.
// It dies with its owner: by SIGKILL, at once, which every subject must survive anyway.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace teamster::bench {

struct Memory {
  std::uint64_t resident_bytes = 0;
  std::uint64_t peak_bytes = 0;  // since its start
};

class ChildProcess {
 public:
  // Runs `body` in a copy of this process, which ends when it returns.
  static Result<ChildProcess> fork(const std::function<void()>& body);
  // Runs a program; output goes nowhere.
  static Result<ChildProcess> run(const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment);
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess() { kill(); }

  void kill();
  // Waits for its end; the exit code, or 128 + the signal.
  int wait();
  bool is_running();
  pid_t pid() const { return pid_; }
  Memory memory() const;

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
};

}  // namespace teamster::bench
