// Runs in the background: the same program once more, away from the terminal, with its output in a file
// beside the run's other files. Returns when the run is in the journal and that process drives it, or
// says why it does not. Uses the process's loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/context.h"
#include "protocol/client/home.h"

namespace teamster::cli {

struct BackgroundRun {
  std::string run;  // of a series the team with its task list
  std::int64_t pid = 0;
  std::string log;  // a file

  // What its user can do now.
  std::string text() const;
  std::string text_of_series() const;
  Json json() const;
};

// `words` are those of the command that drives it, after the program's name.
Result<BackgroundRun> start_in_background(const Context& context, const hub::Home& home, const std::string& run,
                                          const std::vector<std::string>& words);

// All of a series: `name` is that of its team. Returns when the process drives one of its runs.
Result<BackgroundRun> start_series_in_background(const Context& context, const hub::Home& home, const std::string& name,
                                                 const std::vector<std::string>& words);

}  // namespace teamster::cli
