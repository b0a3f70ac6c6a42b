// ClaudeTeams: the teams that Claude Code keeps in a directory of its own, and whether any
// process of theirs lives. Looks anew on each call, reading only what has changed since the last, and writes nothing
// there; what `remove` takes away are whole directories of a team that nobody lives in. When in doubt somebody
// lives. Owned by a command; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "env/world.h"
#include "interop/claude_facts.h"

namespace teamster::interop {

struct ClaudeTeam {
  std::string name;
  std::vector<std::string> places;  // its directory and that of its tasks, as far as they are there
  std::vector<std::string> members;
  ClaudeTasks tasks = {};
  WallTime changed = {};  // when the newest of its files was
  bool is_orphan = false;
  std::string reason;  // why it is one, or who lives
};

class ClaudeTeams {
 public:
  // `directory` is Claude Code's configuration; empty: there is none. `cache` is a file of ours that keeps what was
  // read; empty: everything is read each time.
  ClaudeTeams(const env::World& world, std::string directory, std::string cache = {});
  // $CLAUDE_CONFIG_DIR, else ~/.claude; empty when the environment names neither.
  static std::string find_directory(const std::function<std::optional<std::string>(const char* name)>& variable);

  // Sorted by name.
  std::vector<ClaudeTeam> list() const;
  // Code::refused when it is no orphan (any more), Code::not_found when there is none of that name.
  Result<void> remove(const std::string& name) const;

 private:
  // Who says that it runs, in sessions/PID.json, and does.
  struct Session {
    std::int64_t pid = 0;
    std::string id;
    std::vector<std::string> arguments;
  };
  // Who lives, asked once for each process in one look.
  struct Living {
    std::vector<Session> sessions;
    std::map<std::int64_t, std::string> starts = {};  // by pid, when it started; empty: it does not live
    std::string own_pid_space = {};
  };

  Living look_around() const;
  ClaudeTeam judge(const std::string& name, const ClaudeFacts& facts, Living& living) const;
  // Who of the team lives or may, in words; empty: nobody.
  std::string who_lives(const std::string& name, const ClaudeFacts& facts, Living& living) const;
  std::string start_of(std::int64_t pid, Living& living) const;

  env::World world_;
  const std::string directory_;
  const std::string cache_;
};

}  // namespace teamster::interop
