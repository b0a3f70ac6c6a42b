// Stub scripts: for a workflow that has none, a script for each role and people.json, so that its rehearsal runs to its
// end and a person can go on from there. Made from the workflow alone; what is there is never overwritten. Functions
// on values.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"
#include "project/workflow_place.h"
#include "rehearsal/plan.h"

namespace teamster::cli {

// For its roles and those of the workflows that it runs; a role of the same name has one script for all.
Result<FileContents> stub_scripts(const FoundWorkflow& workflow, const WorkflowPlaces& places);

// Their names. Code::refused, and nothing is written, when one of them is there.
Result<std::vector<std::string>> write_stub_scripts(env::Files& files, const std::string& directory,
                                                    const FileContents& scripts);

}  // namespace teamster::cli
