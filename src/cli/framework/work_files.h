// What becomes of the files that a run was about, when it is cancelled: named to its user, who says whether they go
// too, by a flag or when asked. Functions on the context; shared by `cancel` and by entries that cancel.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/arguments.h"
#include "cli/framework/context.h"
#include "engine/run_service.h"

namespace teamster::cli {

// --delete-spec and --keep-spec exclude each other.
Result<void> check_spec_flags(const Arguments& arguments);

struct WorkFiles {
  std::string project;
  std::vector<std::string> paths;
};
// Without either flag they are kept, or with `asks` the user says so. What was deleted, for --json.
Result<Json> settle_work_files(const Context& context, const Arguments& arguments, const engine::RunService& runs,
                               const WorkFiles& files, bool asks);

}  // namespace teamster::cli
