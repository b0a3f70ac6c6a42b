#include "model_server/exchange.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::model {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// How long a client may take for one request, or leave an answer unread. Between requests
// it may be silent as long as it likes.
constexpr Milliseconds kPatience = 30s;
constexpr Milliseconds kLook = 10ms;
constexpr std::size_t kReadBytes = 256UL * 1024;

std::string head_of(int status, const Headers& headers) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_of(status));
  for (const auto& [name, value] : headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

}  // namespace

Exchange::~Exchange() { ::close(socket_); }

std::optional<HttpRequest> Exchange::receive() {
  auto deadline = Clock::time_point::max();
  while (is_open_) {
    if (auto request = reader_.next()) {
      is_head_ = request->method == "HEAD";
      return request;
    }
    if (const auto& problem = reader_.problem()) {
      close_after(problem->status, problem->what);
      break;
    }
    if (reader_.take_continue() && !write("HTTP/1.1 100 Continue\r\n\r\n")) break;
    if (reader_.is_midway() && deadline == Clock::time_point::max()) deadline = Clock::now() + kPatience;
    const bool has_deadline = deadline != Clock::time_point::max();
    const auto limit = has_deadline ? std::chrono::ceil<Milliseconds>(deadline - Clock::now()) : Milliseconds(-1);
    if (has_deadline && limit <= 0ms) {
      close_after(408, "the request did not come to its end in time");
      break;
    }
    if (wait_for(POLLIN, limit) && !fill()) end();
  }
  return std::nullopt;
}

bool Exchange::answer(int status, const Headers& headers, std::string_view body) {
  Headers all = headers;
  all.emplace_back("content-length", std::to_string(body.size()));
  std::string bytes = head_of(status, all);
  if (!is_head_) bytes += body;
  return write(bytes);
}

bool Exchange::start_stream(const Headers& headers) {
  Headers all = headers;
  all.emplace_back("transfer-encoding", "chunked");
  return write(head_of(200, all));
}

bool Exchange::stream(std::string_view piece) { return write(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece)); }

bool Exchange::end_stream() { return write("0\r\n\r\n"); }

bool Exchange::write(std::string_view bytes) {
  while (is_open_ && !bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for(POLLOUT, kPatience)) return end();
    } else if (errno != EINTR) {
      return end();
    }
  }
  return is_open_;
}

bool Exchange::pause(Milliseconds time) {
  // A client that has closed its side shows as POLLRDHUP. One that only half-closed it counts as
  // gone, too: the two cannot be told apart before something is written.
  if (is_open_ && wait_for(POLLRDHUP, time)) return end();
  return is_open_;
}

bool Exchange::pause_until(const std::function<bool()>& condition) {
  while (!condition())
    if (!pause(kLook)) return false;
  return true;
}

void Exchange::pause_for_ever() {
  while (pause(Milliseconds(-1))) {
  }
}

bool Exchange::fill() {
  std::string bytes(kReadBytes, '\0');
  const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (count == 0) return false;
  reader_.feed(std::string_view(bytes).substr(0, static_cast<std::size_t>(count)));
  return true;
}

bool Exchange::close_after(int status, const std::string& what) {
  const Json body = {{"type", "error"}, {"error", {{"type", "invalid_request_error"}, {"message", what}}}};
  is_head_ = false;
  answer(status, {{"content-type", "application/json"}, {"connection", "close"}}, dump_json(body));
  // Closing with unread input would reset the connection, and the client might lose the answer:
  // say that we are done, and let it come to its end, within reason.
  ::shutdown(socket_, SHUT_WR);
  const auto deadline = Clock::now() + 1s;
  std::string bytes(kReadBytes, '\0');
  while (is_open_ && Clock::now() < deadline && wait_for(POLLIN, kLook * 10))
    if (::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT) == 0) break;
  return end();
}

bool Exchange::end() {
  is_open_ = false;
  return false;
}

bool Exchange::wait_for(short events, Milliseconds limit) {
  pollfd polled[] = {{socket_, events, 0}, {stopping_, POLLIN, 0}};
  const int ready = ::poll(polled, 2, static_cast<int>(limit.count()));
  if (ready > 0 && polled[1].revents != 0) return end();
  return ready > 0 && polled[0].revents != 0;
}

}  // namespace teamster::model
