// State files of the tool whose place the workflow of this name takes (collab-state-*.json), read as they are: what is
// called or nested otherwise there is put where teamster looks for it. A function on values.
#pragma once

#include "base/json.h"

namespace teamster::interop {

// `threads`, flat or below `stakeholders`, as `thread_ids`; `channel` with its id and name as fields of their own. What
// is there under our names stays.
Json with_our_names(Json state);

}  // namespace teamster::interop
