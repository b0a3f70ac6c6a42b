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

// What is otherwise in the work tree than it was.
struct TreeChanges {
  std::vector<std::string> paths;  // from the project's directory on
  bool has_head_moved = false;
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
  // Keeps the project's files as they are, ignored ones aside, and the HEAD, under a name that survives a crash. One
  // that is kept under that name already stays. Neither the index nor a branch changes.
  virtual void keep_tree(std::string name, Done<void> done) = 0;
  virtual void changes_since(std::string name, Done<TreeChanges> done) = 0;
  // The paths are again as they were kept, and so is the HEAD if that has moved and is to go back. What they were
  // instead stays: the answer is the name of a commit that has it.
  virtual void put_aside(std::string name, TreeChanges changes, Done<std::string> done) = 0;
  virtual void forget_tree(std::string name, Done<void> done) = 0;
};

// Which git works in a project.
using OpenGit = std::function<std::unique_ptr<Git>(const env::World& world, const std::string& project)>;

}  // namespace teamster::engine
