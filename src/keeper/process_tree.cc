#include "keeper/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "env/real/descriptor.h"

namespace teamster::keeper {
namespace {

// Files of /proc have no size beforehand.
std::string read_whole(const std::string& path) {
  const env::real::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file) return text;
  constexpr std::size_t kMaxBytes = 4UL * 1024 * 1024;
  std::array<char, 16 * 1024> buffer;
  ssize_t got = 0;
  while (text.size() < kMaxBytes && (got = ::read(file.number(), buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), ::closedir);
  if (!directory) return pids;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size()) pids.push_back(pid);
  }
  return pids;
}

// A mark holds a pid, which means something in its own namespace only (a container's
// processes are seen from outside under other numbers).
std::string pid_namespace_of(const std::string& process) {
  std::array<char, 64> buffer;
  const ssize_t length = ::readlink(("/proc/" + process + "/ns/pid").c_str(), buffer.data(), buffer.size());
  return length > 0 ? std::string(buffer.data(), static_cast<std::size_t>(length)) : "";
}

// Threads of the kernel and zombies are none.
bool is_program(pid_t process) {
  char first = 0;
  return ::readlink(fmt::format("/proc/{}/exe", process).c_str(), &first, 1) > 0;
}

}  // namespace

std::string mark_of_keeper(const env::ProcessIdentity& keeper) {
  return fmt::format("{}-{}-{}", keeper.pid, keeper.start_ticks, keeper.boot_id);
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  const std::string text = read_whole(fmt::format("/proc/{0}/task/{0}/children", parent));
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    pid_t pid = 0;
    const auto parsed = std::from_chars(at, end, pid);
    if (parsed.ec != std::errc()) break;
    children.push_back(pid);
    at = parsed.ptr;
    while (at < end && *at == ' ') ++at;
  }
  return children;
}

std::string environment_of(pid_t process) { return read_whole(fmt::format("/proc/{}/environ", process)); }

std::optional<std::string> variable_of(pid_t process, const std::string& name) {
  return variable_in(environment_of(process), name);
}

std::optional<std::string> variable_in(const std::string& environment, const std::string& name) {
  const std::string wanted = name + "=";
  for (std::size_t at = 0; at < environment.size();) {
    const std::string_view entry = std::string_view(environment).substr(at, environment.find('\0', at) - at);
    if (entry.starts_with(wanted)) return std::string(entry.substr(wanted.size()));
    at += entry.size() + 1;
  }
  return std::nullopt;
}

std::vector<pid_t> programs_at(const std::string& name, const std::string& directory) {
  std::vector<pid_t> found;
  for (const pid_t pid : all_processes()) {
    const std::string called = read_whole(fmt::format("/proc/{}/comm", pid));
    if (called != name + "\n" && !called.starts_with(name + "-")) continue;
    std::array<char, PATH_MAX> buffer;
    const ssize_t length = ::readlink(fmt::format("/proc/{}/cwd", pid).c_str(), buffer.data(), buffer.size());
    if (length < 0 && errno != EACCES) continue;  // it has died
    const std::string place(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    const bool is_there = place == directory || place.starts_with(directory + "/") ||
                          read_whole(fmt::format("/proc/{}/cmdline", pid)).find(directory) != std::string::npos;
    if (is_there || length < 0) found.push_back(pid);
  }
  return found;
}

int end_marked(const std::function<bool(const std::string& keeper)>& is_over) {
  std::set<pid_t> ended;
  const std::string here = pid_namespace_of("self");
  constexpr int kUnclearLooksMax = 2;
  int unclear_looks = 0;
  // A process may fork while we look: look again until a look finds nothing new.
  for (bool again = true; again;) {
    bool found = false;
    bool unclear = false;
    for (const pid_t pid : all_processes()) {
      if (pid == ::getpid() || ended.contains(pid)) continue;
      const std::string environment = environment_of(pid);
      unclear = unclear || (environment.empty() && is_program(pid));
      const auto mark = variable_in(environment, kKeeperVariable);
      if (!mark || !is_over(*mark) || pid_namespace_of(std::to_string(pid)) != here || ::kill(pid, SIGKILL) != 0)
        continue;
      ended.insert(pid);
      found = true;
    }
    again = found || (unclear && ++unclear_looks < kUnclearLooksMax);
  }
  return static_cast<int>(ended.size());
}

}  // namespace teamster::keeper
