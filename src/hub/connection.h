// Connection: one client of the hub, from its hello to its end: frames in, requests out,
// answers back. Bounds what a client can make the hub hold. Owned by the server.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "env/clock.h"
#include "env/network.h"
#include "env/processes.h"
#include "env/world.h"
#include "hub/parking.h"
#include "protocol/client/frame.h"

namespace teamster::hub {

// The process that made the connection, as it was when the connection was accepted.
struct Peer {
  std::int64_t pid = 0;                              // 0: it is in another pid namespace
  std::optional<env::ProcessIdentity> process = {};  // nullopt: it had ended by then, or see above
};

class Connection {
 public:
  struct Handlers {
    // Who the client is, from its hello and from what the system says about it; the error is sent to it and ends it.
    std::function<Result<team::Actor>(const Json& hello, const Peer& peer)> admit;
    // Requests are waiting to be taken, now or again after the client has read its answers.
    std::function<void(ConnectionId)> on_requests;
    // Nothing comes after this; the owner may destroy the connection in it.
    std::function<void(ConnectionId)> on_end;
    std::function<Json()> welcome;
    // A frame has begun that is not complete: is_overdue must be asked from time to time.
    std::function<void()> on_partial;
  };

  Connection(ConnectionId id, const env::World& world, std::unique_ptr<env::Stream> stream, const Handlers& handlers);

  void start();
  // `ok` is JSON text.
  void answer(std::int64_t request, const std::string& ok);
  void answer(std::int64_t request, const Error& error);
  // Answers that were given since the last flush go out in one write.
  void flush();
  // The oldest requests, at most `max`; none while the client does not read its answers.
  std::vector<Pending> take_requests(std::size_t max);
  void put_back(Pending request) { requests_.push_front(std::move(request)); }
  bool has_requests() const { return !requests_.empty() && !is_choked(); }
  // A hello or the rest of a frame is overdue.
  bool is_overdue(Instant now) const;
  // Whether a deadline runs on this connection at all.
  bool is_unfinished() const { return !actor_ || partial_since_.has_value(); }
  bool has_unsent() const { return stream_->unsent_bytes() > 0; }
  void refuse(const Error& error);

 private:
  void take_bytes(std::string_view bytes);
  void take_frame(const std::string& payload);
  void take_hello(const Json& hello);
  void take_request(Json request);
  void send(const Json& frame);
  void end();
  bool is_choked() const;
  void regulate_input();

  ConnectionId id_;
  const env::Clock& clock_;
  std::unique_ptr<env::Stream> stream_;
  const Peer peer_;
  const Handlers& handlers_;
  FrameDecoder decoder_;
  std::optional<team::Actor> actor_;
  Instant opened_;
  std::optional<Instant> partial_since_;
  std::string output_;
  std::deque<Pending> requests_;
  std::size_t unanswered_ = 0;
  bool ended_ = false;
};

}  // namespace teamster::hub
