#include "env/lineage.h"

#include <fmt/format.h>

namespace teamster::env {
namespace {

// Deeper than anything but an attempt to tire us.
constexpr int kAncestorsMax = 4096;
constexpr int kWalksMax = 5;

constexpr const char* kDirectoryFlag = "--directory";
constexpr const char* kHomeFlag = "--home";

// Device and inode of a directory: what it is, whatever it is called. Empty when it is not there.
std::string mark_of(Files& files, const std::string& directory) {
  const auto status = files.status(directory);
  if (!status || !*status || (*status)->inode == 0) return {};
  return fmt::format("{}:{}", (*status)->device, (*status)->inode);
}

// What a keeper was told about its home.
struct KeptHome {
  std::string path;
  std::string mark;
};

KeptHome home_in(const std::vector<std::string>& arguments) {
  KeptHome home;
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == kHomeFlag) home.path = arguments[i + 1];
    if (arguments[i] == kDirectoryFlag) home.mark = arguments[i + 1];
  }
  return home;
}

// The same by name, or the same directory under another name: one that was moved, or that a link leads to.
bool is_of_home(Files& files, const KeptHome& kept, const std::string& home) {
  if (kept.path.empty() || kept.path == home) return true;
  const std::string mark = mark_of(files, home);
  return !mark.empty() && (mark == kept.mark || mark == mark_of(files, kept.path));
}

// nullopt: something has ended meanwhile, and it has to be looked at again.
std::optional<Lineage> walk(Processes& processes, Files& files, const ProcessIdentity& process,
                            const std::string& home) {
  std::int64_t pid = process.pid;
  auto seen = processes.look_at(pid);
  if (!seen || seen->start_ticks != process.start_ticks) return Lineage::uncertain;
  for (int i = 0; i < kAncestorsMax; ++i) {
    if (seen->name == kKeeperName && is_of_home(files, home_in(processes.arguments_of(pid)), home))
      return Lineage::kept;
    if (seen->parent <= 0) return Lineage::free;
    auto parent = processes.look_at(seen->parent);
    if (!parent) {
      // It has ended, and its child has another parent by now; or the system hides it from us, and nothing has changed.
      const auto again = processes.look_at(pid);
      return again && again->parent == seen->parent ? std::optional(Lineage::free) : std::nullopt;
    }
    // Nobody is older than its parent: this is another process, with the number of one that has ended.
    if (parent->start_ticks > seen->start_ticks) return std::nullopt;
    pid = seen->parent;
    seen = std::move(parent);
  }
  return Lineage::uncertain;
}

}  // namespace

std::vector<std::string> keeper_arguments(Files& files, const std::string& home) {
  std::vector<std::string> words = {"teamster", "keeper"};
  if (home.empty()) return words;
  if (const std::string mark = mark_of(files, home); !mark.empty()) words.insert(words.end(), {kDirectoryFlag, mark});
  words.insert(words.end(), {kHomeFlag, home});
  return words;
}

Lineage lineage_of(Processes& processes, Files& files, const ProcessIdentity& process, const std::string& home) {
  for (int i = 0; i < kWalksMax; ++i)
    if (const auto lineage = walk(processes, files, process, home)) return *lineage;
  return Lineage::uncertain;
}

}  // namespace teamster::env
