// UnixNetwork: Network over unix stream sockets. Owned by real::World; callbacks come
// from its loop. Sockets are reached through /proc/self/fd/N/name, where N is their
// directory, so the 107 byte limit applies to the name alone. A listener's file stays
// when the listener goes: by then it may belong to another process.
#pragma once

#include "env/network.h"
#include "env/random.h"
#include "env/real/epoll_loop.h"

namespace teamster::env::real {

class UnixNetwork : public Network {
 public:
  UnixNetwork(EpollLoop& loop, env::Random& random) : loop_(loop), random_(random) {}

  Result<std::unique_ptr<Listener>> listen(const SocketAddress& address, Accept accept) override;
  Result<std::unique_ptr<Stream>> connect(const SocketAddress& address) override;

 private:
  EpollLoop& loop_;
  env::Random& random_;
};

}  // namespace teamster::env::real
