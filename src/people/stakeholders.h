// The file of --stakeholders: who owns a run, who is to be asked, and what they know about. Mistakes are told with
// file, line and column. What is read becomes part of the run's journal (workflow/core/people.h), so that a file that
// changes later changes no run. Functions on values.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "workflow/format/spec.h"

namespace teamster::cli {

// An expertise that the workflow asks for must be somebody's.
Result<Json> read_stakeholders(const std::string& file, std::string_view text, const workflow::Workflow& workflow);

}  // namespace teamster::cli
