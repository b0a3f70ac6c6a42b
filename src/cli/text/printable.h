// Text of members and people, made safe for a terminal: control characters, direction
// overrides and broken UTF-8 become visible escapes, so nobody can move the cursor, set
// the title or fake a line of ours. JSON output does not go through here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace teamster::cli {

// On one line; a line break becomes \n.
std::string printable_line(std::string_view text);
// Keeps line breaks and tabs; each line begins with `indent` and ends with a line break.
std::string printable_block(std::string_view text, std::string_view indent);

// Columns that printable text takes on a terminal.
std::size_t columns_of(std::string_view text);
// At most `columns` wide, with … at the end when something was cut.
std::string cut_to_columns(std::string_view text, std::size_t columns);

// Words of the text in lines of at most `columns`, each after `indent`. No line break at the end.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent);

}  // namespace teamster::cli
