#include "e2e/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/check.h"

namespace teamster::e2e {
namespace {

constexpr unsigned short kRows = 24;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// As much of a terminal as the program may use. One character takes one column.
class Screen {
 public:
  explicit Screen(std::size_t columns) : columns_(columns) {}

  void write(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      if (bytes[at] == '\x1b')
        at = obey(bytes, at);
      else
        at = put(bytes, at);
    }
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& row : rows_) {
      std::string line;
      for (const auto& cell : row) line += cell;
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  std::size_t put(const std::string& bytes, std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    if (first == '\r') column_ = 0;
    if (first == '\n') next_row();
    if (first == '\b' && column_ > 0) --column_;
    if (first < 0x20) return at + 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (column_ == columns_) {
      next_row();
      column_ = 0;
    }
    auto& row = rows_[row_];
    if (row.size() <= column_) row.resize(column_ + 1, " ");
    row[column_++] = bytes.substr(at, length);
    return at + length;
  }

  // ESC [ numbers letter; what is not known is shown, so that a test sees it.
  std::size_t obey(const std::string& bytes, std::size_t at) {
    const std::size_t end = bytes.find_first_not_of("0123456789;", at + 2);
    if (end == std::string::npos || bytes[at + 1] != '[') return put("^", 0), at + 1;
    auto& row = rows_[row_];
    if (bytes[end] == 'K' || bytes[end] == 'J') row.resize(std::min(row.size(), column_));
    if (bytes[end] == 'J') rows_.resize(row_ + 1);
    if (bytes[end] == 'A') row_ -= std::min<std::size_t>(row_, 1);
    return end + 1;
  }

  void next_row() {
    if (++row_ == rows_.size()) rows_.emplace_back();
  }

  std::size_t columns_;
  std::vector<std::vector<std::string>> rows_{1};
  std::size_t row_ = 0;
  std::size_t column_ = 0;
};

}  // namespace

Terminal::Terminal(const Start& start, std::size_t columns) : columns_(columns) {
  const auto arguments = pointers(start.command);
  const auto environment = pointers(start.environment);
  winsize size{};
  size.ws_row = kRows;
  size.ws_col = static_cast<unsigned short>(columns);
  std::fflush(nullptr);  // what is buffered would be written twice
  pid_ = ::forkpty(&master_, nullptr, nullptr, &size);
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(127);
  }
  CHECK(::fcntl(master_, F_SETFL, O_NONBLOCK) == 0);
  CHECK(::fcntl(master_, F_SETFD, FD_CLOEXEC) == 0);
}

Terminal::Terminal(Terminal&& other) noexcept
    : columns_(other.columns_),
      pid_(std::exchange(other.pid_, -1)),
      master_(std::exchange(other.master_, -1)),
      bytes_(std::move(other.bytes_)),
      exit_(other.exit_) {}

Terminal::~Terminal() {
  if (pid_ < 0) return;
  if (!exit_) {
    kill(SIGKILL);
    (void)wait();
  }
  ::close(master_);
}

void Terminal::type(const std::string& text) const {
  CHECK(::write(master_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

void Terminal::take_in() {
  char buffer[65536];
  while (true) {
    const ssize_t count = ::read(master_, buffer, sizeof(buffer));
    if (count <= 0) return;
    bytes_.append(buffer, static_cast<std::size_t>(count));
  }
}

const std::string& Terminal::bytes() {
  take_in();
  return bytes_;
}

std::vector<std::string> Terminal::lines() {
  Screen screen(columns_);
  screen.write(bytes());
  return screen.lines();
}

std::string Terminal::screen() {
  std::string text;
  for (const auto& line : lines()) text += line + "\n";
  return text;
}

bool Terminal::shows(const std::string& text, Milliseconds limit) {
  return eventually([&] { return screen().find(text) != std::string::npos; }, limit);
}

std::optional<int> Terminal::wait(Milliseconds limit) {
  if (exit_) return exit_;
  int status = 0;
  const bool has_ended = eventually(
      [&] {
        take_in();
        return ::waitpid(pid_, &status, WNOHANG) == pid_;
      },
      limit);
  if (!has_ended) return std::nullopt;
  take_in();
  exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_;
}

void Terminal::kill(int signal) const {
  if (!exit_) ::kill(pid_, signal);
}

}  // namespace teamster::e2e
