// UnixListener: accepts connections on a listening socket. Owned by whoever listens;
// driven by the loop. When descriptors run out it rests instead of spinning; the
// clients wait in the backlog meanwhile.
#pragma once

#include "env/network.h"
#include "env/real/epoll_loop.h"

namespace teamster::env::real {

class UnixListener : public Listener {
 public:
  UnixListener(EpollLoop& loop, Descriptor socket, Network::Accept accept);
  ~UnixListener() override;
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

 private:
  void watch();
  void accept_some();
  void rest();

  EpollLoop& loop_;
  Descriptor socket_;
  std::shared_ptr<const Network::Accept> accept_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Registration watch_;
  Timer resting_;
};

}  // namespace teamster::env::real
