#include "env/real/epoll_loop.h"

#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>

#include "base/check.h"

namespace teamster::env::real {
namespace {

std::uint64_t token(int fd, std::uint32_t generation) {
  return (static_cast<std::uint64_t>(generation) << 32U) | static_cast<std::uint32_t>(fd);
}

// epoll_pwait2 has nanoseconds but is missing before Linux 5.11 and in some sandboxes;
// the old call rounds up, so that a timer is never early and never makes the loop spin.
int wait_for_events(int epoll, std::vector<epoll_event>& events, std::optional<Duration> timeout) {
  const int capacity = static_cast<int>(events.size());
  timespec span{};
  if (timeout) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*timeout);
    span = {.tv_sec = seconds.count(), .tv_nsec = (*timeout - seconds).count()};
  }
  const int ready = ::epoll_pwait2(epoll, events.data(), capacity, timeout ? &span : nullptr, nullptr);
  if (ready >= 0 || (errno != ENOSYS && errno != EPERM)) return ready;
  constexpr Duration kLongest = std::chrono::hours(24);
  const auto ms = timeout ? std::chrono::ceil<std::chrono::milliseconds>(std::min(*timeout, kLongest)).count() : -1;
  return ::epoll_wait(epoll, events.data(), capacity, static_cast<int>(ms));
}

}  // namespace

// A process that cannot get this one descriptor at its start cannot do anything else either.
EpollLoop::EpollLoop(const env::Clock& clock) : clock_(clock), epoll_(::epoll_create1(EPOLL_CLOEXEC)) { CHECK(epoll_); }

EpollLoop::~EpollLoop() = default;

Timer EpollLoop::after(Duration delay, Callback callback) {
  const Instant now = clock_.now();
  // A huge delay must not wrap around into the past.
  const Duration longest = Instant::max() - now;
  const TimerKey key{now + std::clamp(delay, Duration::zero(), longest), ++last_timer_};
  timers_.emplace(key, std::move(callback));
  return Timer([this, key] { timers_.erase(key); });
}

void EpollLoop::post(Callback callback) { posted_.push_back(std::move(callback)); }

void EpollLoop::stay_awake(Duration time) { awake_until_ = clock_.now() + time; }

void EpollLoop::run() {
  run_until([] { return false; });
}

bool EpollLoop::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (stopped_ || !can_wake()) {
      stopped_ = false;
      return false;
    }
    turn();
  }
  stopped_ = false;
  return true;
}

void EpollLoop::turn() {
  // Room for every watch, so that "all ready input" is really all of it.
  if (ready_.size() < watch_count_ || ready_.empty()) ready_.resize(std::max<std::size_t>(watch_count_, 1));
  const int ready = wait(ready_);
  for (int i = 0; i < ready; ++i) handle_ready(ready_[static_cast<std::size_t>(i)]);
  handle_timers();
  handle_posted();
}

int EpollLoop::wait(std::vector<epoll_event>& events) {
  const Instant sleep_from = timers_.empty() ? awake_until_ : std::min(awake_until_, timers_.begin()->first.first);
  while (posted_.empty() && clock_.now() < sleep_from) {
    const int ready = wait_for_events(epoll_.number(), events, Duration::zero());
    if (ready > 0) return ready;
    // Who is to answer may need this processor.
    ::sched_yield();
  }
  std::optional<Duration> timeout;
  if (!posted_.empty()) {
    timeout = Duration::zero();
  } else if (!timers_.empty()) {
    timeout = std::max(timers_.begin()->first.first - clock_.now(), Duration::zero());
  }
  const int ready = wait_for_events(epoll_.number(), events, timeout);
  CHECK(ready >= 0 || errno == EINTR);
  return ready;
}

void EpollLoop::handle_ready(const epoll_event& event) {
  const auto fd = static_cast<std::uint32_t>(event.data.u64);
  const auto generation = static_cast<std::uint32_t>(event.data.u64 >> 32U);
  // An earlier callback of this batch may have taken the watch back.
  const Watch& watch = watches_[fd];
  if (watch.generation != generation || !watch.on_ready) return;
  // Kept while it runs: it may take its own watch back.
  const auto on_ready = watch.on_ready;
  (*on_ready)(event.events);
}

void EpollLoop::handle_timers() {
  if (timers_.empty()) return;
  const Instant now = clock_.now();
  // A timer set by a timer waits for the next turn, also with no delay: input comes first.
  const std::uint64_t last_of_this_turn = last_timer_;
  while (!timers_.empty()) {
    const auto first = timers_.begin();
    if (first->first.first > now || first->first.second > last_of_this_turn) return;
    auto node = timers_.extract(first);
    node.mapped()();
  }
}

void EpollLoop::handle_posted() {
  // What these post runs in the next turn, so that input cannot be starved.
  std::vector<Callback> posted;
  posted.swap(posted_);
  for (const auto& callback : posted) callback();
}

Registration EpollLoop::watch_fd(int fd, std::uint32_t events, OnReady on_ready) {
  CHECK(fd >= 0);
  const auto index = static_cast<std::size_t>(fd);
  if (watches_.size() <= index) watches_.resize(index + 1);
  Watch& watch = watches_[index];
  CHECK(!watch.on_ready);
  watch.generation = ++last_generation_;
  watch.on_ready = std::make_shared<const OnReady>(std::move(on_ready));
  epoll_event event{.events = events, .data = {.u64 = token(fd, watch.generation)}};
  CHECK(::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, fd, &event) == 0);
  ++watch_count_;
  return Registration([this, fd, generation = watch.generation] { unwatch(fd, generation); });
}

void EpollLoop::change_events(int fd, std::uint32_t events) {
  CHECK(fd >= 0 && static_cast<std::size_t>(fd) < watches_.size());
  const Watch& watch = watches_[static_cast<std::size_t>(fd)];
  CHECK(watch.on_ready);
  epoll_event event{.events = events, .data = {.u64 = token(fd, watch.generation)}};
  CHECK(::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, fd, &event) == 0);
}

void EpollLoop::unwatch(int fd, std::uint32_t generation) {
  Watch& watch = watches_[static_cast<std::size_t>(fd)];
  CHECK(watch.generation == generation && watch.on_ready);
  CHECK(::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, fd, nullptr) == 0);
  --watch_count_;
  // Moved out first: destroying what the callback captured may come back to this table.
  const auto dropped = std::move(watch.on_ready);
}

Registration EpollLoop::watch_signal(int signal_number, Callback callback) {
  sigset_t only{};
  sigset_t before{};
  sigemptyset(&only);
  sigaddset(&only, signal_number);
  CHECK(::pthread_sigmask(SIG_BLOCK, &only, &before) == 0);
  auto source = std::make_shared<Descriptor>(::signalfd(-1, &only, SFD_NONBLOCK | SFD_CLOEXEC));
  CHECK(*source);
  auto read_and_call = [fd = source->number(), callback = std::move(callback)](std::uint32_t) {
    signalfd_siginfo received{};
    if (::read(fd, &received, sizeof(received)) == sizeof(received)) callback();
  };
  auto watch = std::make_shared<Registration>(watch_fd(source->number(), EPOLLIN, std::move(read_and_call)));
  const bool was_blocked = sigismember(&before, signal_number) == 1;
  return Registration([source, watch, only, was_blocked] {
    watch->reset();
    source->reset();
    if (!was_blocked) ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  });
}

}  // namespace teamster::env::real
