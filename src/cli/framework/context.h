// Context: what a running command sees of the world. Outside is everything injected (real
// in main_entry.cc, fake in tests); Context adds what the common flags say. Nothing is
// built before a command asks for it, so that commands start fast. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "cli/framework/output.h"
#include "cli/text/palette.h"
#include "env/network.h"
#include "env/registration.h"
#include "env/world.h"
#include "protocol/client/call.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "protocol/client/pages.h"

namespace teamster::cli {

class Arguments;
class Registry;

struct StandardInput {
  std::string text;             // at most what was asked for
  std::size_t bytes_there = 0;  // how many there were; counting stops at some point
};

struct Outside {
  Output& out;
  Output& err;
  // Reads standard input to its end, keeping at most max_bytes.
  std::function<Result<StandardInput>(std::size_t max_bytes)> read_input;
  // One line of standard input without its end; nullopt at the end of input.
  std::function<std::optional<std::string>()> read_line;
  std::function<std::optional<std::string>(const char* name)> variable;
  std::function<WallTime()> now;
  std::function<Result<Json>(const hub::Access&, hub::Request)> call;
  std::function<env::World()> world;
  // The wall clock of all processes of a rehearsal; without one nothing.
  std::function<void(Duration)> put_clock_ahead = [](Duration) {};
  // The same world, but children belong to a keeper: nothing of them outlives this process.
  std::function<env::World()> kept_world = {};
  // Calls back from the world's loop when the signal comes.
  std::function<env::Registration(int signal, std::function<void()> callback)> watch_signal;
  // Standard input and output as one stream on the world's loop, for commands that talk over
  // their pipes. They use `out` no more once they have it.
  std::function<std::unique_ptr<env::Stream>()> standard_streams = {};
  // Calls back from the world's loop with each line that is typed on the terminal, and with nullopt when there will be
  // no more. What is typed while another program has the terminal is not for us.
  std::function<env::Registration(std::function<void(std::optional<std::string> line)> callback)> watch_input = {};
  // Forgets what was typed on the terminal and not read: the shell after us must not take it for a command.
  std::function<void()> drop_input = [] {};
  // Whether this process has the terminal, and not the shell that it is in the background of.
  std::function<bool()> has_terminal = [] { return true; };
  // Of the terminal; 0: not known.
  std::function<std::size_t()> columns = [] { return std::size_t{0}; };
  bool input_is_terminal = false;
  bool output_is_terminal = false;
  bool errors_are_terminal = false;
};

// What fits into one line of the terminal.
std::size_t terminal_columns(const Outside& outside);

struct WriteOptions {
  // Of a command that writes more than once: the user's idempotency key belongs to one
  // request, so each step gets one of its own made from it.
  std::string step = {};
  std::optional<Duration> wait = {};
};

class Context {
 public:
  Context(const Outside& outside, const Registry& registry, const Arguments& arguments);

  // Ask the hub, as the operator or as the token's member. The key of a request that writes is the user's.
  Result<Json> read(hub::Request request) const;
  Result<Json> write(hub::Request request, const std::string& step = {}) const;

  // A typed call (protocol/client/*_calls.h), read or written as the call says.
  template <class Call>
  Result<typename Call::Answer> ask(Call call, WriteOptions options = {}) const {
    return hub::read_answer<Call>(ask_for_document(std::move(call), std::move(options)));
  }
  // The same with the answer as the hub gave it: what --json prints.
  template <class Call>
  Result<Json> ask_for_document(Call call, WriteOptions options = {}) const {
    hub::Request request = hub::request_for(std::move(call), {.wait = options.wait});
    return Call::kWrites ? write(std::move(request), options.step) : read(std::move(request));
  }
  // Asks, and prints the answer as the hub gave it.
  template <class Call>
  Result<int> print_answer(Call call, WriteOptions options = {}) {
    print_json(TRY(ask_for_document(std::move(call), std::move(options))));
    return 0;
  }
  // Every item of a list that the hub hands out in pages.
  template <class Call>
  Result<std::vector<hub::ItemOf<Call>>> ask_for_all(Call call) const {
    static_assert(!Call::kWrites, "each page of a list that writes needs a step of its own: cli/text/pages.h");
    return hub::read_all(std::move(call), [this](Call page) { return ask(std::move(page)); });
  }

  bool wants_json() const { return wants_json_; }
  bool acts_as_member() const { return access_.token_file.has_value(); }

  // Whole lines. On a terminal those that are too wide for it are broken between words.
  void print(std::string_view text) const;
  // For other programs, though a person may look at it: no line is broken.
  void print_as_it_is(std::string_view text) const { outside_.out.write(text); }
  // One document, on one line.
  void print_json(const Json& document);
  // Says something that is no result: prompts, progress, why there is nothing.
  void note(std::string_view text) const;
  // Whether part of a document went out, so that an error must not start another.
  bool has_begun_json() const { return has_begun_json_; }
  void begin_json() { has_begun_json_ = true; }
  bool output_is_broken() const { return outside_.out.broken_by() != 0; }

  // Emphasis on a terminal that wants colour, else the text itself.
  const Palette& palette() const { return palette_; }
  // How wide a table may be; 0: it does not go to a terminal, so nothing has to be narrowed.
  std::size_t columns() const { return outside_.output_is_terminal ? terminal_columns(outside_) : 0; }

  WallTime now() const { return outside_.now(); }
  Result<hub::Home> home() const { return hub::Home::locate(outside_.variable); }
  // The directory in which the command was called; an error when it is gone.
  Result<std::string> directory() const;
  const Outside& outside() const { return outside_; }
  const Registry& registry() const { return registry_; }

 private:
  const Outside& outside_;
  const Registry& registry_;
  Palette palette_;
  hub::Access access_;
  std::optional<std::string> key_;
  bool wants_json_ = false;
  bool has_begun_json_ = false;
};

// {"error":{"code","what","next"}}
Json error_document(const Error& error);
// As wide as the terminal that errors go to, if they go to one.
std::string error_text_for(const Outside& outside, const Error& error);
// "teamster: what", then "  next" on a line of its own when there is any.
std::string error_text(const Error& error);

}  // namespace teamster::cli
