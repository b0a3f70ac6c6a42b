// The stem of an English word, so that "testing", "tested" and "tests" are one; after M. F. Porter's algorithm of 1980.
// Words of other languages come out as some word, always the same. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace teamster::skills {

// Of one word in lowercase letters and digits.
std::string stem_of(std::string word);

// The stems of a text in their order: what is neither letter nor digit divides words; words that stand in any text
// ("the", "use") are left out.
std::vector<std::string> stems_in(std::string_view text);

}  // namespace teamster::skills
