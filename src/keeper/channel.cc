#include "keeper/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/limits.h"
#include "env/file_error.h"

namespace teamster::keeper {
namespace {

constexpr std::size_t kDescriptorsMax = 3;

Error gone() { return {Code::unavailable, "the other side of the keeper's channel is gone", ""}; }

}  // namespace

Result<std::pair<Channel, Channel>> Channel::make_pair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(env::file_error(errno, "make", "the keeper's channel"));
  // A packet must fit as a whole; the system's default is about that size and may be less.
  const int bytes = static_cast<int>(2 * limits::kKeeperPacketMaxBytes);
  for (const int end : ends) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
  return std::pair(Channel(env::real::Descriptor(ends[0])), Channel(env::real::Descriptor(ends[1])));
}

Result<void> Channel::send(const Packet& packet, const std::vector<int>& descriptors) {
  std::string text = TRY(packet.encode());
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kDescriptorsMax * sizeof(int))> control{};
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
  }
  while (::sendmsg(socket_.number(), &message, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return fail(gone());
    return fail(env::file_error(errno, "write to", "the keeper's channel"));
  }
  return {};
}

Result<std::optional<Received>> Channel::receive(bool wait) {
  if (wait) {
    pollfd readable{socket_.number(), POLLIN, 0};
    int ready = 0;
    while ((ready = ::poll(&readable, 1, static_cast<int>(to_ms(limits::kKeeperAnswerDeadline)))) < 0 &&
           errno == EINTR) {
    }
    if (ready == 0) return fail(Code::unavailable, "the keeper does not answer");
  }
  buffer_.resize(limits::kKeeperPacketMaxBytes);
  iovec part{buffer_.data(), buffer_.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kDescriptorsMax * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  while ((got = ::recvmsg(socket_.number(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT)) < 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::optional<Received>();
    return fail(gone());
  }
  if (got == 0) return fail(gone());
  Received received;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    // There may be one more than we asked for: the room is rounded up.
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      received.descriptors.emplace_back(number);
    }
  }
  received.packet = TRY(Packet::decode(std::string_view(buffer_).substr(0, static_cast<std::size_t>(got))));
  return std::optional<Received>(std::move(received));
}

}  // namespace teamster::keeper
