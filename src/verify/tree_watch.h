// TreeWatch: looks at the tree of a repository, one look at a time, by the git program. Owned by whoever watches;
// driven by the loop. Destroying it ends the look, without a call.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/later.h"
#include "env/world.h"
#include "verify/bounded_program.h"
#include "verify/tree_state.h"

namespace teamster::verify {

struct TreePlace {
  std::string git;  // its path
  std::string root;
  std::vector<std::string> environment;
  std::set<FileIdentity> ours = {};
};

class TreeWatch {
 public:
  using Done = std::function<void(Result<TreeState> state)>;

  TreeWatch(const env::World& world, TreePlace place) : world_(world), place_(std::move(place)), later_(world.loop) {}
  TreeWatch(const TreeWatch&) = delete;
  TreeWatch& operator=(const TreeWatch&) = delete;

  // From the loop, once.
  void look(Done done);
  bool is_looking() const { return is_looking_; }

 private:
  void finish(Done done, Result<TreeState> state);
  Result<TreeState> state_of(const ProgramEnd& end);

  env::World world_;
  const TreePlace place_;
  bool is_looking_ = false;
  std::unique_ptr<BoundedProgram> program_;
  env::Later later_;
};

}  // namespace teamster::verify
