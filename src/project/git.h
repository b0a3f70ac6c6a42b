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
#include "project/git_output.h"
#include "project/program.h"
#include "env/loop.h"
#include "env/world.h"

namespace teamster::engine {

// The trailer by which a commit is found again after a crash.
inline constexpr const char* kStepTrailer = "Teamster-Step";

struct CommitRequest {
  std::vector<std::string> paths;  // from the project's directory on
  std::string message;
  std::string step;  // RUN/STEP.ATTEMPT, for the trailer
  Duration limit = limits::kGitCommitMax;
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
  // The commit that holds the paths as they are now: a new one, or the head when there is nothing
  // to commit. The project's hooks run; one that fails is an error with what it said. What the user
  // has staged elsewhere stays staged and is not committed.
  void commit(CommitRequest request, Done<std::string> done);
  // A commit with the trailer of this step, after `since` (empty: from the first on).
  void find_commit(std::string step, std::string since, Done<std::optional<std::string>> done);
  void tags(Done<std::vector<GitTag>> done);
  // Puts a tag on the commit and returns its name: "step-*" takes the next number. A tag that fits
  // and is there already is returned; a name that is elsewhere is refused.
  void tag(std::string pattern, std::string commit, Done<std::string> done);

 private:
  struct Committing;
  using Work = std::shared_ptr<Committing>;
  using Ran = Result<ProgramOutcome>;

  void run(std::vector<std::string> arguments, Duration limit, std::function<void(Ran)> then);
  void look(std::vector<std::string> arguments, std::function<void(Ran)> then);
  void settle(std::function<void()> callback);
  void list_changes(const std::string& prefix, const Done<std::vector<std::string>>& done);

  void choose_paths(const Work& work, const std::vector<std::string>& changed);
  void choose_identity(const Work& work);
  void stage(const Work& work);
  void commit_if_staged(const Work& work);
  void make_commit(const Work& work);
  void finish_with_head(const Work& work);
  void try_tag(const std::string& pattern, const std::string& commit, int tries_left, const Done<std::string>& done);
  void make_tag(const std::string& pattern, const std::string& name, const std::string& commit, int tries_left,
                const Done<std::string>& done);

  env::World world_;
  const std::string project_;
  std::unique_ptr<Program> program_;
  env::Timer settling_;
};

}  // namespace teamster::engine
