#include "cli/framework/standard_output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace teamster::cli {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

// Waits for room when somebody else made the descriptor non-blocking.
bool can_go_on(int descriptor) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  pollfd waiting{descriptor, POLLOUT, 0};
  return ::poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

void StandardOutput::write(std::string_view text) {
  if (broken_by_ != 0) return;
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) flush();
}

void StandardOutput::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && broken_by_ == 0) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0)
      rest.remove_prefix(static_cast<std::size_t>(written));
    else if (!can_go_on(descriptor_))
      broken_by_ = errno;
  }
  buffer_.clear();
}

}  // namespace teamster::cli
