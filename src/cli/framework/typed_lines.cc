#include "cli/framework/typed_lines.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace teamster::cli {
namespace {

constexpr std::size_t kTypedMaxBytes = 4096;  // as much as a terminal takes
constexpr Duration kLookForTerminalAfter = std::chrono::seconds(1);

}  // namespace

bool has_terminal(int descriptor) {
  const pid_t group = ::tcgetpgrp(descriptor);
  return group == -1 || group == ::getpgrp();
}

std::size_t columns_of_terminal() {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO}) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  return 0;
}

void drop_typed() {
  if (has_terminal(STDIN_FILENO)) ::tcflush(STDIN_FILENO, TCIFLUSH);
}

TypedLines::TypedLines(env::real::EpollLoop& loop, OnLine on_line)
    : loop_(loop), on_line_(std::move(on_line)), reader_(kTypedMaxBytes), after_this_(loop) {
  watch();
}

void TypedLines::watch() {
  ready_ = loop_.watch_fd(STDIN_FILENO, EPOLLIN, [this](std::uint32_t) { read(); });
}

// Not inside its own callback.
void TypedLines::stop_watching() {
  after_this_.call([this] { ready_.reset(); });
}

void TypedLines::read() {
  if (!has_terminal(STDIN_FILENO)) {
    stop_watching();
    later_ = loop_.after(kLookForTerminalAfter, [this] { watch(); });
    return;
  }
  // Once: the loop says when there is more, and to wait for it would keep everything else waiting.
  std::array<char, kTypedMaxBytes> buffer;
  const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    stop_watching();
    return on_line_(std::nullopt);
  }
  reader_.add({buffer.data(), static_cast<std::size_t>(count)});
  while (const auto line = reader_.next()) on_line_(std::string(line->text));
}

}  // namespace teamster::cli
