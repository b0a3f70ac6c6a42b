// Coverage: whether each criterion that others cover comes to one that is checked, and in no circle. Pure; takes time
// in proportion to the manifest.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "verify/manifest.h"

namespace teamster::verify {

// `broken`: ids of criteria that are there and could not be read; they have errors of their own.
std::vector<ManifestError> check_coverage(const Manifest& manifest, const std::set<std::string>& broken);

}  // namespace teamster::verify
