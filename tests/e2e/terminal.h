// Terminal: a program on a pseudo-terminal of its own, as a person sits before it: what is typed goes to the program,
// what it shows is kept, as bytes and as lines of a screen. Destroying it kills and reaps the program. Every wait has a
// limit.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "e2e/process.h"

namespace teamster::e2e {

class Terminal {
 public:
  explicit Terminal(const Start& start, std::size_t columns = 80);
  ~Terminal();
  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& text) const;
  // All that was written to it.
  const std::string& bytes();
  // What a screen of these columns shows, with all that has scrolled away above it. Colours are left out.
  std::vector<std::string> lines();
  std::string screen();
  // Looks until the text is on the screen; how many times it is there.
  bool shows(const std::string& text, Milliseconds limit = 20s);
  // The exit code, 128 + signal, or nullopt when it still runs after the limit.
  std::optional<int> wait(Milliseconds limit = kPatience);
  bool is_running() { return !wait(0ms).has_value(); }
  void kill(int signal) const;

 private:
  void take_in();

  std::size_t columns_;
  pid_t pid_ = -1;
  int master_ = -1;
  std::string bytes_;
  std::optional<int> exit_;
};

}  // namespace teamster::e2e
