// Taking up a run that nobody drives any more: its workflow as it was pinned, its setup, and then
// on with it. Used by `resume`, and by `run` where the same thing was begun before.
#pragma once

#include <optional>
#include <string>

#include "cli/framework/context.h"
#include "cli/commands/run/driven_run.h"

namespace teamster::cli {

// The run of this workflow and key that has not ended; Code::refused, naming it, while a process drives it.
Result<std::optional<std::string>> find_interrupted(Context& context, const std::string& workflow,
                                                    const std::string& key);

// Of a workflow without a key: one run for each effect, RUN/STEP.ATTEMPT, that starts it. Empty for none.
std::string key_of_sub_run(const std::string& parent);
// One home serves many projects: what a run is about is a key in its project.
std::string key_in_project(const std::string& key, const std::string& project);

// The run that this effect has started and that has not ended.
Result<std::optional<std::string>> find_sub_run(const Context& context, const std::string& parent);

// The newest run of this workflow and key that was started at that time or later and has ended.
Result<std::optional<std::string>> find_ended_since(const Context& context, const std::string& workflow,
                                                    const std::string& key, WallTime since);
// What is told of a run at the end of a command.
struct RunEnd {
  int code = 0;
  Json document;     // for --json
  std::string text;  // for people; may be empty
};
RunEnd end_of(const DrivenRun& run, const std::string& id, int code);
int print_end(Context& context, const RunEnd& end);

// Of a run that has ended.
Result<RunEnd> read_end(Context& context, const std::string& run);

// Everything that is needed to go on with it.
Result<DrivenRunOptions> read_run(Context& context, const std::string& run);

// Code::not_found when the directory of its project is gone; before anything is told to the run.
Result<void> check_project_of(const Context& context, const std::string& run);

struct TakingUp {
  bool waits = true;        // for people
  bool is_sub_run = false;  // for the engine of another run
};
// To its end.
Result<RunEnd> take_up_run(Context& context, const std::string& run, const TakingUp& how);

}  // namespace teamster::cli
