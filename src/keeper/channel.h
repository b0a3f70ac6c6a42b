// Channel: one end of the packet socket between host and keeper. Whoever holds it owns the
// descriptor. When the other process dies, however it dies, receive says so: this is the
// death pipe.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "env/real/descriptor.h"
#include "keeper/packet.h"

namespace teamster::keeper {

struct Received {
  Packet packet;
  std::vector<env::real::Descriptor> descriptors;
};

class Channel {
 public:
  // Two connected ends.
  static Result<std::pair<Channel, Channel>> make_pair();
  explicit Channel(env::real::Descriptor socket) : socket_(std::move(socket)) {}

  // Waits while the other side is behind; Code::unavailable when it is gone.
  Result<void> send(const Packet& packet, const std::vector<int>& descriptors = {});
  // nullopt when nothing is there now; Code::unavailable when the other side is gone, or,
  // with `wait`, says nothing for limits::kKeeperAnswerDeadline.
  Result<std::optional<Received>> receive(bool wait);

  int number() const { return socket_.number(); }

 private:
  env::real::Descriptor socket_;
  std::string buffer_;
};

}  // namespace teamster::keeper
