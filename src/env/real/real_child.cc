#include "env/real/real_child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "base/check.h"
#include "env/file_error.h"
#include "env/real/program_arguments.h"

namespace teamster::env::real {
namespace {

struct Pipe {
  Descriptor reader, writer;
};

// Above the standard streams, so that making the child's cannot overwrite one of these.
Descriptor above_standard_streams(int fd) {
  Descriptor original(fd);
  if (fd > STDERR_FILENO || fd < 0) return original;
  return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(file_error(errno, "make", "a pipe"));
  Pipe pipe{above_standard_streams(ends[0]), above_standard_streams(ends[1])};
  if (!pipe.reader || !pipe.writer) return fail(file_error(errno, "make", "a pipe"));
  return pipe;
}

void make_non_blocking(const Descriptor& ours) { ::fcntl(ours.number(), F_SETFL, O_NONBLOCK); }

// What the child does between fork and exec, as posix_spawn wants it told.
class Instructions {
 public:
  Instructions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none{};
    sigset_t all{};
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Instructions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Instructions(const Instructions&) = delete;
  Instructions& operator=(const Instructions&) = delete;

  void use(const Descriptor& source, int target) {
    ::posix_spawn_file_actions_adddup2(&actions_, source.number(), target);
  }
  void finish(const std::string& directory) {
    // Ours are all close-on-exec; this is for what we inherited ourselves.
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    if (!directory.empty()) ::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
  }
  // Returns 0 or the errno, also that of a failed exec.
  int run(pid_t& pid, const Spawn& spawn) const {
    const ProgramArguments arguments(spawn.arguments);
    const ProgramArguments environment(spawn.environment);
    return ::posix_spawn(&pid, spawn.program.c_str(), &actions_, &attributes_, arguments.get(), environment.get());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<std::unique_ptr<Child>> RealChild::start(EpollLoop& loop, const Spawn& spawn) {
  Pipe input = TRY(make_pipe());
  Pipe output = TRY(make_pipe());
  Pipe errors = TRY(make_pipe());
  Instructions instructions;
  instructions.use(input.reader, STDIN_FILENO);
  instructions.use(output.writer, STDOUT_FILENO);
  instructions.use(errors.writer, STDERR_FILENO);
  instructions.finish(spawn.directory);
  pid_t pid = -1;
  if (const int error_number = instructions.run(pid, spawn); error_number != 0) {
    const std::string where = spawn.directory.empty() ? "" : fmt::format(" in {}", spawn.directory);
    return fail(file_error(error_number, "start", spawn.program + where));
  }
  Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) {
    const int error_number = errno;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return fail(file_error(error_number, "watch", spawn.program));
  }
  make_non_blocking(input.writer);
  make_non_blocking(output.reader);
  make_non_blocking(errors.reader);
  return std::make_unique<RealChild>(
      loop, pid, std::move(process),
      Pipes{std::move(input.writer), std::move(output.reader), std::move(errors.reader)});
}

RealChild::RealChild(EpollLoop& loop, pid_t pid, Descriptor process, Pipes pipes)
    : loop_(loop),
      pid_(pid),
      process_(std::move(process)),
      input_(loop, std::move(pipes.input)),
      output_(loop, std::move(pipes.output)),
      errors_(loop, std::move(pipes.errors)) {}

RealChild::~RealChild() {
  watch_.reset();
  signal_group(SIGKILL);
  siginfo_t ignored{};
  while (::waitid(P_PIDFD, static_cast<id_t>(process_.number()), &ignored, WEXITED) != 0 && errno == EINTR) {
  }
}

void RealChild::on_exit(std::function<void(ExitStatus)> callback) {
  CHECK(!on_exit_);
  on_exit_ = std::move(callback);
  watch_ = loop_.watch_fd(process_.number(), EPOLLIN, [this](std::uint32_t) { look_for_exit(); });
}

void RealChild::look_for_exit() {
  siginfo_t result{};
  const auto id = static_cast<id_t>(process_.number());
  // WNOWAIT: it is reaped by the destructor, see above.
  if (::waitid(P_PIDFD, id, &result, WEXITED | WNOHANG | WNOWAIT) != 0 || result.si_pid == 0) return;
  watch_.reset();
  // Moved out: the callback may destroy this child.
  const auto callback = std::move(on_exit_);
  callback(ExitStatus{.signaled = result.si_code != CLD_EXITED, .code = result.si_status});
}

void RealChild::signal_group(int number) { ::kill(-pid_, number); }

}  // namespace teamster::env::real
