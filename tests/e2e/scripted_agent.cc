#include "e2e/scripted_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/check.h"
#include "e2e/fixture.h"
#include "e2e/process.h"

namespace teamster::e2e {
namespace {

void close_once(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

AgentPlace::AgentPlace() {
  path_ = "/tmp/teamster-agent-XXXXXX";
  CHECK(::mkdtemp(path_.data()) != nullptr);
}

AgentPlace::~AgentPlace() {
  const bool ended = eventually([this] {
    const auto left = processes_with(mark());
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    return left.empty();
  });
  EXPECT_TRUE(ended) << "a process of " << path_ << " cannot be ended";
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  EXPECT_FALSE(error) << path_ << ": " << error.message();
}

void AgentPlace::script(const std::string& text) const { write_file(file("script.json"), text); }

void AgentPlace::turn(const std::string& steps) const { script(R"({"turns":[{"steps":[)" + steps + "]}]}"); }

ScriptedAgent::ScriptedAgent(const AgentPlace& place, const Words& flags, const Words& environment)
    : err_file_(place.file("stderr." + std::to_string(::rand()))) {
  Words words = {TEAMSTER_BINARY, "script-agent",        "-p",          "--verbose", "--input-format",
                 "stream-json",   "--output-format",     "stream-json", "--script",  place.file("script.json"),
                 "--place",       place.file("sessions")};
  words.insert(words.end(), flags.begin(), flags.end());
  Words variables = {"PATH=/usr/bin:/bin", "HOME=" + place.path(), place.mark()};
  variables.insert(variables.end(), environment.begin(), environment.end());
  const auto arguments = pointers_to(words);
  const auto entries = pointers_to(variables);
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  CHECK(::pipe2(in.data(), O_CLOEXEC) == 0 && ::pipe2(out.data(), O_CLOEXEC) == 0);
  const int err = ::open(err_file_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  std::fflush(nullptr);
  pid_ = ::fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    ::setpgid(0, 0);
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::syscall(SYS_close_range, 3U, ~0U, 0U);
    if (::chdir(place.path().c_str()) != 0) ::_exit(126);
    ::execve(arguments[0], arguments.data(), entries.data());
    ::_exit(127);
  }
  ::setpgid(pid_, pid_);  // in both, so that it holds whoever comes first
  ::close(in[0]);
  ::close(out[1]);
  ::close(err);
  input_ = in[1];
  output_ = out[0];
}

ScriptedAgent::~ScriptedAgent() {
  if (!exit_) {
    kill(SIGKILL);
    (void)wait();
  }
  close_once(input_);
  close_once(output_);
}

void ScriptedAgent::write(const std::string& bytes) const {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t count = ::write(input_, bytes.data() + at, bytes.size() - at);
    if (count <= 0) return;  // it has gone; the test sees that elsewhere
    at += static_cast<std::size_t>(count);
  }
}

void ScriptedAgent::say(const std::string& text, const Json& uuid) const {
  Json line = {{"type", "user"}, {"message", {{"role", "user"}, {"content", text}}}};
  if (!uuid.is_null()) line["uuid"] = uuid;
  send(line);
}

void ScriptedAgent::control(const Json& request, const std::string& id) const {
  send({{"type", "control_request"}, {"request_id", id}, {"request", request}});
}

void ScriptedAgent::close_input() { close_once(input_); }
void ScriptedAgent::close_output() { close_once(output_); }
void ScriptedAgent::kill(int signal) const { ::kill(pid_, signal); }

std::optional<std::string> ScriptedAgent::raw_line(Milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::vector<char> chunk(256 * 1024);
  std::size_t looked = 0;
  while (true) {
    if (const auto at = buffer_.find('\n', looked); at != std::string::npos) {
      std::string line = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      return line;
    }
    looked = buffer_.size();
    const auto left = std::chrono::duration_cast<Milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ready{output_, POLLIN, 0};
    if (left <= 0ms || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) return std::nullopt;
    const ssize_t got = ::read(output_, chunk.data(), chunk.size());
    if (got <= 0) return std::nullopt;
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

Json ScriptedAgent::line(Milliseconds limit) {
  const auto text = raw_line(limit);
  if (!text) return nullptr;
  Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) json = nullptr;
  seen.push_back(json);
  return json;
}

Json ScriptedAgent::until(const std::string& type) {
  while (true) {
    const auto text = raw_line();
    if (!text) {
      ADD_FAILURE() << "no line of type " << type << "; stderr: " << err();
      return Json::object();
    }
    Json json = Json::parse(*text, nullptr, false);
    if (json.is_discarded()) json = nullptr;
    seen.push_back(json);
    if (json.is_object() && json.value("type", "") == type) return json;
  }
}

void ScriptedAgent::drain() {
  while (const auto text = raw_line()) {
    Json json = Json::parse(*text, nullptr, false);
    seen.push_back(json.is_discarded() ? Json() : json);
  }
}

bool ScriptedAgent::is_silent(Milliseconds span) { return !raw_line(span).has_value(); }

std::optional<int> ScriptedAgent::wait(Milliseconds limit) {
  if (exit_) return exit_;
  eventually(
      [this] {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
        exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return true;
      },
      limit);
  return exit_;
}

std::string ScriptedAgent::err() const { return read_file(err_file_); }

}  // namespace teamster::e2e
