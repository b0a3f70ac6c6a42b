#include "env/real/detached_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "env/file_error.h"
#include "env/real/descriptor.h"
#include "env/real/program_arguments.h"

namespace teamster::env::real {
namespace {

// What the processes below tell us through the pipe. The grandchild reports its pid, and
// a second time with the errno when exec fails; a successful exec closes the pipe.
struct Report {
  pid_t pid = -1;
  int error_number = 0;
};

// Everything the new processes need, made before the fork: after it only
// async-signal-safe calls are allowed.
struct Plan {
  const char* program;
  const char* directory;
  char* const* arguments;
  char* const* environment;
  int report;
};

void send(const Plan& plan, Report report) {
  while (::write(plan.report, &report, sizeof(report)) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void fail_in_child(const Plan& plan) {
  send(plan, {::getpid(), errno});
  ::_exit(127);
}

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none{};
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void close_on_exec_above_standard_streams() {
  if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  // Linux before 5.11. Ours are close-on-exec anyway; this is for what we inherited.
  constexpr int kInheritedMax = 1024;
  for (int fd = STDERR_FILENO + 1; fd < kInheritedMax; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

[[noreturn]] void become_program(const Plan& plan) {
  send(plan, {::getpid(), 0});
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR);
  if (nothing < 0) fail_in_child(plan);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::dup2(nothing, fd) < 0) fail_in_child(plan);
  close_on_exec_above_standard_streams();
  // Away from the caller's directory, which somebody may want to unmount.
  if (::chdir(plan.directory) != 0) fail_in_child(plan);
  reset_signals();
  ::execve(plan.program, plan.arguments, plan.environment);
  fail_in_child(plan);
}

// The process between us and the program: it ends at once, and so gives it away.
[[noreturn]] void become_intermediate(const Plan& plan) {
  const pid_t pid = ::fork();
  if (pid < 0) fail_in_child(plan);
  if (pid == 0) become_program(plan);
  ::_exit(0);
}

// Ends when exec or death has closed the last writing end.
Report receive(const Descriptor& pipe) {
  Report last{-1, ECHILD};
  Report report;
  ssize_t got = 0;
  while ((got = ::read(pipe.number(), &report, sizeof(report))) != 0) {
    if (got == sizeof(report)) last = report;
    if (got < 0 && errno != EINTR) break;
  }
  return last;
}

}  // namespace

Result<std::int64_t> start_detached(const Spawn& spawn) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(file_error(errno, "start", spawn.program));
  const Descriptor reader(ends[0]);
  // The standard streams are replaced in the new process; the report must not be one of them.
  Descriptor writer(::fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  ::close(ends[1]);
  if (!writer) return fail(file_error(errno, "start", spawn.program));

  const ProgramArguments arguments(spawn.arguments);
  const ProgramArguments environment(spawn.environment);
  const Plan plan{spawn.program.c_str(), spawn.directory.empty() ? "/" : spawn.directory.c_str(), arguments.get(),
                  environment.get(), writer.number()};
  const pid_t intermediate = ::fork();
  if (intermediate < 0) return fail(file_error(errno, "start", spawn.program));
  if (intermediate == 0) become_intermediate(plan);
  writer.reset();
  while (::waitpid(intermediate, nullptr, 0) < 0 && errno == EINTR) {
  }
  const Report report = receive(reader);
  if (report.error_number != 0) return fail(file_error(report.error_number, "start", spawn.program));
  return report.pid;
}

}  // namespace teamster::env::real
