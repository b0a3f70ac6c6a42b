// LeftTeams: teams that nobody runs any more, ours and those that Claude Code left in its own directory: found, told of
// in the words that people and hooks know, and deleted when somebody has agreed. For `team status` and `team cleanup`,
// the start and the end of every run, and the stop hook. Owned by whoever asks; waits for the hub; one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "engine/hub_call.h"
#include "env/world.h"
#include "interop/claude_teams.h"
#include "protocol/client/home.h"
#include "protocol/client/team_calls.h"

namespace teamster::engine {

struct LeftTeam {
  hub::Orphan orphan;
  bool is_of_claude_code = false;
};

class LeftTeams {
 public:
  // `claude_directory` is where Claude Code keeps its own; empty: they are not looked at.
  LeftTeams(HubCall call, const env::World& world, const hub::Home& home, const std::string& claude_directory);

  // Orphans of this home of at least that age.
  Result<std::vector<LeftTeam>> ours(Duration least_age = {}) const;
  // Those of Claude Code.
  std::vector<LeftTeam> of_claude_code(Duration least_age = {}) const;
  // All that Claude Code has, whether somebody lives in them or not.
  std::vector<interop::ClaudeTeam> all_of_claude_code() const { return claude_.list(); }
  LeftTeam left(const interop::ClaudeTeam& team) const;

  // While somebody was asked, another team of the same name may have come to life: this looks again, and refuses then.
  // A failure says where the team is and what to do.
  Result<void> remove(const LeftTeam& team) const;

 private:
  HubCall call_;
  env::World world_;
  interop::ClaudeTeams claude_;
};

// Four lines: name, place, age and the command that cleans up.
std::string warning_about(const LeftTeam& team);
// "2 hours": the largest whole unit, written out.
std::string age_in_words(Duration age);

}  // namespace teamster::engine
