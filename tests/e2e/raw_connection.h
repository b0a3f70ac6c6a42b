// RawConnection: the hub's socket without the client's manners, for tests of the protocol.
// Blocking, with a limit on every read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "e2e/fixture.h"

namespace teamster::e2e {

class RawConnection {
 public:
  explicit RawConnection(const Home& home);
  ~RawConnection();
  RawConnection(RawConnection&& other) noexcept;
  RawConnection& operator=(RawConnection&&) = delete;

  // Says hello as the operator and expects a welcome.
  static RawConnection of_operator(const Home& home);
  static RawConnection of_member(const Home& home, const std::string& team, const std::string& member);

  bool is_open() const { return socket_ >= 0; }
  // False when the hub has closed the connection.
  bool send_bytes(std::string_view bytes);
  bool send(const Json& frame) { return send_payload(frame.dump()); }
  bool send_payload(std::string_view payload);
  void finish_sending();

  // nullopt when the connection ended or nothing came in time.
  std::optional<Json> receive(Milliseconds limit = 20s);
  // Sends and gives the next frame, or null.
  Json ask(const Json& frame);
  // Asks with this operation and gives the answer with its id.
  Json call(const std::string& op, const Json& args, const std::string& key = "");
  // Reads until the end; false when the connection is still open after the limit.
  bool ends_within(Milliseconds limit = 20s);
  // The frames that come until the end, at most for the limit.
  std::vector<Json> drain(Milliseconds limit = 20s);

 private:
  bool fill(Milliseconds limit);

  int socket_ = -1;
  std::int64_t next_id_ = 1;
  std::string buffer_;
};

std::string frame_of(std::string_view payload);
std::string error_code(const Json& frame);

}  // namespace teamster::e2e
