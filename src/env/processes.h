// Processes: start, signal and identify other programs. A pid alone is never an identity: base/process_identity.h says
// what is. Owned by the world; on its loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process_identity.h"
#include "base/result.h"
#include "env/network.h"

namespace teamster::env {

using teamster::ProcessIdentity;

struct ExitStatus {
  bool signaled = false;
  int code = 0;  // exit code, or the signal's number
};

// A child with its own process group. Destroying it kills the whole group and reaps it.
class Child {
 public:
  virtual ~Child() = default;
  virtual std::int64_t pid() const = 0;
  // Called once, from the loop. Set right after spawn.
  virtual void on_exit(std::function<void(ExitStatus)> callback) = 0;
  virtual Stream& input() = 0;  // only with pipes
  virtual Stream& output() = 0;
  virtual Stream& errors() = 0;
  virtual void signal_group(int number) = 0;
};

// What the system shows of a process, whoever's it is.
struct SeenProcess {
  std::int64_t parent = 0;        // 0: it is the first one, or its parent is in another pid namespace
  std::uint64_t start_ticks = 0;  // as in ProcessIdentity
  std::string name = {};          // at most 15 bytes; a process can change its own, and no other process can
};

struct Spawn {
  std::string program;                   // a path; PATH is not searched
  std::vector<std::string> arguments;    // argv[0] first
  std::vector<std::string> environment;  // "NAME=value", the whole of it
  std::string directory;                 // empty: the parent's
};

class Processes {
 public:
  virtual ~Processes() = default;
  // Own process group, stdin/stdout/stderr as pipes, no other descriptor inherited.
  virtual Result<std::unique_ptr<Child>> spawn(const Spawn& spawn) = 0;
  // Own session, standard streams on /dev/null, not our child any more: it outlives us.
  // Returns its pid.
  virtual Result<std::int64_t> spawn_detached(const Spawn& spawn) = 0;

  virtual ProcessIdentity self() = 0;
  // nullopt when there is no such process.
  virtual std::optional<ProcessIdentity> identify(std::int64_t pid) = 0;
  // True while exactly that process lives here (zombies do not). One of another machine or pid namespace does not live
  // here: see env/liveness.h.
  virtual bool is_alive(const ProcessIdentity& identity) = 0;
  // Also of a process that has ended and was not waited for: it has a parent still. nullopt: there is none, or the
  // system hides it.
  virtual std::optional<SeenProcess> look_at(std::int64_t pid) = 0;
  // The first few kilobytes of the words it was started with; empty: see look_at, and those of a process that has
  // ended.
  virtual std::vector<std::string> arguments_of(std::int64_t pid) = 0;
  // Of this process's environment.
  virtual std::optional<std::string> variable(const char* name) = 0;
  // All of it, as NAME=value.
  virtual std::vector<std::string> environment() = 0;
  // This program's own executable, to start it again.
  virtual std::string own_executable() = 0;
};

}  // namespace teamster::env
