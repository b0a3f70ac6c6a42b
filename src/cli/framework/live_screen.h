// LiveScreen: the output of a command that goes on for a while: lines that stay, and below them one live line that is
// drawn again in place. Where output goes to no terminal the live line is written now and then instead, while there is
// nothing else to see. Owned by the command; on its loop.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "cli/framework/context.h"
#include "env/clock.h"
#include "env/loop.h"

namespace teamster::cli {

struct LiveScreenOptions {
  // The live line, at most so many columns wide; empty: there is none.
  std::function<std::string(std::size_t columns)> live;
  // Whether somebody is to type something: then no line is drawn where it is typed.
  std::function<bool()> is_typed_at = [] { return false; };
  // Whether silence has to be explained where output goes to no terminal.
  std::function<bool()> is_at_work = [] { return true; };
};

class LiveScreen {
 public:
  LiveScreen(Context& context, const env::World& world, LiveScreenOptions options);
  ~LiveScreen() { stop(); }
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  // From now on there is a live line; until stop() takes it away.
  void start();
  void stop();
  // Lines that stay: results on standard output, notes on standard error.
  void print(std::string_view text);
  void note(std::string_view text);
  // The live line says something else now.
  void changed();
  // A line was typed: the terminal has shown it, and gone to the next line.
  void line_was_typed();

 private:
  bool draws() const;
  void draw();
  void erase();
  void tick();
  void explain_silence();

  Context& context_;
  env::Clock& clock_;
  env::Loop& loop_;
  const LiveScreenOptions options_;
  const bool is_terminal_;
  bool is_started_ = false;
  bool is_drawn_ = false;
  Instant silent_since_;
  Duration explain_after_;
  env::Timer tick_;
  env::Timer redraw_;
};

}  // namespace teamster::cli
