#include "verify/tree_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "verify/verify_limits.h"

namespace teamster::verify {
namespace {

// How many fields stand before the path, by the first letter of an entry.
std::size_t fields_before_path(char kind) {
  switch (kind) {
    case '1':
      return 8;
    case 'u':
      return 10;
    case '?':
      return 1;
    default:
      return 0;
  }
}

std::string_view path_of(std::string_view entry, std::size_t fields) {
  std::size_t at = 0;
  for (; fields > 0; --fields) {
    at = entry.find(' ', at);
    if (at == entry.npos) return {};
    ++at;
  }
  return entry.substr(at);
}

}  // namespace

std::vector<std::string> status_arguments(const std::string& git) {
  return {git,
          "--no-optional-locks",
          "-c",
          "core.fsmonitor=false",
          "status",
          "--porcelain=v2",
          "-z",
          "--branch",
          "--no-renames",
          "--untracked-files=all",
          "--ignore-submodules=none"};
}

Result<TreeState> read_tree_state(std::string_view status, env::Files& files, const std::string& root,
                                  const std::set<FileIdentity>& ours) {
  TreeState state;
  while (!status.empty()) {
    const std::size_t end = std::min(status.find('\0'), status.size());
    const std::string_view entry = status.substr(0, end);
    status.remove_prefix(std::min(end + 1, status.size()));
    if (entry.starts_with("# branch.oid ") || entry.starts_with("# branch.head ")) {
      state.head += entry;
      continue;
    }
    if (entry.empty() || entry.starts_with('#')) continue;
    const std::string path(path_of(entry, fields_before_path(entry.front())));
    if (path.empty() || fields_before_path(entry.front()) == 0)
      return fail(Code::failed, fmt::format("cannot read what `git status` says: {}", quoted(entry, 80)));
    // What cannot be looked at is told by git's own words alone.
    const auto found = files.status(root + "/" + path);
    std::string mark(entry.substr(0, entry.size() - path.size()));
    if (found && *found) {
      const env::FileStatus& file = **found;
      if (ours.contains({file.device, file.inode})) continue;
      mark += fmt::format("{} {} {} {} {}", file.mode, file.bytes, file.modified_unix_ms, file.device, file.inode);
    }
    state.paths.emplace(path, std::move(mark));
  }
  return state;
}

std::vector<std::string> changes_between(const TreeState& before, const TreeState& after) {
  std::set<std::string> changed;
  for (const auto& [path, mark] : before.paths)
    if (const auto now = after.paths.find(path); now == after.paths.end() || now->second != mark) changed.insert(path);
  for (const auto& [path, mark] : after.paths)
    if (!before.paths.contains(path)) changed.insert(path);
  std::vector<std::string> named;
  if (before.head != after.head) named.emplace_back("HEAD");
  for (const auto& path : changed) {
    if (named.size() == kTreePathsNamedMax) {
      named.push_back(fmt::format("and {} more", changed.size() + (before.head != after.head) - kTreePathsNamedMax));
      break;
    }
    named.push_back(path);
  }
  return named;
}

}  // namespace teamster::verify
