#include "model_server/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace teamster::model {
namespace {

constexpr std::size_t kConnectionsMax = 256;
constexpr int kBacklog = 128;

}  // namespace

Result<int> Server::listen(std::uint16_t port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  CHECK(listener >= 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool listens = ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
                       ::listen(listener, kBacklog) == 0;
  if (listens) return listener;
  const int error = errno;
  ::close(listener);
  return fail(Code::failed, fmt::format("cannot listen on 127.0.0.1:{}: {}", port, std::strerror(error)));
}

Server::Server(int listener, Handler handler)
    : listener_(listener), stopping_(::eventfd(0, EFD_CLOEXEC)), handler_(std::move(handler)) {
  CHECK(stopping_ >= 0);
  acceptor_ = std::thread([this] { accept_all(); });
}

Server::~Server() {
  const std::uint64_t one = 1;
  CHECK(::write(stopping_, &one, sizeof(one)) == sizeof(one));
  acceptor_.join();
  for (auto& connection : connections_) connection.thread.join();
  ::close(listener_);
  ::close(stopping_);
}

std::uint16_t Server::port() const {
  sockaddr_in address{};
  socklen_t bytes = sizeof(address);
  CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &bytes) == 0);
  return ntohs(address.sin_port);
}

void Server::accept_all() {
  while (true) {
    pollfd polled[] = {{listener_, POLLIN, 0}, {stopping_, POLLIN, 0}};
    if (::poll(polled, 2, -1) < 0 && errno != EINTR) return;
    if (polled[1].revents != 0) return;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    join_done();
    const int yes = 1;  // events of a stream are small and must not wait for each other
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    const std::lock_guard lock(mutex_);
    if (connections_.size() >= kConnectionsMax) {
      ::close(socket);
      continue;
    }
    Connection& connection = connections_.emplace_back();
    connection.thread = std::thread([this, socket, &connection] { serve(socket, connection); });
  }
}

void Server::serve(int socket, Connection& connection) {
  {
    Exchange exchange(socket, stopping_);
    while (const auto request = exchange.receive())
      if (!handler_(*request, exchange) || !request->keeps_alive()) break;
  }
  const std::lock_guard lock(mutex_);
  connection.is_done = true;
}

void Server::join_done() {
  std::list<Connection> done;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = connections_.begin(); it != connections_.end();) {
      const auto next = std::next(it);
      if (it->is_done) done.splice(done.end(), connections_, it);
      it = next;
    }
  }
  for (auto& connection : done) connection.thread.join();
}

}  // namespace teamster::model
