// PlayedEngine: an engine as a process of its own, so that faults may kill it and another can come. It is this program
// with other words, in the home of the rehearsal. Owned by the stage, on its loop; destroying it ends it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/loop.h"
#include "env/processes.h"
#include "env/world.h"

namespace teamster::cli {

struct EngineStart {
  std::vector<std::string> words;  // of the command line
  std::string home;
  std::string directory;     // in which it works
  bool is_coloured = false;  // what it writes
};

class PlayedEngine {
 public:
  // Whole lines, so that those of output and errors are not mixed, and can be fitted to a terminal.
  using Output = std::function<void(std::string_view lines)>;

  static Result<std::unique_ptr<PlayedEngine>> start(const env::World& world, const EngineStart& start,
                                                     const Output& output);
  PlayedEngine(const env::World& world, std::unique_ptr<env::Child> child, const Output& output);
  PlayedEngine(const PlayedEngine&) = delete;
  PlayedEngine& operator=(const PlayedEngine&) = delete;

  // Runs the loop until it has ended and all it wrote is passed on.
  env::ExitStatus wait();
  void signal(int number) { child_->signal_group(number); }

 private:
  void pass_on(env::Stream& stream, const Output& output);

  env::World world_;
  std::unique_ptr<env::Child> child_;
  std::optional<env::ExitStatus> status_;
  int open_pipes_ = 2;
  bool is_late_ = false;
  env::Timer drain_;
};

}  // namespace teamster::cli
