// BoundedProgram: one program with a limit on its time and on what is kept of its output. Nothing is on its standard
// input; it has a process group of its own, which is ended when it ends, at the limit, and with this object. Calls back
// once, from the loop. Owned by whoever started it; driven by the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "env/loop.h"
#include "env/processes.h"
#include "env/world.h"
#include "verify/output_keeper.h"

namespace teamster::verify {

struct ProgramRequest {
  std::vector<std::string> arguments;    // first the program: a path
  std::vector<std::string> environment;  // the whole of it
  std::string directory;
  Duration limit;
  OutputBounds bounds;
  bool keeps_errors = true;  // else standard error is read and forgotten
};

struct ProgramEnd {
  enum class How { exited, signaled, timed_out };
  How how = How::exited;
  int code = 0;  // exit code or signal
  Duration took{};
  OutputKeeper output;

  bool succeeded() const { return how == How::exited && code == 0; }
};

class BoundedProgram {
 public:
  using Done = std::function<void(ProgramEnd end)>;

  // An error when it cannot be started; then `done` is never called.
  static Result<std::unique_ptr<BoundedProgram>> start(const env::World& world, const ProgramRequest& request,
                                                       Done done);
  BoundedProgram(const env::World& world, std::unique_ptr<env::Child> child, const ProgramRequest& request, Done done);
  BoundedProgram(const BoundedProgram&) = delete;
  BoundedProgram& operator=(const BoundedProgram&) = delete;

 private:
  void listen(env::Stream& stream, std::optional<OutputKeeper::From> from);
  void end_late();
  void report_if_ended();
  void report();

  env::World world_;
  std::unique_ptr<env::Child> child_;
  Done done_;
  const Instant began_;
  OutputKeeper output_;
  bool is_late_ = false;
  int open_pipes_ = 2;
  std::optional<env::ExitStatus> status_;
  env::Timer timer_;  // the limit, then the grace, then the drain deadline
};

}  // namespace teamster::verify
