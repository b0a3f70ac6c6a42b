#include "env/real/fd_stream.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "base/check.h"
#include "base/limits.h"

namespace teamster::env::real {
namespace {

bool is_socket(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

bool would_block(int error_number) { return error_number == EAGAIN || error_number == EWOULDBLOCK; }

}  // namespace

FdStream::FdStream(EpollLoop& loop, Descriptor descriptor)
    : loop_(loop), descriptor_(std::move(descriptor)), is_socket_(is_socket(descriptor_.number())) {}

void FdStream::start(Handlers handlers) {
  CHECK(!handlers_);
  handlers_ = std::make_shared<const Handlers>(std::move(handlers));
  update_watch();
  if (write_broken_) read_soon();
}

void FdStream::write(std::string_view bytes) {
  CHECK(!finishing_);
  if (write_broken_) return;
  const bool was_empty = unsent_.empty();
  unsent_.append(bytes);
  if (!was_empty) return;
  flush();
  update_watch();
}

void FdStream::pause_reading(bool paused) {
  paused_ = paused;
  update_watch();
}

void FdStream::finish_writing() {
  if (finishing_) return;
  finishing_ = true;
  if (unsent_.empty()) close_writing();
}

void FdStream::on_ready(std::uint32_t events) {
  const auto witness = bond_.witness();
  if (!unsent_.empty() && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) flush();
  if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) read_some();
  if (!witness.is_owner_gone()) update_watch();
}

// Reads what is there, bounded, so that one loud peer does not hold up the others.
void FdStream::read_some() {
  const auto witness = bond_.witness();
  const auto handlers = handlers_;
  std::array<char, 64 * 1024> buffer;
  std::size_t total = 0;
  while (handlers && !ended_ && !paused_ && descriptor_ && total < limits::kInputBytesPerTurnMax) {
    const ssize_t got = ::read(descriptor_.number(), buffer.data(), buffer.size());
    if (got > 0) {
      total += static_cast<std::size_t>(got);
      if (handlers->on_bytes) handlers->on_bytes({buffer.data(), static_cast<std::size_t>(got)});
      if (witness.is_owner_gone()) return;
      // A short read emptied it; the loop tells when there is more, or the end.
      if (static_cast<std::size_t>(got) < buffer.size() && !write_broken_) return;
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && would_block(errno) && !write_broken_) {
      return;
    } else {
      // End of file, an error, or nothing left to read from a peer that cannot be written to.
      return end();
    }
  }
}

void FdStream::end() {
  ended_ = true;
  update_watch();
  const auto handlers = handlers_;
  if (handlers->on_end) handlers->on_end();
}

void FdStream::flush() {
  while (!unsent_.empty()) {
    const std::string_view bytes = unsent_.front();
    const ssize_t sent = is_socket_ ? ::send(descriptor_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL)
                                    : ::write(descriptor_.number(), bytes.data(), bytes.size());
    if (sent >= 0) {
      unsent_.take(static_cast<std::size_t>(sent));
    } else if (errno != EINTR) {
      kept_back_ = would_block(errno);
      if (!kept_back_) break_writing();
      return;
    }
  }
  if (kept_back_) post_drained();
  kept_back_ = false;
  if (finishing_) close_writing();
}

// What was received before the break is still read; then comes on_end, from the loop.
void FdStream::break_writing() {
  write_broken_ = true;
  unsent_.clear();
  read_soon();
}

void FdStream::close_writing() {
  if (is_socket_) {
    ::shutdown(descriptor_.number(), SHUT_WR);
    return;
  }
  // A pipe has one direction: closing its writing end is how the reader sees the end.
  if ((::fcntl(descriptor_.number(), F_GETFL) & O_ACCMODE) != O_WRONLY) return;
  watch_.reset();
  watched_events_ = 0;
  descriptor_.reset();
}

void FdStream::post_drained() {
  if (drained_posted_ || !handlers_ || !handlers_->on_drained) return;
  drained_posted_ = true;
  loop_.post(bond_.tie([this] {
    drained_posted_ = false;
    const auto handlers = handlers_;
    if (unsent_.empty() && !ended_) handlers->on_drained();
  }));
}

// No watch at all when there is nothing to wait for: epoll reports a hang-up even to an
// empty mask, and a paused stream would then spin.
void FdStream::update_watch() {
  std::uint32_t wanted = 0;
  if (descriptor_ && handlers_ && !paused_ && !ended_) wanted |= EPOLLIN;
  if (descriptor_ && !unsent_.empty()) wanted |= EPOLLOUT;
  if (wanted == watched_events_) return;
  if (wanted == 0) {
    watch_.reset();
  } else if (watch_) {
    loop_.change_events(descriptor_.number(), wanted);
  } else {
    watch_ = loop_.watch_fd(descriptor_.number(), wanted, [this](std::uint32_t events) { on_ready(events); });
  }
  watched_events_ = wanted;
}

void FdStream::read_soon() {
  loop_.post(bond_.tie([this] { read_some(); }));
}

// That of the moment of connect: a socket that was handed on later is still that of who made it.
std::int64_t FdStream::peer_pid() const {
  if (!is_socket_) return 0;
  ucred peer{};
  socklen_t bytes = sizeof(peer);
  return ::getsockopt(descriptor_.number(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 ? peer.pid : 0;
}

}  // namespace teamster::env::real
