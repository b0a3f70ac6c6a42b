// GitProgram: the Git of the real world: each operation is one or more runs of the `git` on PATH in the project's
// directory. Owned by whoever needs it; driven by the loop.
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
#include "project/git.h"
#include "project/git_output.h"
#include "project/program.h"

namespace teamster::engine {

class GitProgram : public Git {
 public:
  GitProgram(const env::World& world, std::string project);
  GitProgram(const GitProgram&) = delete;
  GitProgram& operator=(const GitProgram&) = delete;

  void is_repository(Done<bool> done);
  // nullopt before the first commit.
  void head(Done<std::optional<std::string>> done);
  void tags(Done<std::vector<GitTag>> done);

  void changed_files(std::vector<std::string> except, Done<std::vector<std::string>> done) override;
  void detached_at(Done<std::optional<std::string>> done) override;
  void commit(CommitRequest request, Done<std::string> done) override;
  void find_commit(std::string step, std::string since, Done<std::optional<std::string>> done) override;
  void tag(TagRequest request, Done<std::string> done) override;
  void keep_tree(std::string name, Done<void> done) override;
  void changes_since(std::string name, Done<TreeChanges> done) override;
  void put_aside(std::string name, TreeChanges changes, Done<std::string> done) override;
  void forget_tree(std::string name, Done<void> done) override;

 private:
  struct Committing;
  struct Tagging;
  using Work = std::shared_ptr<Committing>;
  using Mark = std::shared_ptr<Tagging>;
  using Ran = Result<ProgramOutcome>;

  void run(std::vector<std::string> arguments, Duration limit, std::function<void(Ran)> then);
  void look(std::vector<std::string> arguments, std::function<void(Ran)> then);
  void settle(std::function<void()> callback);
  // Trees, see git_trees.cc. `then` gets the hash of a tree that is the project's files as they are; meanwhile git
  // works with an index of our own.
  void write_tree(const std::string& name, Done<std::string> then);
  void add_and_write(Done<std::string> then);
  void commit_tree(const std::string& tree, const std::string& reference, Done<std::string> done);
  void compare_heads(const std::string& name, std::vector<std::string> paths, const Done<TreeChanges>& done);
  void restore(const std::string& name, const TreeChanges& changes, const std::string& aside,
               const Done<std::string>& done);
  void leave_own_index();
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
  std::string own_index_;  // path of the index that git works with instead of the project's; empty: with that
};

std::unique_ptr<Git> open_git_program(const env::World& world, const std::string& project);

}  // namespace teamster::engine
