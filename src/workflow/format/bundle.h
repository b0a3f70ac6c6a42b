// Bundle: the files of one workflow, by their names relative to its directory. A value; whoever
// makes it reads the files. Its digest pins a run to exactly these bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace teamster::workflow {

using Bundle = std::map<std::string, std::string>;

inline constexpr const char* kWorkflowFile = "workflow.yaml";

// The number of the format, which a run is pinned to with its bundle. It is raised when a workflow that could be run
// before means something else or nothing now. 1: `pool`, `each`, `late: halt | owner`, gates without a way for "not
// approved". 2: items are one mechanism, and all of that is refused.
inline constexpr std::int64_t kFormat = 2;

// 64 hex digits; another one whenever a name or a byte is another.
std::string digest(const Bundle& bundle);

}  // namespace teamster::workflow
