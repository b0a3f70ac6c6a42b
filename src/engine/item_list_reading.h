// The items of a phase that stand in a file of the project: the open boxes of a checklist, or the criteria of a
// manifest that somebody must judge. Reads, and changes nothing.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "project/project.h"
#include "workflow/core/commands.h"

namespace teamster::engine {

// A list of maps; of a checklist {items, boxes, ticked}, counted as they stand in the file. The error says which file,
// and where in it.
Result<Json> read_item_list(const Project& project, const workflow::command::ReadItems& wanted);

}  // namespace teamster::engine
