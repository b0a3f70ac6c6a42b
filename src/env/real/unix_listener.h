// UnixListener: accepts connections on a listening socket. Owned by whoever listens;
// driven by the loop. When descriptors run out it rests instead of spinning; the
// clients wait in the backlog meanwhile.
#pragma once

#include "env/bond.h"
#include "env/network.h"
#include "env/real/epoll_loop.h"

namespace teamster::env::real {

class UnixListener : public Listener {
 public:
  UnixListener(EpollLoop& loop, Descriptor socket, Network::Accept accept);
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

 private:
  void watch();
  void accept_some();
  void rest();

  EpollLoop& loop_;
  Descriptor socket_;
  std::shared_ptr<const Network::Accept> accept_;
  Registration watch_;
  Timer resting_;
  Bond bond_;
};

}  // namespace teamster::env::real
