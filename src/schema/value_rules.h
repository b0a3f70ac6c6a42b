// The keywords of a schema that look at one value alone, without other schemas: type, enum,
// minimum, maxLength, pattern, required and the like. A pure function of the compiler.
#pragma once

#include <vector>

#include "base/result.h"
#include "schema/node.h"
#include "schema/spot.h"

namespace teamster::schema {

// The type comes first: where it is wrong, the other rules say nothing new.
Result<std::vector<Rule>> value_rules(const Spot& spot);

}  // namespace teamster::schema
