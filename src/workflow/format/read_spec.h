// From the tree of workflow.yaml to the model: names, types and keys. What the parts say about each
// other is for check_spec. Pure; everything wrong becomes a problem, and what is right is returned
// all the same, so that checking can go on.
#pragma once

#include "workflow/format/spec.h"
#include "yaml/document.h"
#include "yaml/problem.h"

namespace teamster::workflow {

Workflow read_spec(const Document& document, Problems& problems);

}  // namespace teamster::workflow
