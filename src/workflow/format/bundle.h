// Bundle: the files of one workflow, by their names relative to its directory. A value; whoever
// makes it reads the files. Its digest pins a run to exactly these bytes.
#pragma once

#include <map>
#include <string>

namespace teamster::workflow {

using Bundle = std::map<std::string, std::string>;

inline constexpr const char* kWorkflowFile = "workflow.yaml";

// 64 hex digits; another one whenever a name or a byte is another.
std::string digest(const Bundle& bundle);

}  // namespace teamster::workflow
