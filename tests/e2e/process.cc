#include "e2e/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "base/check.h"

namespace teamster::e2e {
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

namespace {

int memory_file(const std::string& content) {
  const int file = static_cast<int>(::syscall(SYS_memfd_create, "e2e", 0U));
  CHECK(file >= 0);
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t count = ::write(file, content.data() + at, content.size() - at);
    CHECK(count > 0);
    at += static_cast<std::size_t>(count);
  }
  CHECK(::lseek(file, 0, SEEK_SET) == 0);
  return file;
}

std::string content_of(int file) {
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t count = ::pread(file, buffer, sizeof(buffer), static_cast<off_t>(content.size()));
    if (count <= 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
  }
}

std::string proc_file(pid_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> zero_ended(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, '\0');) parts.push_back(part);
  return parts;
}

// In the child: nothing of the test's own descriptors is passed on.
[[noreturn]] void become(const Start& start, int input, int out, int err, char* const* arguments,
                         char* const* environment) {
  ::dup2(input, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (start.close_input) ::close(STDIN_FILENO);
  ::syscall(SYS_close_range, 3U, ~0U, 0U);
  std::signal(SIGPIPE, SIG_DFL);
  if (start.uid && (::setgroups(0, nullptr) != 0 || ::setgid(*start.uid) != 0 || ::setuid(*start.uid) != 0))
    ::_exit(126);
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

}  // namespace

Process::Process(const Start& start) : out_(memory_file("")), err_(memory_file("")) {
  const int input = memory_file(start.input);
  const auto arguments = pointers_to(start.command);
  const auto environment = pointers_to(start.environment);
  std::fflush(nullptr);  // what is buffered would be written twice
  pid_ = ::fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) become(start, input, out_, err_, arguments.data(), environment.data());
  ::close(input);
  pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0U));
  CHECK(pidfd_ >= 0);
}

Process::Process(const std::function<int()>& body) : out_(memory_file("")), err_(memory_file("")) {
  std::fflush(nullptr);  // what is buffered would be written twice
  pid_ = ::fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    ::dup2(out_, STDOUT_FILENO);
    ::dup2(err_, STDERR_FILENO);
    ::_exit(body());
  }
  pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0U));
  CHECK(pidfd_ >= 0);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::exchange(other.pidfd_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      exit_(other.exit_) {}

Process::~Process() {
  if (pid_ < 0) return;
  if (!exit_) {
    kill(SIGKILL);
    (void)wait();
  }
  for (const int file : {pidfd_, out_, err_}) ::close(file);
}

std::optional<int> Process::wait(Milliseconds limit) {
  if (exit_) return exit_;
  pollfd ended{pidfd_, POLLIN, 0};
  int ready = -1;
  do ready = ::poll(&ended, 1, static_cast<int>(limit.count()));
  while (ready < 0 && errno == EINTR);
  if (ready <= 0) return std::nullopt;
  int status = 0;
  CHECK(::waitpid(pid_, &status, 0) == pid_);
  exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_;
}

void Process::kill(int signal) {
  if (!exit_) ::kill(pid_, signal);
}

std::string Process::out() const { return content_of(out_); }
std::string Process::err() const { return content_of(err_); }

bool eventually(const std::function<bool()>& condition, Milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

std::vector<pid_t> processes_with(const std::string& variable) {
  std::vector<pid_t> found;
  DIR* directory = ::opendir("/proc");
  CHECK(directory != nullptr);
  while (const dirent* entry = ::readdir(directory)) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (const auto parsed = std::from_chars(entry->d_name, end, pid); parsed.ec != std::errc{} || parsed.ptr != end)
      continue;
    const std::string text = proc_file(pid, "environ");
    if (text.find(variable) == std::string::npos) continue;
    const auto environment = zero_ended(text);
    if (std::find(environment.begin(), environment.end(), variable) != environment.end()) found.push_back(pid);
  }
  ::closedir(directory);
  return found;
}

std::vector<std::string> arguments_of(pid_t pid) { return zero_ended(proc_file(pid, "cmdline")); }

bool has_ended(pid_t pid, Milliseconds limit) {
  return eventually(
      [pid] {
        const std::string status = proc_file(pid, "stat");
        const auto name_end = status.rfind(')');
        return name_end == std::string::npos || status.substr(name_end, 3) == ") Z" ||
               status.substr(name_end, 3) == ") X";
      },
      limit);
}

}  // namespace teamster::e2e
