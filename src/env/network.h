// Network: local stream sockets. Real unix sockets, or the simulator's, which delay,
// split and cut. All callbacks come from the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster::env {

// One end of a connection, or of a child's pipe. Destroying it closes it, also from
// inside its own callbacks; no callback comes after that.
class Stream {
 public:
  struct Handlers {
    // Some bytes that arrived; valid during the call only.
    std::function<void(std::string_view bytes)> on_bytes;
    // The peer is gone or the connection broke. Called once, last.
    std::function<void()> on_end;
    // What a write had to keep back has been handed to the system. It may also come when
    // nothing was kept back. Optional.
    std::function<void()> on_drained;
  };

  virtual ~Stream() = default;
  // Reading begins; called once.
  virtual void start(Handlers handlers) = 0;
  // Never blocks: what the peer does not take now is kept and sent later.
  virtual void write(std::string_view bytes) = 0;
  virtual std::size_t unsent_bytes() const = 0;
  // While paused nothing is read and the peer feels back-pressure.
  virtual void pause_reading(bool paused) = 0;
  // No more writes follow; the peer sees the end after what was written so far.
  virtual void finish_writing() = 0;
  // The process that made this connection; the system vouches for it. 0: no socket, or a process of another pid
  // namespace, which has no number here.
  virtual std::int64_t peer_pid() const { return 0; }
};

class Listener {
 public:
  virtual ~Listener() = default;
};

// A socket is named by the directory it lies in and its name there, so that a long
// directory does not meet the 107 byte limit of socket paths.
struct SocketAddress {
  std::string directory;
  std::string name;
};

class Network {
 public:
  using Accept = std::function<void(std::unique_ptr<Stream>)>;

  virtual ~Network() = default;
  // Appears under its name only once it accepts; replaces a dead one. Mode 0600.
  virtual Result<std::unique_ptr<Listener>> listen(const SocketAddress& address, Accept accept) = 0;
  // Code::unavailable when nobody listens there.
  virtual Result<std::unique_ptr<Stream>> connect(const SocketAddress& address) = 0;
};

}  // namespace teamster::env
