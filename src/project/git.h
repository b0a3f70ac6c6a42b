// Git: what the engine does to the repository of the user's project. By the git program in the real world
// (git_program.h), in memory in the simulator. Owned by whoever needs it; one operation at a time, each calls back once
// from the loop. Destroying it ends what runs, without a call. Of the index it changes the given paths and nothing
// else.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/time.h"
#include "env/world.h"

namespace teamster::engine {

struct CommitRequest {
  std::vector<std::string> paths;  // from the project's directory on
  std::string message;
  std::string step;  // RUN/STEP.ATTEMPT, for the trailer
  Duration limit = limits::kGitCommitMax;
};

struct TagRequest {
  std::string pattern;  // "step-*": the next number; "done": a name that goes with the last commit
  std::string commit;
  std::string step;  // RUN/STEP.ATTEMPT that sets it
};

class Git {
 public:
  template <class T>
  using Done = std::function<void(Result<T>)>;

  virtual ~Git() = default;
  // Not committed, new or gone; all but those at or below `except`. From the project's directory on;
  // a file of the repository outside of it begins with ":/".
  virtual void changed_files(std::vector<std::string> except, Done<std::vector<std::string>> done) = 0;
  // The commit, in short, of a HEAD that is on no branch: what is committed there is easily lost. nullopt: it is on
  // one.
  virtual void detached_at(Done<std::optional<std::string>> done) = 0;
  // The commit that holds the paths as they are now: a new one, or the head when there is nothing
  // to commit. The project's hooks run; one that fails is an error with what it said. What the user
  // has staged elsewhere stays staged and is not committed.
  virtual void commit(CommitRequest request, Done<std::string> done) = 0;
  // A commit with the trailer of this step, after `since` (empty: from the first on).
  virtual void find_commit(std::string step, std::string since, Done<std::optional<std::string>> done) = 0;
  // Puts a tag on the commit and returns its name: "step-*" takes the next number. A tag that fits
  // and is there already is returned. A name that a run of the same workflow has put elsewhere moves;
  // one that is somebody else's stays, and the tag is "done-2".
  virtual void tag(TagRequest request, Done<std::string> done) = 0;
};

// Which git works in a project.
using OpenGit = std::function<std::unique_ptr<Git>(const env::World& world, const std::string& project)>;

}  // namespace teamster::engine
