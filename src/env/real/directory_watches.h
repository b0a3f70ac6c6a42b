// DirectoryWatches: who wants to know about changes in which directory, on one inotify
// descriptor that is opened with the first watch. Owned by RealFiles; driven by the
// loop. Any number of changes in one turn is one call.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/result.h"
#include "env/real/epoll_loop.h"

namespace teamster::env::real {

class DirectoryWatches {
 public:
  explicit DirectoryWatches(EpollLoop& loop) : loop_(loop) {}
  DirectoryWatches(const DirectoryWatches&) = delete;
  DirectoryWatches& operator=(const DirectoryWatches&) = delete;

  Result<Registration> add(const std::string& directory, std::function<void()> changed);

 private:
  struct Watcher {
    int directory = -1;  // inotify's number; the same for all watchers of one directory
    std::shared_ptr<const std::function<void()>> changed;
  };

  Result<void> open();
  void remove(std::uint64_t id);
  void on_ready();
  // Numbers of the directories that changed; empties the descriptor.
  std::set<int> read_changes(bool& lost_some);

  EpollLoop& loop_;
  Descriptor inotify_;
  Registration watch_;
  std::map<std::uint64_t, Watcher> watchers_;
  std::uint64_t last_id_ = 0;
};

}  // namespace teamster::env::real
