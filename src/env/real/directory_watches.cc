#include "env/real/directory_watches.h"

#include <sys/epoll.h>
#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "env/file_error.h"

namespace teamster::env::real {
namespace {

constexpr std::uint32_t kChanges =
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF;

}  // namespace

Result<void> DirectoryWatches::open() {
  if (!inotify_) inotify_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_) return fail(file_error(errno, "watch", "directories"));
  if (!watch_) watch_ = loop_.watch_fd(inotify_.number(), EPOLLIN, [this](std::uint32_t) { on_ready(); });
  return {};
}

Result<Registration> DirectoryWatches::add(const std::string& directory, std::function<void()> changed) {
  TRY_VOID(open());
  const int number = ::inotify_add_watch(inotify_.number(), directory.c_str(), kChanges | IN_ONLYDIR);
  if (number < 0) {
    Error error = file_error(errno, "watch", directory);
    // ENOSPC is about the number of watches here, not about the disk.
    if (errno == ENOSPC) error.next = "Raise the sysctl fs.inotify.max_user_watches";
    if (watchers_.empty()) watch_.reset();
    return fail(std::move(error));
  }
  const std::uint64_t id = ++last_id_;
  watchers_[id] = Watcher{number, std::make_shared<const std::function<void()>>(std::move(changed))};
  return Registration([this, id] { remove(id); });
}

void DirectoryWatches::remove(std::uint64_t id) {
  auto node = watchers_.extract(id);
  const int number = node.mapped().directory;
  const bool is_shared = std::any_of(watchers_.begin(), watchers_.end(),
                                     [&](const auto& entry) { return entry.second.directory == number; });
  // Fails harmlessly when the directory is gone already.
  if (!is_shared) ::inotify_rm_watch(inotify_.number(), number);
  // With nobody left the loop need not stay awake for us.
  if (watchers_.empty()) watch_.reset();
}

std::set<int> DirectoryWatches::read_changes(bool& lost_some) {
  std::set<int> changed;
  alignas(inotify_event) std::array<char, 16 * 1024> buffer;
  ssize_t got = 0;
  while ((got = ::read(inotify_.number(), buffer.data(), buffer.size())) > 0) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      at += sizeof(event) + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) lost_some = true;
      // IN_IGNORED only confirms that a watch was taken back, or follows IN_DELETE_SELF.
      if ((event.mask & IN_IGNORED) == 0) changed.insert(event.wd);
    }
  }
  return changed;
}

void DirectoryWatches::on_ready() {
  bool lost_some = false;
  const std::set<int> changed = read_changes(lost_some);
  std::vector<std::uint64_t> ids;
  for (const auto& [id, watcher] : watchers_)
    if (lost_some || changed.contains(watcher.directory)) ids.push_back(id);
  for (const std::uint64_t id : ids) {
    // An earlier callback may have taken this watch back; it may also take back its own.
    const auto found = watchers_.find(id);
    if (found == watchers_.end()) continue;
    const auto callback = found->second.changed;
    (*callback)();
  }
}

}  // namespace teamster::env::real
