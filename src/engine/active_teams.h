// ActiveTeams: whether a team of a workflow is at work in a project: that of one of its runs, or the one that the file
// of its `state` names, ours or one of Claude Code's. Runs that have no team of their own count for nothing. Owned by
// whoever asks; calls back once, from the loop, and not after it is gone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "env/world.h"
#include "project/settings.h"
#include "protocol/client/calls.h"
#include "protocol/client/team_calls.h"

namespace teamster::engine {

struct ActiveTeam {
  std::string team;
  std::string run;  // that owns it; empty: none of ours
};

class ActiveTeams {
 public:
  using Then = std::function<void(Result<std::optional<ActiveTeam>>)>;

  ActiveTeams(const env::World& world, hub::Client& hub, Variable variable);

  // In whose place one looks.
  struct Place {
    std::string workflow;
    std::string project;
    std::string except_run = {};          // whose own teams do not count
    std::optional<WallTime> before = {};  // only those that were made before, or
    std::string before_name = {};         // at the same time with a name before this one
  };
  void find(const Place& place, const Then& then);
  // The same, and whether the team that a file names lives.
  void find_or_named(const Place& place, const std::string& named, const Then& then);

 private:
  void look_at_runs(const Place& place, std::shared_ptr<std::vector<hub::ListedTeam>> teams, const Then& then);

  env::World world_;
  hub::Calls calls_;
  const Variable variable_;
};

}  // namespace teamster::engine
