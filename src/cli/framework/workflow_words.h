// WorkflowWords: what stands behind the name of a workflow on the command line, told apart: words, and flags that the
// workflow declares. A value; made from the words that a command passes on.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/framework/command.h"
#include "project/project_values.h"
#include "workflow/format/spec.h"

namespace teamster::cli {

struct WorkflowWords {
  std::vector<std::string> words = {};
  engine::TypedFlags flags = {};

  // `typed` as Arguments has it: `--` ends the flags. One that neither the workflow nor the command has is refused.
  static Result<WorkflowWords> read(const workflow::Workflow& workflow, const Command& command,
                                    const std::vector<std::string>& typed);
};

}  // namespace teamster::cli
