// What a member asks in plain words, by a message to a native member: the form that skills for teams write, with
// options in numbered lines and a line `Relevant expertise: backend/security`. The words stay as they are; what can be
// read from them goes into the question. Pure.
#pragma once

#include "workflow/core/events.h"

namespace teamster::workflow {

void read_asked_text(event::Asked& asked);

}  // namespace teamster::workflow
