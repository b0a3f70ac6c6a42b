#include "keeper/child_start.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "env/real/program_arguments.h"

#ifdef __SANITIZE_THREAD__
// ThreadSanitizer makes a fork of vfork, and its child has a memory of its own.
extern "C" pid_t __vfork();
#define vfork __vfork
#endif

namespace teamster::keeper {
namespace {

// Made before the fork: after it only async-signal-safe calls are allowed.
struct Plan {
  const char* program;
  const char* directory;  // nullptr: stay
  char* const* arguments;
  char* const* environment;
  ChildStreams streams;
  const rlimit* descriptors;
  pid_t keeper;
  // The child shares our memory until it has become its program, so it can tell us here.
  volatile int error_number;
};

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none{};
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void become_program(Plan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.keeper) ::_exit(127);  // it died before the line above
  ::setpgid(0, 0);
  const int streams[] = {plan.streams.input, plan.streams.output, plan.streams.errors};
  for (int target = STDIN_FILENO; target <= STDERR_FILENO; ++target)
    if (::dup2(streams[target], target) < 0) return;
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) return;
  ::setrlimit(RLIMIT_NOFILE, plan.descriptors);
  reset_signals();
  ::execve(plan.program, plan.arguments, plan.environment);
}

// vfork: the keeper's page tables are not copied, and it goes on when the child has become
// its program or has failed. Nothing of this frame is used after the child returns to it.
[[gnu::noinline]] pid_t fork_into(Plan& plan) {
  const pid_t pid = ::vfork();
  if (pid != 0) return pid;
  become_program(plan);
  plan.error_number = errno;
  ::_exit(127);
}

}  // namespace

pid_t start_child(const env::Spawn& spawn, const ChildStreams& streams, const rlimit& descriptors) {
  const env::real::ProgramArguments arguments(spawn.arguments);
  const env::real::ProgramArguments environment(spawn.environment);
  Plan plan{spawn.program.c_str(),
            spawn.directory.empty() ? nullptr : spawn.directory.c_str(),
            arguments.get(),
            environment.get(),
            streams,
            &descriptors,
            ::getpid(),
            0};
  const pid_t pid = fork_into(plan);
  if (pid < 0) return -errno;
  return plan.error_number != 0 ? -plan.error_number : pid;
}

rlimit raise_descriptor_limit() {
  rlimit found{};
  if (::getrlimit(RLIMIT_NOFILE, &found) != 0) return found;
  rlimit raised = found;
  raised.rlim_cur = raised.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &raised);
  return found;
}

}  // namespace teamster::keeper
