// TreeWatch: whether members change only what their roles may write. The project's files are kept by git before the
// turn of a role with `writes` and compared after it; what it has changed elsewhere is put back, and kept aside under a
// name that the user is told. A path that nobody at work then may write is charged to all of them; one that somebody
// may write is theirs. A project without git is not watched. Owned by RunEffects; on its loop. After a crash the tree
// that was kept before the turn still counts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "env/world.h"
#include "project/git.h"
#include "workflow/core/events.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

class TreeWatch {
 public:
  using Compared = std::function<void(std::optional<workflow::event::Strayed>)>;

  TreeWatch(const env::World& world, OpenGit open_git, std::string project, std::string run);

  // Before the turn with this effect id.
  void begin(const std::string& id, const workflow::Role& role, const std::function<void()>& then);
  // After it; calls back with what it has changed and may not, if anything.
  void end(const std::string& id, const Compared& compared);
  void drop(const std::string& id) { watched_.erase(id); }
  // The engine itself writes at this path or below it, whoever is at work meanwhile.
  void add_own(std::string path) { own_.insert(std::move(path)); }

 private:
  struct Watched {
    workflow::Role role;
    std::vector<workflow::Role> others;  // at work at the same time
    std::set<std::string> charged;       // found when the turn of another ended
    bool is_kept = false;
    std::unique_ptr<Git> git;
  };

  std::string name_of(const std::string& id) const { return run_ + "/" + id; }
  void found(const std::string& id, TreeChanges changes, const Compared& compared);
  void finish(const std::string& id, const std::string& aside, const Compared& compared);
  void forget(std::string id, std::optional<workflow::event::Strayed> strayed, Compared compared);

  env::World world_;
  const OpenGit open_git_;
  const std::string project_;
  const std::string run_;
  std::map<std::string, Watched> watched_;
  std::set<std::string> own_;
};

}  // namespace teamster::engine
