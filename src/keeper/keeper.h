// Keeper: the small process that owns the children of one host. It starts them, says when
// they end, and leaves nothing of them: not what outlives its parent, not what moved to
// another group or session (it is their subreaper). When the host dies, however, it ends
// all of them and goes. One loop thread.
#pragma once

#include <map>
#include <set>

#include "env/bond.h"
#include "env/real/epoll_loop.h"
#include "keeper/channel.h"
#include "keeper/child_start.h"

namespace teamster::keeper {

class Keeper {
 public:
  // Calls `done` when the host is gone and nothing is left.
  Keeper(env::real::EpollLoop& loop, Channel channel, std::string mark, std::function<void()> done);

 private:
  struct Child {
    pid_t pid = 0;  // its group has the same number; not reaped before the group is empty
    env::real::Descriptor process;
    env::Registration watch;
    bool exited = false;
    bool asked = false;       // SIGTERM was sent to its group
    bool hard = false;        // SIGKILL is sent
    std::set<pid_t> orphans;  // what it left outside of its group; each was asked to go
    int doubts = 0;
    env::Timer harder;
  };

  void take_packets();
  void take(Received received);
  void start(Received received);
  void look_for_exit(std::int64_t id);
  void end(std::int64_t id, Duration grace);
  void host_is_gone();
  void look();
  void look_soon();
  // Whether it is over and nothing is left of it; asks the rest to go, or makes it.
  bool has_gone(std::int64_t id, Child& child, const std::vector<pid_t>& orphans);
  static void reap(const Child& child);
  std::vector<pid_t> orphans() const;
  void tell(const Packet& packet);

  env::real::EpollLoop& loop_;
  Channel channel_;
  const std::string mark_;
  std::function<void()> done_;
  const rlimit limit_;  // for the children: what we found before we raised ours
  std::map<std::int64_t, Child> children_;
  std::set<pid_t> leaders_;        // pids of children_
  std::set<std::int64_t> ending_;  // those that are over or are to end
  bool is_look_posted_ = false;
  env::Registration packets_;
  env::Registration deaths_;
  env::Timer look_again_;
  env::Timer give_up_;
  env::Bond bond_;
  bool host_gone_ = false;
};

// Makes this process a keeper on the channel at descriptor `socket`, and returns when its
// work is done: the exit code.
int run_keeper(int socket);

}  // namespace teamster::keeper
