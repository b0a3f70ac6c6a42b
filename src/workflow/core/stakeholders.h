// Stakeholders: who owns a run, who is to be asked, and what they know about, as people write it down: in the file of
// --stakeholders, or in the answer to a question that `sets: people`. Mistakes are told with their place. What is read
// becomes part of the run's journal (people.h), so that a file that changes later changes no run. Functions on values.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

// An expertise that the workflow asks for must be somebody's, and those whom it asks together a group.
Result<Json> read_stakeholders(const std::string& file, std::string_view text, const Workflow& workflow);

// What a person answers: such a file, or a line for each, "handle, name, what they know about, …", with `qa` for who
// tests and `owner` for whose run it is; "@sam+@ida" is a group, and `none` nobody. Lines may also be told apart by a
// semicolon.
Result<Json> read_people(std::string_view text, const Workflow& workflow);

}  // namespace teamster::workflow
