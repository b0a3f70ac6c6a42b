// Finds TRY inside braced lists. Neither g++ 12 nor clang 14 destroys what such a list has made so far when TRY returns
// from the middle of it: a leak that no compiler warns of, and that no macro can tell from an argument of a function,
// which has the same grammar and does not leak. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace teamster::tidy {

// Lines (from 1) on which TRY stands in a braced list behind something else. The code is without comments and literals.
std::vector<std::size_t> lines_that_try_in_a_list(std::string_view code);

}  // namespace teamster::tidy
