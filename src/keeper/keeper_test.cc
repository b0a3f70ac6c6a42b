// The keeper in this process, with a host that is this test and children that are real.
#include "keeper/keeper.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/real/world.h"
#include "keeper/process_tree.h"

namespace teamster::keeper {
namespace {

using env::real::Descriptor;
using Kind = Packet::Kind;

class KeeperTest : public testing::Test {
 protected:
  KeeperTest() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    auto pair = Channel::make_pair();
    EXPECT_TRUE(pair);
    host_ = std::make_unique<Channel>(std::move(pair->first));
    keeper_ = std::make_unique<Keeper>(world_.loop(), std::move(pair->second), mark_, [this] { is_done_ = true; });
    packets_ = world_.loop().watch_fd(host_->number(), EPOLLIN, [this](std::uint32_t) { take_packets(); });
  }
  ~KeeperTest() override {
    end_host();
    EXPECT_TRUE(wait_until_done());
    EXPECT_TRUE(children_of(::getpid()).empty()) << "nothing is left, not even a zombie";
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  void take_packets() {
    while (host_) {
      auto received = host_->receive(false);
      if (!received || !*received) return;
      heard_.push_back((*received)->packet);
    }
  }
  // The next thing that the keeper says.
  Packet next() {
    EXPECT_TRUE(world_.loop().run_until([this] { return !heard_.empty(); }));
    if (heard_.empty()) return {};
    const Packet packet = heard_.front();
    heard_.pop_front();
    return packet;
  }
  void end_host() {
    packets_.reset();
    host_.reset();
  }
  bool wait_until_done() {
    return world_.loop().run_until([this] { return is_done_; });
  }

  struct Started {
    pid_t pid = 0;
    Descriptor output;
    // The first line it writes.
    std::string line() const {
      std::string text;
      char c = 0;
      while (::read(output.number(), &c, 1) == 1 && c != '\n') text += c;
      return text;
    }
  };
  Started start(std::int64_t child, const std::string& script) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    Started started{0, Descriptor(ends[0])};
    const Descriptor writer(ends[1]);
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const Packet packet{
        .kind = Kind::spawn, .child = child, .spawn = {"/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin"}, ""}};
    EXPECT_TRUE(host_->send(packet, {nothing.number(), writer.number(), nothing.number()}));
    const Packet answer = next();
    EXPECT_EQ(answer.kind, Kind::started);
    EXPECT_EQ(answer.child, child);
    started.pid = static_cast<pid_t>(answer.number);
    return started;
  }
  void tell(Kind kind, std::int64_t child, std::int64_t number) {
    ASSERT_TRUE(host_->send({.kind = kind, .child = child, .number = number}));
  }
  void expect(const Packet& wanted) {
    const Packet packet = next();
    EXPECT_EQ(packet.kind, wanted.kind);
    EXPECT_EQ(packet.child, wanted.child);
    EXPECT_EQ(packet.number, wanted.number);
    EXPECT_EQ(packet.signaled, wanted.signaled);
  }
  static bool lives(pid_t pid) { return ::kill(pid, 0) == 0; }

  env::real::World world_;
  // A mark of nobody would let any host on this machine end our children as leftovers.
  const std::string mark_ = mark_of_keeper(world_.view().processes.self());
  std::unique_ptr<Channel> host_;
  std::unique_ptr<Keeper> keeper_;
  env::Registration packets_;
  std::deque<Packet> heard_;
  bool is_done_ = false;
};

TEST_F(KeeperTest, StartsAChildAndSaysHowItEnded) {
  const auto child = start(5, "echo $TEAMSTER_KEEPER $TEAMSTER_CHILD $$; exit 3");
  EXPECT_EQ(child.line(), fmt::format("{} 5 {}", mark_, child.pid));
  expect({.kind = Kind::exited, .child = 5, .number = 3});
  expect({.kind = Kind::gone, .child = 5});
}

TEST_F(KeeperTest, AChildHasAGroupOfItsOwnAndNoOtherDescriptors) {
  const auto child = start(1, "ps -o pgid= -p $$ | tr -d ' '; ls /proc/self/fd | tr '\\n' ' '");
  EXPECT_EQ(child.line(), std::to_string(child.pid));
  // The fourth is the directory that ls reads.
  EXPECT_EQ(child.line(), "0 1 2 3 ");
  expect({.kind = Kind::exited, .child = 1});
  expect({.kind = Kind::gone, .child = 1});
}

TEST_F(KeeperTest, SaysWhenAChildWasKilled) {
  const auto child = start(1, "echo up; exec sleep 1000");
  EXPECT_EQ(child.line(), "up");
  tell(Kind::signal, 1, SIGUSR1);
  expect({.kind = Kind::exited, .child = 1, .number = SIGUSR1, .signaled = true});
  expect({.kind = Kind::gone, .child = 1});
}

