// Program: one program run in the user's project, with nothing on its standard input and in a
// process group of its own. Keeps the end of what it printed. Calls back once, from the loop,
// when it has ended and its output is read, or a little after when somebody keeps its pipes
// open; past its time limit it is ended. Destroying it kills the group. Driven by the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/time.h"
#include "env/loop.h"
#include "env/processes.h"
#include "env/world.h"

namespace teamster::engine {

struct ProgramOptions {
  std::vector<std::string> arguments;  // first the program: a path; PATH is not searched
  std::string directory;
  std::vector<std::string> environment;  // NAME=value, the whole of it
  Duration limit = limits::kProgramMax;
  std::size_t output_kept_bytes = limits::kProgramOutputKeptBytes;
};

// A command of the user for sh, with this process's environment and `teamster` first on PATH.
ProgramOptions shell_command(const env::World& world, const std::string& command, const std::string& directory);

struct ProgramOutcome {
  enum class How { exited, signaled, timed_out };
  How how = How::exited;
  int code = 0;         // exit code or signal
  std::string output;   // the end of both streams, as they came
  std::string answer;   // the end of standard output alone, for programs that are parsed
  bool is_cut = false;  // there was more output
  Duration limit{};     // for describe

  bool succeeded() const { return how == How::exited && code == 0; }
};

// "exited with code 3", "was killed by signal 9", "took longer than 5 m and was ended".
std::string describe(const ProgramOutcome& outcome);

class Program {
 public:
  using Done = std::function<void(const ProgramOutcome& outcome)>;

  // An error when it cannot be started; then `done` is never called.
  static Result<std::unique_ptr<Program>> start(const env::World& world, const ProgramOptions& options, Done done);
  Program(env::Loop& loop, std::unique_ptr<env::Child> child, const ProgramOptions& options, Done done);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

 private:
  // The end of a text that grows without end.
  struct Tail {
    std::string bytes;
    void add(std::string_view more, std::size_t kept_bytes, bool& is_cut);
    void trim(std::size_t kept_bytes, bool& is_cut);
  };

  void listen(env::Stream& stream, bool is_answer);
  void end_late();
  void report_if_ended();
  void report();

  env::Loop& loop_;
  std::unique_ptr<env::Child> child_;
  Done done_;
  const Duration limit_;
  const std::size_t kept_bytes_;
  Tail output_;
  Tail answer_;
  bool is_cut_ = false;
  bool is_late_ = false;
  int open_pipes_ = 2;
  std::optional<env::ExitStatus> status_;
  env::Timer timer_;  // the limit, then the grace, then the drain deadline
};

}  // namespace teamster::engine
