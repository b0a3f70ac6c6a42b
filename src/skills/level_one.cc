#include "skills/level_one.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "skills/skill_limits.h"

namespace teamster::skills {
namespace {

std::string folded(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

std::size_t level_one_budget(std::size_t context_window) {
  constexpr std::size_t kWhole = 100;
  return std::max(context_window * limits::kLevelOnePercentOfWindow / kWhole, limits::kLevelOneMinCharacters);
}

LevelOne level_one(const std::vector<KnownSkill>& skills, std::size_t budget) {
  LevelOne level;
  level.budget = budget;
  for (const auto& skill : skills) {
    const std::string line = fmt::format("- {}: {}\n", skill.head.name, folded(skill.head.description));
    const std::size_t characters = count_characters(line);
    if (level.characters + characters > budget) {
      level.left_out.push_back(skill.head.name);
      continue;
    }
    level.text += line;
    level.characters += characters;
  }
  return level;
}

}  // namespace teamster::skills
