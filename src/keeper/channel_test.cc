#include "keeper/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace teamster::keeper {
namespace {

using env::real::Descriptor;

class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    auto pair = Channel::make_pair();
    EXPECT_TRUE(pair);
    host_ = std::make_unique<Channel>(std::move(pair->first));
    keeper_ = std::make_unique<Channel>(std::move(pair->second));
  }

  // Past Channel: bytes and descriptors as a peer without manners sends them.
  void send_raw(std::string_view bytes, const std::vector<int>& descriptors = {}) {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, 256> control{};
    if (!descriptors.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
      std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
    }
    ASSERT_EQ(::sendmsg(host_->number(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }

  std::unique_ptr<Channel> host_;
  std::unique_ptr<Channel> keeper_;
};

int open_descriptors() {
  int count = 0;
  for (int number = 0; number < 1024; ++number) count += ::fcntl(number, F_GETFD) != -1 ? 1 : 0;
  return count;
}

TEST_F(ChannelTest, PacketsStayWholeAndInOrder) {
  for (int i = 1; i <= 50; ++i) ASSERT_TRUE(host_->send({.kind = Packet::Kind::signal, .child = i, .number = 2 * i}));
  for (int i = 1; i <= 50; ++i) {
    auto received = keeper_->receive(false);
    ASSERT_TRUE(received && *received);
    EXPECT_EQ((*received)->packet.child, i);
    EXPECT_EQ((*received)->packet.number, 2 * i);
    EXPECT_TRUE((*received)->descriptors.empty());
  }
  auto nothing = keeper_->receive(false);
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
}

TEST_F(ChannelTest, DescriptorsArriveInOrderAndAreOurs) {
  std::array<std::array<int, 2>, 3> pipes{};
  for (auto& ends : pipes) ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ASSERT_TRUE(host_->send({.kind = Packet::Kind::spawn, .child = 1, .spawn = {"/bin/true", {"true"}, {}, ""}},
                          {pipes[0][1], pipes[1][1], pipes[2][1]}));
  for (auto& ends : pipes) ::close(ends[1]);
  auto received = keeper_->receive(true);
  ASSERT_TRUE(received && *received);
  auto& descriptors = (*received)->descriptors;
  ASSERT_EQ(descriptors.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NE(::fcntl(descriptors[i].number(), F_GETFD) & FD_CLOEXEC, 0) << "no child inherits it by accident";
    const char sent = static_cast<char>('a' + i);
    ASSERT_EQ(::write(descriptors[i].number(), &sent, 1), 1);
    char got = 0;
    ASSERT_EQ(::read(pipes[i][0], &got, 1), 1);
    EXPECT_EQ(got, sent);
  }
  descriptors.clear();
  char end = 0;
  for (auto& ends : pipes) {
    EXPECT_EQ(::read(ends[0], &end, 1), 0) << "it was the last one";
    ::close(ends[0]);
  }
}

TEST_F(ChannelTest, MoreDescriptorsThanAnybodySendsDoNoHarm) {
  const int before = open_descriptors();
  send_raw(R"({"kind":"gone","child":1,"number":0})", std::vector<int>(12, STDERR_FILENO));
  {
    auto received = keeper_->receive(false);
    ASSERT_TRUE(received && *received);
    EXPECT_LE((*received)->descriptors.size(), 4U) << "the system gives no more than there is room for";
    for (const auto& descriptor : (*received)->descriptors) EXPECT_NE(::fcntl(descriptor.number(), F_GETFD), -1);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ChannelTest, DescriptorsOfAPacketThatIsNoneAreClosed) {
  const int before = open_descriptors();
  send_raw("no packet", {STDERR_FILENO, STDERR_FILENO, STDERR_FILENO});
  EXPECT_FALSE(keeper_->receive(false));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ChannelTest, TheLargestPacketGoesThroughAndALargerOneDoesNot) {
  Packet packet{.kind = Packet::Kind::spawn, .child = 1, .spawn = {"/bin/true", {""}, {}, ""}};
  const std::size_t rest = limits::kKeeperPacketMaxBytes - packet.encode()->size();
  packet.spawn.arguments[0] = std::string(rest, 'x');
  ASSERT_TRUE(host_->send(packet));
  auto received = keeper_->receive(false);
  ASSERT_TRUE(received && *received);
  EXPECT_EQ((*received)->packet.spawn.arguments[0].size(), rest);
  packet.spawn.arguments[0] += 'x';
  EXPECT_EQ(host_->send(packet).error().code, Code::invalid);
  ASSERT_TRUE(host_->send({.kind = Packet::Kind::gone})) << "the channel still works";
}

TEST_F(ChannelTest, ADeadPeerIsNoticedAfterItsLastWords) {
  ASSERT_TRUE(host_->send({.kind = Packet::Kind::end, .child = 3}));
  host_.reset();
  auto last = keeper_->receive(true);
  ASSERT_TRUE(last && *last);
  EXPECT_EQ((*last)->packet.child, 3);
  EXPECT_EQ(keeper_->receive(false).error().code, Code::unavailable);
  EXPECT_EQ(keeper_->receive(true).error().code, Code::unavailable) << "and nobody waits for it";
  EXPECT_EQ(keeper_->send({.kind = Packet::Kind::gone}).error().code, Code::unavailable);
}

TEST_F(ChannelTest, APeerThatDiedWithUnreadPacketsIsNoticedToo) {
  ASSERT_TRUE(keeper_->send({.kind = Packet::Kind::started, .child = 1}));
  host_.reset();
  EXPECT_EQ(keeper_->receive(false).error().code, Code::unavailable);
}

TEST_F(ChannelTest, APacketLongerThanAllowedIsAnError) {
  const int bytes = 4 * static_cast<int>(limits::kKeeperPacketMaxBytes);
  ::setsockopt(host_->number(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
  std::string text = R"({"kind":"gone","child":1,"number":0,"more":")";
  text += std::string(limits::kKeeperPacketMaxBytes, 'x') + "\"}";
  send_raw(text);
  EXPECT_FALSE(keeper_->receive(false));
}

}  // namespace
}  // namespace teamster::keeper
