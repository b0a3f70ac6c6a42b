#include "env/real/kernel_file_sync.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/check.h"
#include "env/file_error.h"

namespace teamster::env::real {

Result<std::unique_ptr<FileSync>> KernelFileSync::open(EpollLoop& loop, const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) return fail(file_error(errno, "open", path));
  return std::unique_ptr<FileSync>(new KernelFileSync(loop, path, std::move(file)));
}

KernelFileSync::KernelFileSync(EpollLoop& loop, std::string path, Descriptor file)
    : loop_(loop), path_(std::move(path)), file_(std::move(file)), finished_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!finished_ || ::syscall(SYS_io_setup, 1, &context_) != 0) {
    context_ = 0;
    return;
  }
  watch_ = loop_.watch_fd(finished_.number(), EPOLLIN, [this](std::uint32_t) { take_result(); });
}

KernelFileSync::~KernelFileSync() {
  *alive_ = false;
  if (context_ != 0) ::syscall(SYS_io_destroy, context_);  // waits for what runs
}

Result<void> KernelFileSync::result_of(std::int64_t result) const {
  if (result >= 0) return {};
  const Error error = file_error(static_cast<int>(-result), "sync", path_);
  // Some of it may be on disk, and nobody knows what.
  return fail(Code::unknown_outcome, error.what, error.next);
}

Result<void> KernelFileSync::now() { return result_of(::fdatasync(file_.number()) == 0 ? 0 : -errno); }

bool KernelFileSync::submit() {
  if (context_ == 0) return false;
  iocb request{};
  request.aio_lio_opcode = IOCB_CMD_FDSYNC;
  request.aio_fildes = static_cast<std::uint32_t>(file_.number());
  request.aio_flags = IOCB_FLAG_RESFD;
  request.aio_resfd = static_cast<std::uint32_t>(finished_.number());
  iocb* list = &request;
  return ::syscall(SYS_io_submit, context_, 1, &list) == 1;
}

void KernelFileSync::start(std::function<void(Result<void>)> done) {
  CHECK(!done_);
  done_ = std::move(done);
  if (submit()) return;
  loop_.post([this, alive = alive_, result = now()] {
    if (*alive) std::exchange(done_, nullptr)(result);
  });
}

void KernelFileSync::take_result() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto cleared = ::read(finished_.number(), &count, sizeof count);
  io_event event{};
  if (::syscall(SYS_io_getevents, context_, 0, 1, &event, nullptr) != 1 || !done_) return;
  std::exchange(done_, nullptr)(result_of(event.res));
}

}  // namespace teamster::env::real
