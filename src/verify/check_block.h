// The fenced `yaml` block behind a criterion: how it is verified. Errors have lines of the manifest and say what was
// expected. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "verify/manifest.h"

namespace teamster::verify {

struct Block {
  std::string_view content;
  std::size_t first_line = 1;  // of the content, in the manifest
};

// Fills the method of the criterion and what belongs to it; the errors otherwise.
std::vector<ManifestError> read_check_block(const Block& block, Criterion& criterion);

// Whether it is meant as such a block: its first key is `verify`.
bool is_check_block(std::string_view content);

}  // namespace teamster::verify
