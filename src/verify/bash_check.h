// BashCheck: the command of one criterion, run with `bash -c` at the root of the repository, pipefail on. It passes
// with exit code 0 and no line of output that is or begins with FAIL. Owned by whoever started it; driven by the loop;
// calls back once.
//
// pipefail has one exception: a stage that SIGPIPE ended (141) because the next one had read enough does not fail its
// pipeline. bash knows no such option, and what followed from a 141 cannot be undone from outside: `yes | head -1 &&
// make` has never come to `make`. So a command with pipes is watched by a DEBUG trap that leaves a mark when the status
// of a stage was 141. Without a mark the outcome stands. With one, `a | b` that came to 141 has passed; any other
// command is run again without pipefail, which is the same rule as long as no early stage failed otherwise. When one
// did, which is marked too, both runs must have passed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "env/later.h"
#include "env/world.h"
#include "verify/bounded_program.h"

namespace teamster::verify {

// What all checks have in common.
struct CheckSetting {
  std::string bash;                      // its path
  std::string root;                      // where they run
  std::vector<std::string> environment;  // the whole of it
  std::string scratch;                   // a directory of ours for marks
  Duration limit{};
};

struct CheckOutcome {
  bool passed = false;
  std::string why;     // "exit code 3"; of one that passed what a reader should know, or nothing
  std::string output;  // its beginning and its end, as it came
  bool is_cut = false;
  Duration took{};
  // Paths that it changed in the repository, and what else: "HEAD".
  std::vector<std::string> changed = {};
};

class BashCheck {
 public:
  using Done = std::function<void(CheckOutcome outcome)>;

  BashCheck(const env::World& world, const CheckSetting& setting, std::string command, Done done);
  ~BashCheck();
  BashCheck(const BashCheck&) = delete;
  BashCheck& operator=(const BashCheck&) = delete;

 private:
  enum class Run { plain, watched, without_pipefail };
  std::vector<std::string> arguments(Run run) const;
  void start(Run run);
  void ended(Run run, ProgramEnd end);
  bool take_mark();
  void settle(CheckOutcome outcome);

  env::World world_;
  const CheckSetting& setting_;
  const std::string command_;
  const std::string mark_;
  Done done_;
  std::unique_ptr<BoundedProgram> program_;
  CheckOutcome first_;
  env::Later later_;
};

}  // namespace teamster::verify
