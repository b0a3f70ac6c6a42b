#include "env/real/file_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <vector>

namespace teamster::env::real {
namespace {

struct OpenDirectory {
  std::unique_ptr<DIR, int (*)(DIR*)> handle{nullptr, ::closedir};
  std::string name;  // in the one above it
};

// Deeper trees than this are not ours, and each level holds a descriptor.
constexpr std::size_t kDepthMax = 256;

// 0: removed or absent. EISDIR: it is a directory and needs opening first.
int unlink_one(int parent, const char* name) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return 0;
  // POSIX says EPERM for a directory, Linux EISDIR; only opening it tells for sure.
  return errno == EPERM ? EISDIR : errno;
}

int open_below(int parent, const std::string& name, std::vector<OpenDirectory>& stack) {
  if (stack.size() >= kDepthMax) return ELOOP;
  const int fd = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? 0 : errno == ENOTDIR ? EPERM : errno;
  OpenDirectory directory;
  directory.handle.reset(::fdopendir(fd));
  directory.name = name;
  if (!directory.handle) {
    const int error_number = errno;
    ::close(fd);
    return error_number;
  }
  stack.push_back(std::move(directory));
  return 0;
}

int parent_of_top(const std::vector<OpenDirectory>& stack) {
  return stack.size() > 1 ? ::dirfd(stack[stack.size() - 2].handle.get()) : AT_FDCWD;
}

// Removes the empty directory at the top.
int close_top(std::vector<OpenDirectory>& stack) {
  const int parent = parent_of_top(stack);
  const std::string name = std::move(stack.back().name);
  stack.pop_back();
  return ::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

int step(std::vector<OpenDirectory>& stack) {
  DIR* top = stack.back().handle.get();
  errno = 0;
  const dirent* entry = ::readdir(top);
  if (entry == nullptr) return errno != 0 ? errno : close_top(stack);
  const std::string name = entry->d_name;
  if (name == "." || name == "..") return 0;
  const int error_number = unlink_one(::dirfd(top), name.c_str());
  return error_number == EISDIR ? open_below(::dirfd(top), name, stack) : error_number;
}

}  // namespace

int remove_file_tree(const std::string& path) {
  int error_number = unlink_one(AT_FDCWD, path.c_str());
  if (error_number != EISDIR) return error_number == ENOTDIR ? 0 : error_number;
  // A stack of our own instead of recursion: the depth of a tree is not ours to trust.
  std::vector<OpenDirectory> stack;
  error_number = open_below(AT_FDCWD, path, stack);
  while (error_number == 0 && !stack.empty()) error_number = step(stack);
  return error_number;
}

}  // namespace teamster::env::real
