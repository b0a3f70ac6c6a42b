// The scripted agent as a process: standard streams, children, tools and the session's file
// around a player. Runs on the world's loop until the player leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "env/network.h"
#include "env/registration.h"
#include "env/world.h"
#include "script/script.h"
#include "script/settings.h"

namespace teamster::script {

// What only a real process has.
struct Surroundings {
  env::World world;
  // Reads standard input, writes standard output.
  std::unique_ptr<env::Stream> streams;
  std::function<env::Registration(int signal, std::function<void()> callback)> watch_signal;
  std::function<void(std::string_view text)> complain;  // on stderr
  // Starts a shell command in this process's own group and with its standard output, not to be
  // waited for. Its pid.
  std::function<Result<std::int64_t>(const std::string& command)> leave_child;
  // These two do not return.
  std::function<void(int code)> exit_at_once;
  std::function<void(int signal)> die_by_signal;
};

// An agent that runs. Destroying it lets go of all that it has, as the end of a process does.
class RunningAgent {
 public:
  virtual ~RunningAgent() = default;
};

// `on_left` is called once, from the loop, with the exit code. Code::failed: the session cannot be had, worded as
// claude does.
Result<std::unique_ptr<RunningAgent>> start_agent(Surroundings surroundings, Settings settings, Script script,
                                                  std::function<void(int code)> on_left);
// The same for a process that does nothing else; returns the exit code.
Result<int> run_agent(Surroundings surroundings, Settings settings, Script script);

}  // namespace teamster::script