TEST_F(KeeperTest, WhatCannotBeStartedLeavesNothing) {
  const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::vector<int> streams(3, nothing.number());
  ASSERT_TRUE(host_->send({.kind = Kind::spawn, .child = 1, .spawn = {"/nonexistent", {"x"}, {}, ""}}, streams));
  expect({.kind = Kind::failed, .child = 1, .number = ENOENT});
  ASSERT_TRUE(host_->send({.kind = Kind::spawn, .child = 2, .spawn = {"/bin/true", {"true"}, {}, ""}}));
  expect({.kind = Kind::failed, .child = 2, .number = EINVAL});
  EXPECT_TRUE(world_.loop().run_until([] { return children_of(::getpid()).empty(); }));
}

TEST_F(KeeperTest, ANumberInUseIsNotGivenTwice) {
  const auto child = start(1, "echo up; exec sleep 1000");
  child.line();
  const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(host_->send({.kind = Kind::spawn, .child = 1, .spawn = {"/bin/true", {"true"}, {}, ""}},
                          std::vector<int>(3, nothing.number())));
  expect({.kind = Kind::failed, .child = 1, .number = EINVAL});
  EXPECT_TRUE(lives(child.pid));
}

TEST_F(KeeperTest, WhatAChildLeavesInItsGroupIsEnded) {
  const auto child = start(1, "sleep 1000 & echo $!; exit 0");
  const pid_t left = std::stoi(child.line());
  expect({.kind = Kind::exited, .child = 1});
  expect({.kind = Kind::gone, .child = 1});
  EXPECT_FALSE(lives(left));
}

TEST_F(KeeperTest, WhatAChildLeavesInAnotherSessionIsEnded) {
  const auto child = start(1, "setsid sleep 1000 & echo $!; exit 0");
  const pid_t left = std::stoi(child.line());
  expect({.kind = Kind::exited, .child = 1});
  expect({.kind = Kind::gone, .child = 1});
  EXPECT_FALSE(lives(left));
}

TEST_F(KeeperTest, EndingOneChildLeavesTheOthersAlone) {
  const auto stays = start(1, "setsid sleep 1000 & echo $!; exec sleep 1000");
  const pid_t its_own = std::stoi(stays.line());
  const auto goes = start(2, "setsid sleep 1000 & echo $!; exec sleep 1000");
  const pid_t left = std::stoi(goes.line());
  tell(Kind::end, 2, 0);
  expect({.kind = Kind::exited, .child = 2, .number = SIGKILL, .signaled = true});
  expect({.kind = Kind::gone, .child = 2});
  EXPECT_FALSE(lives(left));
  EXPECT_TRUE(lives(stays.pid));
  EXPECT_TRUE(lives(its_own));
}

TEST_F(KeeperTest, AChildMayTidyUpWhenItIsEnded) {
  const auto child = start(1, "trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done");
  EXPECT_EQ(child.line(), "up");
  tell(Kind::end, 1, 60'000);
  expect({.kind = Kind::exited, .child = 1, .number = 7});
  expect({.kind = Kind::gone, .child = 1});
}

TEST_F(KeeperTest, AChildThatIsDeafIsKilled) {
  const auto child = start(1, "trap '' TERM HUP INT; setsid sleep 1000 & echo $!; while :; do sleep 1000; done");
  const pid_t left = std::stoi(child.line());
  tell(Kind::end, 1, 20);
  expect({.kind = Kind::exited, .child = 1, .number = SIGKILL, .signaled = true});
  expect({.kind = Kind::gone, .child = 1});
  EXPECT_FALSE(lives(left)) << "it inherited the deafness";
}

TEST_F(KeeperTest, AHostThatIsGoneTakesEverythingWithIt) {
  const auto one = start(1, "setsid sleep 1000 & echo $!; exec sleep 1000");
  const auto two = start(2, "env -i setsid sleep 1000 & echo $!; exec sleep 1000");
  const pid_t marked = std::stoi(one.line());
  const pid_t hidden = std::stoi(two.line());
  end_host();
  EXPECT_TRUE(wait_until_done());
  for (const pid_t pid : {one.pid, two.pid, marked, hidden}) EXPECT_FALSE(lives(pid));
}

TEST_F(KeeperTest, PacketsAboutNobodyDoNothing) {
  tell(Kind::signal, 99, SIGKILL);
  tell(Kind::end, 99, 0);
  tell(Kind::started, 1, 1);
  tell(Kind::gone, 1, 1);
  const auto child = start(1, "exit 4");
  tell(Kind::signal, 1, 4711);  // no signal has this number
  expect({.kind = Kind::exited, .child = 1, .number = 4});
  expect({.kind = Kind::gone, .child = 1});
}

TEST_F(KeeperTest, AHostThatTalksNonsenseIsAsGoodAsGone) {
  const auto child = start(1, "echo up; exec sleep 1000");
  child.line();
  ASSERT_EQ(::write(host_->number(), "nonsense", 8), 8);
  EXPECT_TRUE(wait_until_done());
  EXPECT_FALSE(lives(child.pid));
}

}  // namespace
}  // namespace teamster::keeper
