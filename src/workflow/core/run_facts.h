// What `run/…` is at a point of a run, and what of a file's sections concerns the step at hand. Pure functions on the
// state; words.cc asks them for the sources of prompts and texts.
#pragma once

#include <string>

#include "base/json.h"
#include "workflow/core/words.h"

namespace teamster::workflow {

// Null when there is nothing. The names are run_facts() of workflow/format/source.h.
Json run_fact(const Pinned& pinned, const Moment& moment, const std::string& name);

// By which people and files know a step: the item where that is a text, its field `skill`, else the title of its phase.
std::string known_name(const Pinned& pinned, const RunState& state, const std::string& step);

// Whether a value of the workflow is one of `sections`.
bool is_of_sections(const Pinned& pinned, const std::string& value);
// Of {HEADING: [entries]} the entries under the headings that name the step at hand, its phase or its role, and under
// "all".
Json sections_concerning(const Pinned& pinned, const Moment& moment, const Json& sections);

}  // namespace teamster::workflow
