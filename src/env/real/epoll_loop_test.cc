#include "env/real/epoll_loop.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

#include "env/real/clock.h"

namespace teamster::env::real {
namespace {

using namespace std::chrono_literals;

struct WatchedPipe {
  Descriptor reader, writer;
  WatchedPipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    reader = Descriptor(ends[0]);
    writer = Descriptor(ends[1]);
  }
  void fill() const { EXPECT_EQ(::write(writer.number(), "x", 1), 1); }
  void drain() const {
    char byte = 0;
    EXPECT_EQ(::read(reader.number(), &byte, 1), 1);
  }
};

class EpollLoopTest : public testing::Test {
 protected:
  Clock clock_;
  EpollLoop loop_{clock_};
  std::string order_;
};

TEST_F(EpollLoopTest, ReturnsWhenNothingCanHappen) {
  EXPECT_FALSE(loop_.run_until([] { return false; }));
  EXPECT_TRUE(loop_.run_until([] { return true; }));
}

TEST_F(EpollLoopTest, TimersRunInOrderAndNotEarly) {
  const Instant start = clock_.now();
  Instant late_ran{};
  const Timer late = loop_.after(2ms, [&] {
    order_ += "b";
    late_ran = clock_.now();
  });
  const Timer early = loop_.after(300us, [&] { order_ += "a"; });
  EXPECT_FALSE(loop_.run_until([] { return false; }));
  EXPECT_EQ(order_, "ab");
  EXPECT_GE(late_ran - start, 2ms);
}

TEST_F(EpollLoopTest, WhileAwakeEverythingHappensAsEver) {
  const WatchedPipe pipe;
  const Registration watch = loop_.watch_fd(pipe.reader.number(), EPOLLIN, [&](std::uint32_t) {
    pipe.drain();
    order_ += "i";
  });
  loop_.stay_awake(1h);
  const Timer timer = loop_.after(1ms, [&] {
    order_ += "t";
    pipe.fill();
  });
  loop_.post([&] { order_ += "p"; });
  EXPECT_TRUE(loop_.run_until([&] { return order_ == "pti"; }));
}

TEST_F(EpollLoopTest, HugeDelayDoesNotWrap) {
  const Timer never = loop_.after(Duration::max(), [&] { order_ += "!"; });
  loop_.post([&] { loop_.stop(); });
  loop_.run();
  EXPECT_EQ(order_, "");
}

TEST_F(EpollLoopTest, CancelledTimerDoesNotRunAlsoInTheSameTurn) {
  Timer second;
  const Timer first = loop_.after(0ms, [&] {
    order_ += "1";
    second.reset();
  });
  second = loop_.after(0ms, [&] { order_ += "2"; });
  loop_.run();
  EXPECT_EQ(order_, "1");
}

TEST_F(EpollLoopTest, TimerMayDestroyItself) {
  Timer timer;
  timer = loop_.after(0ms, [&] {
    timer.reset();
    order_ += "x";
  });
  loop_.run();
  EXPECT_EQ(order_, "x");
}

TEST_F(EpollLoopTest, PostRunsAfterAllReadyInput) {
  WatchedPipe one, two;
  one.fill();
  two.fill();
  auto handle = [&](WatchedPipe& pipe) {
    pipe.drain();
    order_ += "i";
    loop_.post([&] { order_ += "p"; });
  };
  const auto first = loop_.watch_fd(one.reader.number(), EPOLLIN, [&](std::uint32_t) { handle(one); });
  const auto second = loop_.watch_fd(two.reader.number(), EPOLLIN, [&](std::uint32_t) { handle(two); });
  EXPECT_TRUE(loop_.run_until([&] { return order_.size() >= 4; }));
  EXPECT_EQ(order_, "iipp");
}

TEST_F(EpollLoopTest, PostingForeverDoesNotStarveInput) {
  WatchedPipe pipe;
  pipe.fill();
  std::function<void()> again = [&] { loop_.post(again); };
  loop_.post(again);
  const auto watch = loop_.watch_fd(pipe.reader.number(), EPOLLIN, [&](std::uint32_t) { loop_.stop(); });
  loop_.run();
  SUCCEED();
}

TEST_F(EpollLoopTest, ReadyWatchTakenBackInTheSameBatchIsNotCalled) {
  WatchedPipe one, two;
  one.fill();
  two.fill();
  Registration first, second;
  first = loop_.watch_fd(one.reader.number(), EPOLLIN, [&](std::uint32_t) {
    order_ += "x";
    first.reset();
    second.reset();
  });
  second = loop_.watch_fd(two.reader.number(), EPOLLIN, [&](std::uint32_t) {
    order_ += "x";
    first.reset();
    second.reset();
  });
  loop_.run();
  EXPECT_EQ(order_, "x");
}

TEST_F(EpollLoopTest, ReusedDescriptorNumberIsNotMistaken) {
  WatchedPipe one;
  auto two = std::make_unique<WatchedPipe>();
  one.fill();
  two->fill();
  Registration first, second;
  int stale_calls = 0;
  first = loop_.watch_fd(one.reader.number(), EPOLLIN, [&](std::uint32_t) {
    first.reset();
    const int number = two->reader.number();
    second.reset();
    two.reset();
    // The lowest free number is the one just closed: a new thing under an old number.
    two = std::make_unique<WatchedPipe>();
    EXPECT_EQ(two->reader.number(), number);
    second = loop_.watch_fd(number, EPOLLIN, [&](std::uint32_t) { ++stale_calls; });
    loop_.post([&] { loop_.stop(); });
  });
  second = loop_.watch_fd(two->reader.number(), EPOLLIN, [&](std::uint32_t) {});
  loop_.run();
  EXPECT_EQ(stale_calls, 0);
}

TEST_F(EpollLoopTest, ChangesEvents) {
  WatchedPipe pipe;
  const auto watch = loop_.watch_fd(pipe.writer.number(), 0, [&](std::uint32_t) {
    order_ += "w";
    loop_.change_events(pipe.writer.number(), 0);
    loop_.post([&] { loop_.post([&] { loop_.stop(); }); });  // one more turn to be called wrongly
  });
  const Timer timer = loop_.after(1ms, [&] {
    EXPECT_EQ(order_, "");
    loop_.change_events(pipe.writer.number(), EPOLLOUT);
  });
  loop_.run();
  EXPECT_EQ(order_, "w");
}

TEST_F(EpollLoopTest, WatchesSignalsAndLeavesTheMaskAsItWas) {
  {
    const auto watch = loop_.watch_signal(SIGUSR1, [&] {
      order_ += "s";
      loop_.stop();
    });
    ::raise(SIGUSR1);
    loop_.run();
  }
  EXPECT_EQ(order_, "s");
  sigset_t mask{};
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGUSR1), 0);
}

TEST_F(EpollLoopTest, SleepsWithoutUsingTheProcessor) {
  const Timer timer = loop_.after(5ms, [&] { loop_.stop(); });
  const std::clock_t before = std::clock();
  loop_.run();
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 500);
}

}  // namespace
}  // namespace teamster::env::real
