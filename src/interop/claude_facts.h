// ClaudeFacts: what Claude Code's files say about one of its teams, and by which files: as long as those are the same,
// so are the facts, and nothing has to be read again. Whether somebody lives in the team is not among them: that is
// looked at each time. Values, and functions on the user's files; nothing is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/files.h"

namespace teamster::interop {

// How many tasks of each status that Claude Code knows.
struct ClaudeTasks {
  std::int64_t pending = 0;
  std::int64_t in_progress = 0;
  std::int64_t completed = 0;
};

// A file or directory as it was when the facts were read.
struct ClaudeEvidence {
  std::string path;       // from Claude Code's directory on
  bool is_there = false;  // and what follows says as what
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_unix_ms = 0;
  bool operator==(const ClaudeEvidence&) const = default;
};

struct ClaudeFacts {
  enum class Config {
    none,    // it has no configuration
    read,    // the fields below are its
    broken,  // it is no JSON object
    hidden,  // it cannot be read
  };
  Config config = Config::none;
  std::string trouble = {};  // why it is hidden
  bool has_directory = false;
  bool has_tasks = false;  // a directory for them
  std::vector<std::string> members = {};
  ClaudeTasks tasks = {};
  std::int64_t changed_unix_ms = 0;  // when the newest of its files was
  std::int64_t lead_pid = 0;
  std::string lead_start = {};  // its start time; empty: it does not say
  std::string lead_pid_space = {};
  std::string lead_session = {};
  std::vector<ClaudeEvidence> evidence = {};
};

// Names are used as parts of paths.
bool is_plain_name(const std::string& name);
// Those in the directory that are; none where it cannot be listed.
std::vector<std::string> plain_names_in(env::Files& files, const std::string& directory);

// nullopt when there is no such team. `directory` is Claude Code's.
std::optional<ClaudeFacts> read_claude_facts(env::Files& files, const std::string& directory, const std::string& name);
// Whether all evidence is as it was.
bool is_unchanged(env::Files& files, const std::string& directory, const ClaudeFacts& facts);

}  // namespace teamster::interop
