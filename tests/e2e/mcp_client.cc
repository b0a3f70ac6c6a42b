#include "e2e/mcp_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/check.h"
#include "e2e/process.h"

namespace teamster::e2e {
namespace {

bool is_ready(int descriptor, short events, Milliseconds limit) {
  pollfd poll{descriptor, events, 0};
  return ::poll(&poll, 1, static_cast<int>(limit.count())) == 1;
}

}  // namespace

McpClient::McpClient(const Home& home, const Words& words) {
  std::vector<std::string> command = {TEAMSTER_BINARY, "mcp"};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<std::string> environment = {"TEAMSTER_HOME=" + home.path(), "HOME=" + home.scratch(),
                                          "PATH=/usr/bin:/bin"};
  const auto arguments = pointers_to(command);
  const auto variables = pointers_to(environment);
  int in[2];
  int out[2];
  CHECK(::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::fflush(nullptr);  // what is buffered would be written twice
  pid_ = ::fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::syscall(SYS_close_range, 3U, ~0U, 0U);
    ::execve(arguments[0], arguments.data(), variables.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  in_ = in[1];
  out_ = out[0];
  CHECK(::fcntl(in_, F_SETFL, O_NONBLOCK) == 0);
}

McpClient McpClient::of_member(const Home& home, const std::string& team, const std::string& member, Words more) {
  Words words = {"--team", team, "--member", member};
  words.insert(words.end(), more.begin(), more.end());
  return McpClient(home, words);
}

McpClient::McpClient(McpClient&& other) noexcept
    : others(std::move(other.others)),
      pid_(std::exchange(other.pid_, -1)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      read_(std::move(other.read_)),
      ended_(other.ended_) {}

McpClient::~McpClient() {
  close_input();
  if (out_ >= 0) ::close(out_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool McpClient::say(const std::string& line, Milliseconds limit) {
  const std::string bytes = line + "\n";
  for (std::size_t at = 0; at < bytes.size();) {
    if (!is_ready(in_, POLLOUT, limit)) return false;
    const ssize_t count = ::write(in_, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno != EAGAIN) return false;
    at += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return true;
}

bool McpClient::read_some(Milliseconds limit) {
  if (ended_ || !is_ready(out_, POLLIN, limit)) return false;
  char buffer[65536];
  const ssize_t count = ::read(out_, buffer, sizeof(buffer));
  ended_ = count <= 0;
  if (count > 0) read_.append(buffer, static_cast<std::size_t>(count));
  return !ended_;
}

std::optional<Json> McpClient::hear(Milliseconds limit) {
  std::size_t end = read_.find('\n');
  while (end == std::string::npos) {
    const std::size_t searched = read_.size();
    if (!read_some(limit)) return std::nullopt;
    end = read_.find('\n', searched);
  }
  const std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  Json message = Json::parse(line, nullptr, false);
  EXPECT_EQ(message.is_object() ? message.value("jsonrpc", "") : "", "2.0") << "not a message: " << line.substr(0, 500);
  return message;
}

Json McpClient::hear_answer(const Json& id) {
  while (auto message = hear()) {
    if (message->contains("id") && (*message)["id"] == id && !message->contains("method")) return *std::move(message);
    others.push_back(*std::move(message));
  }
  ADD_FAILURE() << "no answer to " << id;
  return {};
}

void McpClient::close_input() {
  if (in_ >= 0) ::close(std::exchange(in_, -1));
}

std::vector<Json> McpClient::hear_rest() {
  std::vector<Json> rest;
  while (auto message = hear()) rest.push_back(*std::move(message));
  EXPECT_TRUE(ended_ && read_.empty()) << "its output ends with whole messages";
  return rest;
}

std::optional<int> McpClient::wait(Milliseconds limit) {
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, limit);
  if (!ended) return std::nullopt;
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace teamster::e2e
