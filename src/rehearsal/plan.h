// Plan: what a workflow brings for its rehearsal (docs/formats/rehearsal.md): its rehearsal.json, which names a project
// to play in and the arguments, or a directory rehearsal/ of its own with scripts. A value, read from the workflow's
// bundle.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "workflow/format/bundle.h"

namespace teamster::cli {

inline constexpr const char* kPlanFile = "rehearsal.json";

struct Plan {
  // A directory of the workflow's own, or an example that is part of the program; empty: rehearsal/project of the
  // workflow, with scripts beside it.
  std::string project;
  std::vector<std::string> arguments;

  // Code::not_found: the workflow has none.
  static Result<Plan> read(const std::string& workflow, const workflow::Bundle& bundle);
};

// Contents by name.
using FileContents = std::map<std::string, std::string>;

struct PlannedFiles {
  FileContents project;
  FileContents scripts;  // of the directory rehearsal/, which is no part of what is played in
};
Result<PlannedFiles> planned_files(const Plan& plan, const workflow::Bundle& bundle);

}  // namespace teamster::cli
