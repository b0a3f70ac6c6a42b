// ClaudeTeams: the teams that Claude Code keeps in a directory of its own, and whether any
// process of theirs lives. Looks anew on each call and writes nothing there; what `remove`
// takes away are whole directories of a team that nobody lives in. When in doubt somebody
// lives. Owned by a command; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "env/world.h"

namespace teamster::interop {

// How many tasks of each status that Claude Code knows.
struct ClaudeTasks {
  std::int64_t pending = 0;
  std::int64_t in_progress = 0;
  std::int64_t completed = 0;
};

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
  // `directory` is Claude Code's configuration; empty: there is none.
  ClaudeTeams(const env::World& world, std::string directory);
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

  std::vector<std::string> names_in(const std::string& directory) const;
  std::vector<Session> living_sessions() const;
  std::optional<ClaudeTeam> look_at(const std::string& name, const std::vector<Session>& sessions) const;
  void count_tasks(ClaudeTeam& team, const std::string& directory) const;
  void note_change(ClaudeTeam& team, const std::string& path) const;
  // Who of the team lives, in words; empty: nobody.
  std::string who_lives(const std::string& name, const Json& config, const std::vector<Session>& sessions) const;

  env::World world_;
  const std::string directory_;
};

}  // namespace teamster::interop
