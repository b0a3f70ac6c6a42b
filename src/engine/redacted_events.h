// What comes into a run, without the secrets in it: words of agents and people, output of commands, errors. Whatever is
// made of them afterwards, in prompts, questions, files and records, has none either. A function on values.
#pragma once

#include "base/redaction.h"
#include "workflow/core/run_record.h"

namespace teamster::engine {

workflow::RunEvent redacted(const Redaction& redaction, workflow::RunEvent event);

}  // namespace teamster::engine
