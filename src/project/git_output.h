// What git prints, as values. Pure; the formats are those of git's plumbing, which do not
// depend on the user's language or configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace teamster::engine {

struct GitTag {
  std::string name;
  std::string commit;  // what it points at, through an annotated tag
};

// Paths of `git status --porcelain=v1 -z --no-renames`, from the repository's root.
Result<std::vector<std::string>> parse_status(std::string_view output);

// Of `git for-each-ref` with kTagFormat.
inline constexpr const char* kTagFormat = "--format=%(refname:strip=2) %(objectname) %(*objectname)";
std::vector<GitTag> parse_tags(std::string_view output);

// The name after those that fit the pattern: "step-*" after step-9 is step-10. Without a star
// the pattern itself. Code::invalid with more than one star.
Result<std::string> next_tag(std::string_view pattern, const std::vector<GitTag>& tags);
bool fits_tag_pattern(std::string_view name, std::string_view pattern);

}  // namespace teamster::engine
