// The profiles of reviewers that the program ships: their names, and the text that makes an agent one of them. The
// texts are files below agents/, part of the program.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace teamster::verify {

const std::vector<std::string>& reviewer_profiles();

// Without its front matter. Code::not_found for a name that is none of those.
Result<std::string> reviewer_instructions(const std::string& profile);

}  // namespace teamster::verify
