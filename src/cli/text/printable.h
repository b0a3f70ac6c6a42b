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
// The same, but only lines after the first are indented: they cannot be taken for lines of ours.
std::string printable_note(std::string_view text, std::string_view indent);

// Columns that printable text takes on a terminal. Colours of ours in it take none.
std::size_t columns_of(std::string_view text);
// At most `columns` wide, with … at the end when something was cut.
std::string cut_to_columns(std::string_view text, std::size_t columns);

// Words of the text in lines of at most `columns`, each after `indent`. No line break at the end.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent);
// Lines that are wider than `columns` broken between words; their rest is indented like them, and by `hang` more. Other
// lines stay as they are. With 0 columns all do.
std::string fitted(std::string_view text, std::size_t columns, std::size_t hang);

}  // namespace teamster::cli
