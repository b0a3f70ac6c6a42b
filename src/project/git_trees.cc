// The part of GitProgram that keeps the files of a work tree and compares them with later: as trees of git's own, made
// with a copy of its index, so that only what changed is read.
#include <fmt/format.h>

#include "base/text.h"
#include "env/files.h"
#include "project/git_error.h"
#include "project/git_program.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kIndexMaxBytes = std::size_t{512} << 20U;
constexpr std::size_t kPathsAtOnce = 500;

std::string kept(const std::string& name) { return "refs/teamster/kept/" + name; }
std::string aside(const std::string& name) { return "refs/teamster/aside/" + name; }

std::string as_file_name(std::string name) {
  for (char& c : name)
    if (c == '/') c = '-';
  return name;
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find('\0'), list.size());
    if (end > 0) names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

}  // namespace

void GitProgram::leave_own_index() {
  if (own_index_.empty()) return;
  (void)world_.files.remove_tree(own_index_);
  own_index_.clear();
}

void GitProgram::write_tree(const std::string& name, Done<std::string> then) {
  look({"rev-parse", "--absolute-git-dir"}, [=, this](Ran ran) {
    if (!ran) return then(fail(ran.error()));
    if (!ran->succeeded()) return then(fail(git_error("rev-parse", project_, *ran)));
    const std::string directory(trimmed(ran->answer));
    const auto index = world_.files.read(directory + "/index", kIndexMaxBytes);
    const std::string own = fmt::format("{}/teamster-index-{}", directory, as_file_name(name));
    (void)world_.files.remove_tree(own);
    if (index)
      if (auto copied = world_.files.write_atomically(own, *index, 0600); !copied) return then(fail(copied.error()));
    own_index_ = own;
    add_and_write(then);
  });
}

void GitProgram::add_and_write(Done<std::string> then) {
  run({"add", "--all", "--", "."}, limits::kGitCommitMax, [=, this](Ran added) {
    if (!added) return then(fail(added.error()));
    if (!added->succeeded()) return then(fail(git_error("add", project_, *added)));
    look({"write-tree"}, [=, this](Ran written) {
      if (!written) return then(fail(written.error()));
      if (!written->succeeded()) return then(fail(git_error("write-tree", project_, *written)));
      then(std::string(trimmed(written->answer)));
    });
  });
}

void GitProgram::commit_tree(const std::string& tree, const std::string& reference, Done<std::string> done) {
  head([=, this](Result<std::optional<std::string>> found) {
    if (!found) return done(fail(found.error()));
    std::vector<std::string> words = {"-c", "user.name=teamster", "-c", "user.email=teamster@localhost"};
    words.insert(words.end(), {"commit-tree", "-m", "kept by teamster: " + reference, tree});
    if (*found) words.insert(words.end(), {"-p", **found});
    look(std::move(words), [=, this](Ran made) {
      if (!made) return done(fail(made.error()));
      if (!made->succeeded()) return done(fail(git_error("commit-tree", project_, *made)));
      const std::string hash(trimmed(made->answer));
      look({"update-ref", reference, hash}, [=, this](Ran set) {
        if (!set) return done(fail(set.error()));
        if (!set->succeeded()) return done(fail(git_error("update-ref", project_, *set)));
        done(hash);
      });
    });
  });
}

void GitProgram::keep_tree(std::string name, Done<void> done) {
  look({"rev-parse", "--verify", "--quiet", kept(name)}, [=, this](Ran ran) {
    if (!ran) return done(fail(ran.error()));
    if (ran->succeeded()) return done({});
    write_tree(name, [=, this](const Result<std::string>& tree) {
      if (!tree) {
        leave_own_index();
        return done(fail(tree.error()));
      }
      commit_tree(*tree, kept(name), [=, this](const Result<std::string>& made) {
        leave_own_index();
        done(made ? Result<void>() : Result<void>(fail(made.error())));
      });
    });
  });
}

void GitProgram::changes_since(std::string name, Done<TreeChanges> done) {
  write_tree(name, [=, this](const Result<std::string>& tree) {
    leave_own_index();
    if (!tree) return done(fail(tree.error()));
    look({"diff-tree", "-r", "-z", "--no-renames", "--name-only", "--relative", kept(name), *tree}, [=, this](Ran ran) {
      if (!ran) return done(fail(ran.error()));
      if (!ran->succeeded()) return done(fail(git_error("diff-tree", project_, *ran)));
      compare_heads(name, names_in(ran->answer), done);
    });
  });
}

void GitProgram::compare_heads(const std::string& name, std::vector<std::string> paths, const Done<TreeChanges>& done) {
  look({"rev-parse", "--verify", "--quiet", kept(name) + "^"}, [=, this](Ran ran) {
    if (!ran) return done(fail(ran.error()));
    const std::string before(trimmed(ran->answer));
    head([=](const Result<std::optional<std::string>>& now) {
      if (!now) return done(fail(now.error()));
      done(TreeChanges{paths, now->value_or("") != before});
    });
  });
}

void GitProgram::put_aside(std::string name, TreeChanges changes, Done<std::string> done) {
  write_tree(name, [=, this](const Result<std::string>& tree) {
    if (!tree) {
      leave_own_index();
      return done(fail(tree.error()));
    }
    commit_tree(*tree, aside(name), [=, this](const Result<std::string>& made) {
      if (made) return restore(name, changes, *made, done);
      leave_own_index();
      done(fail(made.error()));
    });
  });
}

// In parts: a command line has its limits.
void GitProgram::restore(const std::string& name, const TreeChanges& changes, const std::string& kept_aside,
                         const Done<std::string>& done) {
  const auto finish = [=, this](const char* what, const Ran& ran) {
    leave_own_index();
    if (!ran) return done(fail(ran.error()));
    if (!ran->succeeded()) return done(fail(git_error(what, project_, *ran)));
    done(kept_aside);
  };
  if (!changes.paths.empty()) {
    TreeChanges left = changes;
    const auto end = left.paths.begin() + static_cast<std::ptrdiff_t>(std::min(kPathsAtOnce, left.paths.size()));
    std::vector<std::string> words = {"restore", "--source=" + kept(name), "--worktree", "--"};
    words.insert(words.end(), left.paths.begin(), end);
    left.paths.erase(left.paths.begin(), end);
    return run(std::move(words), limits::kGitCommitMax, [=, this](const Ran& ran) {
      if (!ran || !ran->succeeded()) return finish("restore", ran);
      restore(name, left, kept_aside, done);
    });
  }
  leave_own_index();
  if (!changes.has_head_moved) return settle([=] { done(kept_aside); });
  look({"reset", "--quiet", kept(name) + "^"}, [=](const Ran& ran) { finish("reset", ran); });
}

void GitProgram::forget_tree(std::string name, Done<void> done) {
  look({"update-ref", "-d", kept(name)}, [=, this](const Ran& ran) {
    if (!ran) return done(fail(ran.error()));
    if (!ran->succeeded()) return done(fail(git_error("update-ref", project_, *ran)));
    done({});
  });
}

}  // namespace teamster::engine
