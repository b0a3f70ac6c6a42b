// Speakers: whose words the sources of a prompt give, so that they can be fenced in that name. What the workflow's
// author or the user wrote has no speaker. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "workflow/core/words.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

// Who says what a phase answers.
std::string speaker_of(const Phase& phase, const Json& answer);
// Whether the item is one that the workflow itself lists.
bool is_authors(const Phase& phase, const Json& item);
// The file that a value of the project is read from; empty: it is from none.
std::string speaker_of_value(const Pinned& pinned, const Moment& moment, const std::string& name);
// Who says what the sources give; empty: the workflow's author, or the user.
std::string speakers_of(const Pinned& pinned, const Moment& moment, const std::vector<Source>& sources);

}  // namespace teamster::workflow
