// Workflows for people and scripts: what `teamster workflow show` prints, as text and as JSON.
// Pure but for the check whether a workflow can be used at all.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "project/workflow_place.h"
#include "workflow/format/spec.h"

namespace teamster::cli {

// Code::failed with the first problem when it has any.
Result<workflow::Workflow> valid_workflow(const FoundWorkflow& found);

// Tables in it have at most so many columns; 0: as wide as they are.
std::string workflow_text(const FoundWorkflow& found, const workflow::Workflow& workflow, std::size_t columns);
Json workflow_document(const FoundWorkflow& found, const workflow::Workflow& workflow);

}  // namespace teamster::cli
