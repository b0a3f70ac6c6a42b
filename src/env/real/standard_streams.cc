#include "env/real/standard_streams.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/check.h"

namespace teamster::env::real {
namespace {

// A descriptor of its own, which the stream may watch and close.
Descriptor duplicate(int fd) { return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)); }

// The kernel refuses to wait for what never blocks: files, /dev/null.
bool can_wait_for(int fd) {
  const Descriptor probe(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{.events = 0, .data = {.u64 = 0}};
  return ::epoll_ctl(probe.number(), EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

StandardStreams::NonBlocking::NonBlocking(int fd) : fd_(fd), flags_(::fcntl(fd, F_GETFL)) {
  if (flags_ >= 0) ::fcntl(fd_, F_SETFL, flags_ | O_NONBLOCK);
}

StandardStreams::NonBlocking::~NonBlocking() {
  if (flags_ >= 0) ::fcntl(fd_, F_SETFL, flags_);
}

StandardStreams::StandardStreams(EpollLoop& loop) : StandardStreams(loop, STDIN_FILENO, STDOUT_FILENO) {}

StandardStreams::StandardStreams(EpollLoop& loop, int input, int output)
    : loop_(loop),
      input_number_(input),
      output_number_(output),
      can_wait_for_input_(can_wait_for(input)),
      input_mode_(input),
      output_mode_(output),
      input_(loop, duplicate(input)),
      output_(loop, duplicate(output)) {}

void StandardStreams::start(Handlers handlers) {
  CHECK(!handlers_);
  handlers_ = std::make_shared<const Handlers>(std::move(handlers));
  const auto drained = [this] {
    if (handlers_->on_drained) handlers_->on_drained();
  };
  if (can_wait_for_input_)
    input_.start({.on_bytes = handlers_->on_bytes, .on_end = [this] { end(); }, .on_drained = nullptr});
  else
    read_file();
  // A file takes everything at once; there is nothing to wait for.
  if (!can_wait_for(output_number_)) return;
  output_.start({.on_bytes = nullptr,
                 .on_end =
                     [this, drained] {
                       const auto witness = bond_.witness();
                       end();
                       if (!witness.is_owner_gone()) drained();
                     },
                 .on_drained = drained});
}

void StandardStreams::pause_reading(bool paused) {
  is_paused_ = paused;
  if (can_wait_for_input_)
    input_.pause_reading(paused);
  else if (!paused && handlers_)
    read_file();
}

void StandardStreams::finish_writing() {
  // The reader sees the end when nobody has the descriptor any more; the number stays taken.
  const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nothing) ::dup2(nothing.number(), output_number_);
  output_.finish_writing();
}

// One piece a turn of the loop, so that a long file does not hold up the rest.
void StandardStreams::read_file() {
  if (is_reading_posted_ || has_file_ended_) return;
  is_reading_posted_ = true;
  loop_.post(bond_.tie([this] {
    is_reading_posted_ = false;
    if (is_paused_) return;
    std::array<char, 16 * 1024> buffer;
    ssize_t got = -1;
    do got = ::read(input_number_, buffer.data(), buffer.size());
    while (got < 0 && errno == EINTR);
    const auto witness = bond_.witness();
    const auto handlers = handlers_;
    if (got > 0 && handlers->on_bytes) handlers->on_bytes({buffer.data(), static_cast<std::size_t>(got)});
    if (witness.is_owner_gone()) return;
    if (got > 0) return read_file();
    has_file_ended_ = true;
    end();
  }));
}

void StandardStreams::end() {
  if (has_ended_) return;
  has_ended_ = true;
  const auto handlers = handlers_;
  if (handlers->on_end) handlers->on_end();
}

}  // namespace teamster::env::real
