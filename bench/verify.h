// Verify: how long `teamster verify` takes for a manifest of trivial checks, in a repository, and beside it the same
// commands run by bash under `xargs -P` with as many at once.
#pragma once

#include <string>

#include "base/result.h"

namespace teamster::bench {

struct ChecksTimes {
  double teamster_ms = 0;
  double xargs_ms = 0;
};

// Makes the repository in `scratch` when it is not there.
Result<ChecksTimes> measure_checks(const std::string& binary, const std::string& scratch, int checks);

}  // namespace teamster::bench
