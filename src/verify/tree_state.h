// TreeState: what git and the disk say of a repository's tree: its HEAD, and each file that is not as committed. Two of
// them say which paths were changed between the looks. A value; what git prints is parsed here. Files that git ignores
// are not in it: a check may build.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/files.h"

namespace teamster::verify {

// A file by what it is, whatever it is called: device and inode.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;

struct TreeState {
  std::string head;                          // commit and branch
  std::map<std::string, std::string> paths;  // with what distinguishes this state of the file from another one

  bool operator==(const TreeState&) const = default;
};

// Of `git status` with kStatusArguments in the root; stats the files that it names. `ours` are left out: what this
// process itself writes, such as its standard output in a file of the tree.
Result<TreeState> read_tree_state(std::string_view status, env::Files& files, const std::string& root,
                                  const std::set<FileIdentity>& ours);
std::vector<std::string> status_arguments(const std::string& git);

// Paths that differ, and "HEAD" when that does; sorted, at most kTreePathsNamedMax and then how many more.
std::vector<std::string> changes_between(const TreeState& before, const TreeState& after);

}  // namespace teamster::verify
