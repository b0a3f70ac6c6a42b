// SkillText: what a SKILL.md says, its front matter and its body. A value, made by parse_skill, which knows the rules
// of the Agent Skills format and says every mistake with its place. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/problem.h"

namespace teamster::skills {

inline constexpr const char* kSkillFile = "SKILL.md";

// The front matter. Name and description are level 1: what is known of a skill before it is used.
struct Head {
  std::string name;
  std::string description;
  std::string license = {};
  std::string compatibility = {};
  std::map<std::string, std::string> metadata = {};
  std::vector<std::string> allowed_tools = {};
};

struct SkillText {
  Head head;
  std::string body;  // level 2; without blank lines around it
  std::size_t body_line = 1;
};

// Lowercase letters, digits and single hyphens between them, at most limits::kSkillNameMax.
bool is_skill_name(std::string_view text);

// `directory` is the name of the directory that the file lies in. Nothing when the skill cannot be used, for want of a
// name and a description; whatever else is wrong is a problem, and the skill can be used all the same.
std::optional<SkillText> parse_skill(const std::string& file, const std::string& directory, std::string_view text,
                                     workflow::Problems& problems);

}  // namespace teamster::skills
