#include "bench/batch_server.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <vector>

#include "base/check.h"
#include "env/file_error.h"
#include "protocol/client/frame.h"

namespace teamster::bench {
namespace {

using env::real::Descriptor;

// A write-ahead log is a ring as well: its blocks exist, so a sync writes data alone.
constexpr off_t kRingBytes = 32 * 1024 * 1024;
constexpr std::string_view kAnswer = R"({"id":1234,"ok":{"id":123456,"receipt":"queued"}})";

struct Received {
  int from;
  std::string payload;
};

class Ring {
 public:
  explicit Ring(Descriptor file) : file_(std::move(file)) {
    const std::string zeros(1024 * 1024, '\0');
    for (off_t at = 0; at < kRingBytes; at += static_cast<off_t>(zeros.size()))
      CHECK(::pwrite(file_.number(), zeros.data(), zeros.size(), at) == static_cast<ssize_t>(zeros.size()));
    CHECK(::fsync(file_.number()) == 0);
  }
  void store(std::string_view bytes) {
    if (at_ + static_cast<off_t>(bytes.size()) > kRingBytes) at_ = 0;
    CHECK(::pwrite(file_.number(), bytes.data(), bytes.size(), at_) == static_cast<ssize_t>(bytes.size()));
    CHECK(::fdatasync(file_.number()) == 0);
    at_ += static_cast<off_t>(bytes.size());
  }

 private:
  Descriptor file_;
  off_t at_ = 0;
};

class Service {
 public:
  Service(Descriptor listener, Descriptor file)
      : listener_(std::move(listener)), ring_(std::move(file)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    watch(listener_.number());
  }

  [[noreturn]] void run() {
    for (;;) {
      std::array<epoll_event, 256> events;
      const int ready = ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < ready; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        fd == listener_.number() ? accept() : read(fd);
      }
      answer();
    }
  }

 private:
  void watch(int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    CHECK(::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, fd, &event) == 0);
  }

  void accept() {
    const int fd = ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    watch(fd);
    decoders_.emplace(fd, hub::FrameDecoder());
  }

  void read(int fd) {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got <= 0) {
      decoders_.erase(fd);
      std::erase(waiters_, fd);
      ::close(fd);
      return;
    }
    auto& decoder = decoders_.at(fd);
    decoder.add({buffer.data(), static_cast<std::size_t>(got)});
    for (;;) {
      auto payload = decoder.next();
      if (!payload || !*payload) return;
      received_.push_back({fd, **std::move(payload)});
    }
  }

  void answer() {
    std::string batch;
    for (const auto& each : received_)
      if (each.payload[0] != BatchClient::kWaits) hub::append_frame(batch, each.payload);
    if (!batch.empty()) ring_.store(batch);
    for (const auto& [from, payload] : std::exchange(received_, {})) {
      if (payload[0] == BatchClient::kWaits) {
        wait(from);
        continue;
      }
      if (payload[0] == BatchClient::kWakes) wake(payload);
      send(from, kAnswer);
    }
  }

  void wait(int fd) {
    if (unheard_.empty())
      waiters_.push_back(fd);
    else
      send(fd, std::exchange(unheard_, {}));
  }
  // On a busy machine a waiter may be late; what it would have heard is kept for it.
  void wake(const std::string& payload) {
    if (waiters_.empty()) unheard_ = payload;
    for (const int waiter : std::exchange(waiters_, {})) send(waiter, payload);
  }

  static void send(int fd, std::string_view payload) {
    std::string frame;
    hub::append_frame(frame, payload);
    // A client that has gone is noticed by the next read.
    (void)!::send(fd, frame.data(), frame.size(), MSG_NOSIGNAL);
  }

  Descriptor listener_;
  Ring ring_;
  Descriptor epoll_;
  std::map<int, hub::FrameDecoder> decoders_;
  std::vector<Received> received_;
  std::vector<int> waiters_;
  std::string unheard_;
};

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return fail(Code::invalid, "too long for a socket: " + path);
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

}  // namespace

Result<BatchServer> BatchServer::start(const std::string& directory) {
  const std::string path = directory + "/batch.sock";
  const auto address = TRY(address_of(path));
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener.number(), 1024) != 0)
    return fail(env::file_error(errno, "listen at", path));
  const std::string ring = directory + "/batch.ring";
  Descriptor file(::open(ring.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return fail(env::file_error(errno, "create", ring));
  auto process = TRY(ChildProcess::fork([&] { Service(std::move(listener), std::move(file)).run(); }));
  return BatchServer(path, std::move(process));
}

Result<BatchClient> BatchClient::connect(const std::string& socket_path) {
  const auto address = TRY(address_of(socket_path));
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return fail(env::file_error(errno, "connect to", socket_path));
  return BatchClient(std::move(socket));
}

Result<void> BatchClient::send(std::string_view payload) {
  std::string frame;
  hub::append_frame(frame, payload);
  if (::send(socket_.number(), frame.data(), frame.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(frame.size()))
    return fail(Code::failed, "the batch server does not take the request");
  return {};
}

Result<std::string> BatchClient::receive() {
  hub::FrameDecoder decoder;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(socket_.number(), buffer.data(), buffer.size());
    if (got <= 0) return fail(Code::failed, "the batch server has gone");
    decoder.add({buffer.data(), static_cast<std::size_t>(got)});
    if (auto payload = TRY(decoder.next())) return *std::move(payload);
  }
}

}  // namespace teamster::bench
