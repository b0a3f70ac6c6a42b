// EpollLoop: the real Loop, on one epoll descriptor (level triggered). Owned by
// real::World; driven by the thread that calls run. One turn is: ready descriptors,
// due timers, then what was posted before the turn's end. Sleeps in the kernel when
// idle. Registrations must be gone before the loop is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "env/clock.h"
#include "env/loop.h"
#include "env/real/descriptor.h"

struct epoll_event;

namespace teamster::env::real {

class EpollLoop : public Loop {
 public:
  using OnReady = std::function<void(std::uint32_t events)>;

  explicit EpollLoop(const env::Clock& clock);
  ~EpollLoop() override;
  EpollLoop(const EpollLoop&) = delete;
  EpollLoop& operator=(const EpollLoop&) = delete;

  Timer after(Duration delay, Callback callback) override;
  void post(Callback callback) override;
  void stay_awake(Duration time) override;
  void run() override;
  bool run_until(const std::function<bool()>& done) override;
  // The turn that is running is finished first.
  void stop() override { stopped_ = true; }

  // Calls back in every turn in which one of `events` (EPOLLIN, EPOLLOUT) holds, and on
  // EPOLLERR and EPOLLHUP. One watch per descriptor; reset it before closing the descriptor.
  Registration watch_fd(int fd, std::uint32_t events, OnReady on_ready);
  // The watch of `fd` must exist.
  void change_events(int fd, std::uint32_t events);

  // The signal is blocked and read as an event for as long as the registration lives.
  Registration watch_signal(int signal_number, Callback callback);

 private:
  struct Watch {
    std::uint32_t generation = 0;  // tells a reused descriptor number from the one before
    std::shared_ptr<const OnReady> on_ready;
  };
  using TimerKey = std::pair<Instant, std::uint64_t>;

  void turn();
  int wait(std::vector<epoll_event>& events);
  void handle_ready(const epoll_event& event);
  void handle_timers();
  void handle_posted();
  void unwatch(int fd, std::uint32_t generation);
  bool can_wake() const { return watch_count_ > 0 || !timers_.empty() || !posted_.empty(); }

  const env::Clock& clock_;
  Descriptor epoll_;
  std::vector<epoll_event> ready_;  // of one turn; kept, because turns are many
  std::vector<Watch> watches_;      // by descriptor number
  std::size_t watch_count_ = 0;
  std::uint32_t last_generation_ = 0;
  // Ordered instead of a heap: most timers are deadlines that get cancelled, and a heap
  // would keep each of them until it is due.
  std::map<TimerKey, Callback> timers_;
  std::uint64_t last_timer_ = 0;
  std::vector<Callback> posted_;
  Instant awake_until_;
  bool stopped_ = false;
};

}  // namespace teamster::env::real
