// Process: an agent's process under supervision. Splits its output into lines, keeps the
// end of its standard error, and ends it: its input is closed, then SIGTERM, then SIGKILL.
// "Ended" means exited and its output read to the end, or the drain deadline. Owned by a
// session; driven by the loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/session.h"
#include "env/loop.h"
#include "env/processes.h"
#include "env/world.h"

namespace teamster::agent {

class Process {
 public:
  struct Handlers {
    std::function<void(std::string_view bytes)> on_output;
    // Once, last. `what` is for people.
    std::function<void(env::ExitStatus status, const std::string& what)> on_ended;
  };

  static Result<std::unique_ptr<Process>> start(const env::World& world, const env::Spawn& spawn, Handlers handlers);
  Process(const env::World& world, std::unique_ptr<env::Child> child, Handlers handlers);

  void write(std::string_view bytes) { child_->input().write(bytes); }
  void finish_writing() { child_->input().finish_writing(); }
  void close();
  // SIGTERM at once, then SIGKILL.
  void terminate();
  bool is_closing() const { return closing_; }
  std::int64_t pid() const { return child_->pid(); }

 private:
  void exited(env::ExitStatus status);
  void stream_ended();
  void finish();
  void keep_errors(std::string_view bytes);

  env::World world_;
  std::unique_ptr<env::Child> child_;
  Handlers handlers_;
  std::string errors_;  // its end
  bool errors_cut_ = false;
  std::optional<env::ExitStatus> status_;
  int streams_ended_ = 0;  // of output and errors
  bool closing_ = false;
  env::Timer timer_;
};

// "exited with code 3" or "was killed by signal 9".
std::string describe(env::ExitStatus status);

}  // namespace teamster::agent
