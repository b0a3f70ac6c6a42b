// CommandRun: one shell command of a script and what it printed, bounded. Destroying it kills
// the command's whole process group. Driven by the loop; calls back once, when the command
// has ended and its output is read, or a little after when somebody keeps its pipes open.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/loop.h"
#include "env/processes.h"
#include "env/world.h"
#include "script/action.h"

namespace teamster::script {

class CommandRun {
 public:
  using Done = std::function<void(const Outcome& outcome)>;

  static Result<std::unique_ptr<CommandRun>> start(const env::World& world, const std::string& command,
                                                   const std::vector<std::string>& environment, Done done);
  CommandRun(env::Loop& loop, std::unique_ptr<env::Child> child, Done done);
  ~CommandRun();
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;

 private:
  void listen(env::Stream& stream);
  void look();
  void report();

  env::Loop& loop_;
  std::unique_ptr<env::Child> child_;
  Done done_;
  std::string output_;
  std::size_t left_out_ = 0;
  int open_pipes_ = 2;
  std::optional<env::ExitStatus> status_;
  env::Timer deadline_;
};

}  // namespace teamster::script
