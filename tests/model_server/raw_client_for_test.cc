#include "model_server/raw_client_for_test.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/text.h"

namespace teamster::model {

std::vector<Json> Response::events() const {
  std::vector<Json> events;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("data: ")) events.push_back(Json::parse(line.substr(6), nullptr, false));
  return events;
}

std::string Response::streamed_text() const {
  std::string text;
  for (const auto& event : events())
    if (event.contains("delta")) text += event["delta"].value("text", "");
  return text;
}

RawClient::RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  CHECK(socket_ >= 0);
  EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0) << "port " << port;
}

RawClient::~RawClient() { close(); }

void RawClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool RawClient::post(const Json& body, const std::string& api_key, const std::string& path) {
  const std::string text = body.dump();
  return send(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nX-Api-Key: {}\r\nContent-Length: {}\r\n\r\n{}", path, api_key,
                          text.size(), text));
}

std::optional<Response> RawClient::receive(e2e::Milliseconds limit) {
  const auto head = take_until("\r\n\r\n", limit);
  if (!head || !head->starts_with("HTTP/1.1 ")) return std::nullopt;
  Response response;
  std::from_chars(head->data() + 9, head->data() + head->size(), response.status);
  std::istringstream lines(*head);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos) response.headers[line.substr(0, colon)] = trimmed(line.substr(colon + 2));
  }
  const bool is_chunked = response.headers.contains("transfer-encoding");
  auto body = is_chunked ? take_chunks(limit) : take_bytes(std::stoul("0" + response.headers["content-length"]), limit);
  if (!body) return std::nullopt;
  response.body = *std::move(body);
  return response;
}

bool RawClient::receives(std::string_view text, e2e::Milliseconds limit) {
  while (buffer_.find(text) == std::string::npos)
    if (!fill(limit)) return false;
  return true;
}

bool RawClient::ends_within(e2e::Milliseconds limit) {
  while (true) {
    pollfd readable{socket_, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(limit.count())) <= 0) return false;
    if (!fill(limit)) return true;
  }
}

bool RawClient::fill(e2e::Milliseconds limit) {
  pollfd readable{socket_, POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(limit.count())) <= 0) return false;
  char bytes[65536];
  const ssize_t count = ::recv(socket_, bytes, sizeof(bytes), 0);
  if (count <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> RawClient::take_until(std::string_view mark, e2e::Milliseconds limit) {
  if (!receives(mark, limit)) return std::nullopt;
  return take_bytes(buffer_.find(mark) + mark.size(), limit);
}

std::optional<std::string> RawClient::take_bytes(std::size_t count, e2e::Milliseconds limit) {
  while (buffer_.size() < count)
    if (!fill(limit)) return std::nullopt;
  std::string bytes = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return bytes;
}

std::optional<std::string> RawClient::take_chunks(e2e::Milliseconds limit) {
  std::string body;
  while (true) {
    const auto line = take_until("\r\n", limit);
    std::size_t size = 0;
    if (!line || std::from_chars(line->data(), line->data() + line->size(), size, 16).ec != std::errc{})
      return std::nullopt;
    const auto chunk = take_bytes(size + 2, limit);
    if (!chunk) return std::nullopt;
    if (size == 0) return body;
    body.append(*chunk, 0, size);
  }
}

Json request_body(const std::string& text, bool wants_stream) {
  return {{"model", "m"},
          {"max_tokens", 100},
          {"stream", wants_stream},
          {"messages", Json::array({{{"role", "user"}, {"content", text}}})}};
}

}  // namespace teamster::model
