// PatternSyntax: the regular expressions that teamster reads, which are ECMAScript's without lookaround and
// back-references, in the words of RE2, which spells many of them otherwise. Pure; what it refuses it names, with the
// place. Known to Pattern alone.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster {

struct PatternSyntax {
  std::string re2;                  // the same expression to RE2, with no group but the first: nobody asks for others
  bool has_group = false;           // and it is the first one
  bool has_no_word_border = false;  // \B, which RE2 also finds between two bytes of one character
};

// Code::invalid says what in it cannot be used. Whether it is too large only RE2 can say.
Result<PatternSyntax> read_pattern_syntax(std::string_view expression);

// The error for an expression that cannot be used, and why.
tl::unexpected<Error> refuse_pattern(std::string_view expression, std::string_view why);

}  // namespace teamster
