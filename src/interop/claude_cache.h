// ClaudeCache: facts about Claude Code's teams as they were read the last time, in a file of ours, so that the next
// look reads only what has changed. A cache and no more: one that is missing, torn, of another directory or of another
// version is as none. Owned by ClaudeTeams for one look; one thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "env/files.h"
#include "interop/claude_facts.h"

namespace teamster::interop {

class ClaudeCache {
 public:
  // `file` empty: nothing is kept. `directory` is the one that the facts are about.
  ClaudeCache(env::Files& files, std::string file, std::string directory);
  ClaudeCache(const ClaudeCache&) = delete;
  ClaudeCache& operator=(const ClaudeCache&) = delete;

  // What was known of the team; nullopt: nothing.
  std::optional<ClaudeFacts> find(const std::string& name) const;
  // What is known now. Facts that changed a moment ago are not kept: the same moment may see another change, and the
  // time of a file could not tell.
  void keep_as_it_was(const std::string& name);
  void keep(const std::string& name, const ClaudeFacts& facts, WallTime now);
  // Writes what was kept, if that is another thing than what was there. A failure is no harm.
  void save();

 private:
  env::Files& files_;
  const std::string file_;
  const std::string head_;
  std::string text_;                                              // as it was read; the views below are into it
  std::unordered_map<std::string_view, std::string_view> known_;  // by name: its record
  std::string kept_;
  std::size_t kept_count_ = 0;
  bool has_changed_ = false;
};

}  // namespace teamster::interop
