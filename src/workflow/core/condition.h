// Conditions: what fields of an answer must be, for a way, an `only`, a check or `pass`. A plain value is typed
// equality. A map is a test: `{every: C}`, `{any: C}`, `{none: C}` and `{count: C, at_least: N, at_most: N}` ask the
// entries of a list, `{changed_since: PHASE}` compares the field with the one in that phase's latest answer. In a phase
// with items the field `items` is the list of what came of each: the fields of its answer, and `passed`. Pure.
#pragma once

#include <string>

#include "base/json.h"
#include "workflow/core/words.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

bool holds(const Moment& moment, const Condition& condition, const Json& answer);
// The first side that does not hold, for people: "status is FAIL, and should be PASS". Empty when all do.
std::string first_failing(const Moment& moment, const Condition& condition, const Json& answer);

}  // namespace teamster::workflow
