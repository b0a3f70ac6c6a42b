// The little of Markdown that workflows look up in the project's files: what stands under a
// heading, and a table there. Pure; what is in fenced code is none of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace teamster::engine {

// The lines under the first heading of that name (any level, letters of either case, with or without a
// number before it), down to the next of its level or above. nullopt without such a heading.
std::optional<std::vector<std::string>> section_of(std::string_view text, std::string_view heading);

// What stands under each heading, by its text: the entries of its lists (`- …`, with the lines that go on with them).
// Headings without any have none.
std::map<std::string, std::vector<std::string>> entries_by_heading(std::string_view text);

// The cells of the first table in these lines, its titles first. Empty when there is none.
std::vector<std::vector<std::string>> table_of(const std::vector<std::string>& lines);

std::string lowercase(std::string_view text);

}  // namespace teamster::engine
