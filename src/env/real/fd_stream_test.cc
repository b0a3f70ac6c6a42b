#include "env/real/fd_stream.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "env/real/clock.h"

namespace teamster::env::real {
namespace {

using namespace std::chrono_literals;

class FdStreamTest : public testing::Test {
 protected:
  FdStreamTest() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    left_ = std::make_unique<FdStream>(loop_, Descriptor(ends[0]));
    right_ = std::make_unique<FdStream>(loop_, Descriptor(ends[1]));
  }
  Stream::Handlers collect(std::string& into) {
    return {.on_bytes = [&into](std::string_view bytes) { into += bytes; },
            .on_end = [this] { ++ends_; },
            .on_drained = [this] { ++drained_; }};
  }
  // Runs what can run at once.
  void settle() {
    const Timer timer = loop_.after(1ms, [] {});
    int turns = 0;
    loop_.run_until([&] { return ++turns > 20 || ends_ > 1; });
  }

  Clock clock_;
  EpollLoop loop_{clock_};
  std::unique_ptr<FdStream> left_, right_;
  std::string received_;
  int ends_ = 0;
  int drained_ = 0;
};

TEST_F(FdStreamTest, CarriesBytesBothWays) {
  std::string back;
  left_->start(collect(back));
  right_->start(collect(received_));
  left_->write("ping");
  right_->write("pong");
  EXPECT_TRUE(loop_.run_until([&] { return received_ == "ping" && back == "pong"; }));
}

TEST_F(FdStreamTest, KnowsWhoMadeTheConnection) {
  EXPECT_EQ(left_->peer_pid(), ::getpid());
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  const FdStream pipe(loop_, Descriptor(ends[0]));
  const Descriptor writer(ends[1]);
  EXPECT_EQ(pipe.peer_pid(), 0);
}

TEST_F(FdStreamTest, KeepsWhatThePeerDoesNotTakeAndTellsWhenItIsGone) {
  const std::string big(5 * 1024 * 1024, 'x');
  std::string ignored;
  left_->start(collect(ignored));
  left_->write(big.substr(0, big.size() / 2));
  left_->write(big.substr(big.size() / 2));
  EXPECT_GT(left_->unsent_bytes(), 0U);
  right_->start(collect(received_));
  EXPECT_TRUE(loop_.run_until([&] { return received_.size() == big.size() && drained_ > 0; }));
  EXPECT_EQ(left_->unsent_bytes(), 0U);
  EXPECT_EQ(received_, big);
}

TEST_F(FdStreamTest, NothingIsSaidOfAWriteThatWasTakenAtOnce) {
  std::string ignored;
  left_->start(collect(ignored));
  left_->write("a");
  left_->write("b");
  bool later = false;
  const Timer timer = loop_.after(2ms, [&] { later = true; });
  loop_.run_until([&] { return later; });
  EXPECT_EQ(drained_, 0);
}

TEST_F(FdStreamTest, EndComesOnceAfterTheLastBytes) {
  right_->start(collect(received_));
  left_->write("last words");
  left_.reset();
  EXPECT_TRUE(loop_.run_until([&] { return ends_ == 1; }));
  EXPECT_EQ(received_, "last words");
  right_->write("to nobody");
  right_->write("to nobody");
  EXPECT_FALSE(loop_.run_until([] { return false; }));
  EXPECT_EQ(ends_, 1);
}

TEST_F(FdStreamTest, WritingToAClosedPeerEndsFromTheLoop) {
  left_.reset();
  right_->start(collect(received_));
  right_->write("x");
  EXPECT_EQ(ends_, 0);
  EXPECT_TRUE(loop_.run_until([&] { return ends_ == 1; }));
}

TEST_F(FdStreamTest, HalfCloseLetsTheAnswerThrough) {
  std::string answer;
  left_->start(collect(answer));
  right_->start({.on_bytes = [&](std::string_view bytes) { received_ += bytes; },
                 .on_end =
                     [&] {
                       right_->write("answer to " + received_);
                       right_->finish_writing();
                     },
                 .on_drained = nullptr});
  left_->write("question");
  left_->finish_writing();
  EXPECT_TRUE(loop_.run_until([&] { return ends_ == 1; }));
  EXPECT_EQ(answer, "answer to question");
}

TEST_F(FdStreamTest, FinishWaitsForUnsentBytes) {
  const std::string big(3 * 1024 * 1024, 'y');
  left_->write(big);
  left_->finish_writing();
  right_->start(collect(received_));
  EXPECT_TRUE(loop_.run_until([&] { return ends_ == 1; }));
  EXPECT_EQ(received_.size(), big.size());
}

TEST_F(FdStreamTest, MayBeDestroyedInsideItsCallbacks) {
  right_->start({.on_bytes =
                     [this, witness = std::make_shared<int>(7)](std::string_view) {
                       right_.reset();
                       EXPECT_EQ(*witness, 7);  // the callback outlives the stream it ran for
                     },
                 .on_end = [] { FAIL(); },
                 .on_drained = nullptr});
  left_->start({.on_bytes = nullptr, .on_end = [&] { left_.reset(); }, .on_drained = nullptr});
  left_->write(std::string(200'000, 'z'));
  EXPECT_FALSE(loop_.run_until([] { return false; }));
  EXPECT_EQ(left_, nullptr);
  EXPECT_EQ(right_, nullptr);
}

TEST_F(FdStreamTest, PausedReadsNothingAndDoesNotSpinOnAHangUp) {
  right_->start(collect(received_));
  right_->pause_reading(true);
  left_->write("later");
  left_.reset();
  // Nothing is watched: the loop would return at once instead of turning around.
  EXPECT_FALSE(loop_.run_until([] { return false; }));
  EXPECT_EQ(received_, "");
  right_->pause_reading(false);
  EXPECT_TRUE(loop_.run_until([&] { return ends_ == 1; }));
  EXPECT_EQ(received_, "later");
}

TEST_F(FdStreamTest, PausingInsideOnBytesStopsTheTurn) {
  std::size_t got = 0;
  right_->start({.on_bytes =
                     [&](std::string_view bytes) {
                       got += bytes.size();
                       right_->pause_reading(true);
                     },
                 .on_end = nullptr,
                 .on_drained = nullptr});
  left_->write(std::string(190'000, 'p'));
  settle();
  EXPECT_GT(got, 0U);
  EXPECT_LE(got, 64U * 1024);
}

TEST_F(FdStreamTest, PipesWorkAndABrokenOneIsAnEnd) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  auto reader = std::make_unique<FdStream>(loop_, Descriptor(ends[0]));
  FdStream writer(loop_, Descriptor(ends[1]));
  reader->start(collect(received_));
  writer.start({.on_bytes = nullptr, .on_end = [this] { ends_ += 10; }, .on_drained = nullptr});
  writer.write("through a pipe");
  EXPECT_TRUE(loop_.run_until([&] { return received_ == "through a pipe"; }));
  reader.reset();
  EXPECT_TRUE(loop_.run_until([&] { return ends_ == 10; }));
  std::signal(SIGPIPE, SIG_DFL);
}

TEST_F(FdStreamTest, FinishingAPipeClosesIt) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  FdStream reader(loop_, Descriptor(ends[0]));
  FdStream writer(loop_, Descriptor(ends[1]));
  reader.start(collect(received_));
  writer.write("all");
  writer.finish_writing();
  EXPECT_TRUE(loop_.run_until([&] { return ends_ == 1; }));
  EXPECT_EQ(received_, "all");
}

}  // namespace
}  // namespace teamster::env::real
