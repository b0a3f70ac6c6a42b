// SimulatedGit: the Git of the simulated machine. Its repository is a file below `.git` of the project, so it survives
// a kill as far as the simulated disk does. With a file `.git/detached` its HEAD is on no branch but at what that says.
// Every operation takes its time, and a commit holds the lock that the real git would hold: one that is killed leaves
// it. SimulatedGits opens them and knows which are at work; owned by the test.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/files.h"
#include "env/loop.h"
#include "env/world.h"
#include "project/git.h"
#include "project/git_output.h"

namespace teamster::simulation {

struct SimulatedCommit {
  std::string hash;
  std::string message;
  std::string step;                          // of its trailer; empty: none
  std::map<std::string, std::string> files;  // by path, the digest of what is in them
};

// What is on the disk. Each call is done at once.
class SimulatedRepository {
 public:
  SimulatedRepository(env::Files& files, std::string project);

  // Oldest first.
  const std::vector<SimulatedCommit>& log() const { return log_; }
  const std::map<std::string, std::string>& tags() const { return tags_; }
  std::string lock() const { return project_ + "/.git/index.lock"; }

  // With the steps that have set them.
  std::vector<engine::GitTag> marks() const;
  // Paths that are new, changed or gone since the last commit.
  std::vector<std::string> changed() const;
  // The hash of the head where there is no path.
  std::string commit(const std::vector<std::string>& paths, const std::string& message, const std::string& step);
  void tag(const std::string& name, const std::string& hash);
  // By path, what is in the files.
  std::map<std::string, std::string> contents() const;
  std::string head() const { return log_.empty() ? "" : log_.back().hash; }

 private:
  std::string file() const { return project_ + "/.git/repository.json"; }
  std::map<std::string, std::string> head_files() const;
  void gather(const std::string& below, std::map<std::string, std::string>& found) const;
  void write();

  env::Files& files_;
  const std::string project_;
  std::vector<SimulatedCommit> log_;
  std::map<std::string, std::string> tags_;
};

class SimulatedGit;

class SimulatedGits {
 public:
  std::unique_ptr<engine::Git> open(const env::World& world, const std::string& project);
  // Whether one is at work whose process lives.
  bool is_at_work() const;

 private:
  friend class SimulatedGit;
  std::set<const SimulatedGit*> working_;
};

class SimulatedGit : public engine::Git {
 public:
  SimulatedGit(SimulatedGits& gits, const env::World& world, std::string project)
      : gits_(gits), world_(world), project_(std::move(project)) {}
  ~SimulatedGit() override { gits_.working_.erase(this); }

  bool is_alive() const;

  void changed_files(std::vector<std::string> except, Done<std::vector<std::string>> done) override;
  void detached_at(Done<std::optional<std::string>> done) override;
  void commit(engine::CommitRequest request, Done<std::string> done) override;
  void find_commit(std::string step, std::string since, Done<std::optional<std::string>> done) override;
  void tag(engine::TagRequest request, Done<std::string> done) override;
  void keep_tree(std::string name, Done<void> done) override;
  void changes_since(std::string name, Done<engine::TreeChanges> done) override;
  void put_aside(std::string name, engine::TreeChanges changes, Done<std::string> done) override;
  void forget_tree(std::string name, Done<void> done) override;

 private:
  std::string kept_file(std::string name) const;
  std::map<std::string, std::string> kept_tree(const std::string& name) const;
  SimulatedRepository repository() const { return {world_.files, project_}; }
  void later(env::Callback callback);
  template <class T>
  void answer(const Done<T>& done, Result<T> outcome);
  void make_commit(const engine::CommitRequest& request, const Done<std::string>& done);

  SimulatedGits& gits_;
  const env::World world_;
  const std::string project_;
  env::Timer timer_;
};

}  // namespace teamster::simulation
