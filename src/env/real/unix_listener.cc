#include "env/real/unix_listener.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

#include "env/real/fd_stream.h"

namespace teamster::env::real {
namespace {

using namespace std::chrono_literals;

constexpr int kAcceptsPerTurnMax = 256;
constexpr Duration kRest = 100ms;

}  // namespace

UnixListener::UnixListener(EpollLoop& loop, Descriptor socket, Network::Accept accept)
    : loop_(loop), socket_(std::move(socket)), accept_(std::make_shared<const Network::Accept>(std::move(accept))) {
  watch();
}

void UnixListener::watch() {
  watch_ = loop_.watch_fd(socket_.number(), EPOLLIN, [this](std::uint32_t) { accept_some(); });
}

void UnixListener::accept_some() {
  const auto witness = bond_.witness();
  const auto accept = accept_;
  for (int i = 0; i < kAcceptsPerTurnMax && !witness.is_owner_gone(); ++i) {
    Descriptor peer(::accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (peer) {
      (*accept)(std::make_unique<FdStream>(loop_, std::move(peer)));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return rest();
    }
  }
}

// Out of descriptors or memory: the socket stays readable, so watching it would only burn time.
void UnixListener::rest() {
  watch_.reset();
  resting_ = loop_.after(kRest, [this] { watch(); });
}

}  // namespace teamster::env::real
