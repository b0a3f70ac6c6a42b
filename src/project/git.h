// Git: what the engine does to the repository of the user's project, by the git program. Owned
// by whoever needs it; one operation at a time, each calls back once from the loop. Destroying
// it ends what runs, without a call. Of the index it changes the given paths and nothing else.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "env/loop.h"
#include "env/world.h"
#include "project/git_output.h"
#include "project/program.h"

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

  Git(const env::World& world, std::string project);
  Git(const Git&) = delete;
  Git& operator=(const Git&) = delete;

  void is_repository(Done<bool> done);
  // Not committed, new or gone; all but those at or below `except`. From the project's directory on;
  // a file of the repository outside of it begins with ":/".
  void changed_files(std::vector<std::string> except, Done<std::vector<std::string>> done);
  // nullopt before the first commit.
  void head(Done<std::optional<std::string>> done);
  // The commit, in short, of a HEAD that is on no branch: what is committed there is easily lost. nullopt: it is on
  // one.
  void detached_at(Done<std::optional<std::string>> done);
  // The commit that holds the paths as they are now: a new one, or the head when there is nothing
  // to commit. The project's hooks run; one that fails is an error with what it said. What the user
  // has staged elsewhere stays staged and is not committed.
  void commit(CommitRequest request, Done<std::string> done);
  // A commit with the trailer of this step, after `since` (empty: from the first on).
  void find_commit(std::string step, std::string since, Done<std::optional<std::string>> done);
  void tags(Done<std::vector<GitTag>> done);
  // Puts a tag on the commit and returns its name: "step-*" takes the next number. A tag that fits
  // and is there already is returned. A name that a run of the same workflow has put elsewhere moves;
  // one that is somebody else's stays, and the tag is "done-2".
  void tag(TagRequest request, Done<std::string> done);

 private:
  struct Committing;
  struct Tagging;
  using Work = std::shared_ptr<Committing>;
  using Mark = std::shared_ptr<Tagging>;
  using Ran = Result<ProgramOutcome>;

  void run(std::vector<std::string> arguments, Duration limit, std::function<void(Ran)> then);
  void look(std::vector<std::string> arguments, std::function<void(Ran)> then);
  void settle(std::function<void()> callback);
  void list_changes(const std::string& prefix, const Done<std::vector<std::string>>& done);

  void choose_paths(const Work& work, const std::vector<std::string>& changed);
  // Options for git where the user has told it no name.
  void choose_identity(const Done<std::vector<std::string>>& done);
  void stage(const Work& work);
  void commit_if_staged(const Work& work);
  void make_commit(const Work& work);
  void finish_with_head(const Work& work);
  void try_tag(const Mark& mark);
  void make_tag(const Mark& mark, const TagPlace& place);
  void annotate(const Mark& mark, const TagPlace& place);
  void put_tag(const Mark& mark, const TagPlace& place, std::vector<std::string> words);

  env::World world_;
  const std::string project_;
  std::unique_ptr<Program> program_;
  env::Timer settling_;
};

}  // namespace teamster::engine
