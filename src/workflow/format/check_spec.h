// Whether the parts of a workflow fit together: ways lead somewhere and end, words come from where
// there are any, files and schemas are there. Pure; what is wrong becomes a problem with its place.
#pragma once

#include "workflow/format/bundle.h"
#include "workflow/format/spec.h"
#include "yaml/document.h"
#include "yaml/problem.h"

namespace teamster::workflow {

// `document` is what the workflow was read from: it knows the places.
void check_spec(const Workflow& workflow, const Document& document, const Bundle& bundle, Problems& problems);

}  // namespace teamster::workflow
