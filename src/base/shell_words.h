// Words as a shell has them, without its variables, globs and operators: a program and its arguments in one text, and
// a text as one word of a command that a user can paste. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace teamster {

// Blanks separate; 'single' and "double" quotes and the backslash keep them. Code::invalid: a quote is not closed.
Result<std::vector<std::string>> split_words(std::string_view text);

// One word of a shell: as it is where that is safe, else in single quotes.
std::string as_shell_word(std::string_view text);

}  // namespace teamster
