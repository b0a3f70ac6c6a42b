// TypedLines: what is typed on the terminal, line by line, for a process with a loop. Reads nothing while the process
// is in the background: that is for the shell, and reading would stop us. Owned by whoever wants the lines; one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/line_reader.h"
#include "env/later.h"
#include "env/loop.h"
#include "env/real/epoll_loop.h"

namespace teamster::cli {

// Whether this process has the terminal behind the descriptor, and not another program.
bool has_terminal(int descriptor);
// Columns of the terminal that output goes to; 0: not known.
std::size_t columns_of_terminal();
// Forgets what was typed on standard input and not read.
void drop_typed();

class TypedLines {
 public:
  // nullopt: there will be no more. The callback may end the registration, but not inside its own call.
  using OnLine = std::function<void(std::optional<std::string> line)>;

  TypedLines(env::real::EpollLoop& loop, OnLine on_line);

 private:
  void watch();
  void read();
  void stop_watching();

  env::real::EpollLoop& loop_;
  OnLine on_line_;
  LineReader reader_;
  env::Registration ready_;
  env::Timer later_;
  env::Later after_this_;
};

}  // namespace teamster::cli
