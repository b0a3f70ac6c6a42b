#include "e2e/raw_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace teamster::e2e {

std::string frame_of(std::string_view payload) {
  std::string frame;
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>((payload.size() >> shift) & 0xFF);
  return frame.append(payload);
}

std::string error_code(const Json& frame) {
  if (!frame.is_object() || !frame.contains("error")) return "";
  return frame["error"].value("code", "");
}

RawConnection::RawConnection(const Home& home) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = home.file("hub.sock");
  CHECK(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), path.size());
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(socket_ >= 0);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    ::close(std::exchange(socket_, -1));
}

RawConnection::RawConnection(RawConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), next_id_(other.next_id_), buffer_(std::move(other.buffer_)) {}

RawConnection::~RawConnection() {
  if (socket_ >= 0) ::close(socket_);
}

RawConnection RawConnection::of_operator(const Home& home) {
  RawConnection connection(home);
  const std::string cookie(trimmed(read_file(home.file("cookie"))));
  const Json welcome = connection.ask({{"hello", 1}, {"client", "test"}, {"cookie", cookie}});
  EXPECT_EQ(welcome.value("welcome", 0), 1) << welcome;
  return connection;
}

RawConnection RawConnection::of_member(const Home& home, const std::string& team, const std::string& member) {
  RawConnection connection(home);
  const std::string token(trimmed(read_file(home.token_file(team, member))));
  const Json welcome = connection.ask({{"hello", 1}, {"client", "test"}, {"token", token}});
  EXPECT_EQ(welcome.value("welcome", 0), 1) << welcome;
  return connection;
}

bool RawConnection::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool RawConnection::send_payload(std::string_view payload) { return send_bytes(frame_of(payload)); }

void RawConnection::finish_sending() { ::shutdown(socket_, SHUT_WR); }

bool RawConnection::fill(Milliseconds limit) {
  pollfd readable{socket_, POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(limit.count())) <= 0) return false;
  char bytes[65536];
  const ssize_t count = ::recv(socket_, bytes, sizeof(bytes), 0);
  if (count <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::optional<Json> RawConnection::receive(Milliseconds limit) {
  const auto length = [&] {
    std::size_t bytes = 0;
    for (std::size_t i = 4; i-- > 0;) bytes = bytes << 8 | static_cast<unsigned char>(buffer_[i]);
    return bytes;
  };
  while (buffer_.size() < 4 || buffer_.size() < 4 + length())
    if (!fill(limit)) return std::nullopt;
  const std::size_t bytes = length();
  Json frame = Json::parse(buffer_.substr(4, bytes), nullptr, false);
  buffer_.erase(0, 4 + bytes);
  EXPECT_TRUE(frame.is_object()) << "the hub sent no JSON object";
  return frame;
}

Json RawConnection::ask(const Json& frame) {
  send(frame);
  return receive().value_or(Json());
}

Json RawConnection::call(const std::string& op, const Json& args, const std::string& key) {
  Json request = {{"id", next_id_++}, {"op", op}, {"args", args}};
  if (!key.empty()) request["key"] = key;
  return ask(request);
}

bool RawConnection::ends_within(Milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end) {
    pollfd readable{socket_, POLLIN, 0};
    if (::poll(&readable, 1, 50) <= 0) continue;
    char bytes[65536];
    if (::recv(socket_, bytes, sizeof(bytes), 0) <= 0) return true;
  }
  return false;
}

std::vector<Json> RawConnection::drain(Milliseconds limit) {
  std::vector<Json> frames;
  while (auto frame = receive(limit)) frames.push_back(*std::move(frame));
  return frames;
}

}  // namespace teamster::e2e
