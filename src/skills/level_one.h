// LevelOne: name and description of each skill as one text, which a model always has before it. It has a budget; what
// does not fit falls out and is named, so that nobody wonders why a skill is never used. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skills/catalogue.h"

namespace teamster::skills {

struct LevelOne {
  std::string text;  // a line for each skill that fits: "- NAME: DESCRIPTION"
  std::size_t characters = 0;
  std::size_t budget = 0;             // in characters
  std::vector<std::string> left_out;  // names of those that do not fit
};

// In characters; the window, too. 0: of unknown size.
std::size_t level_one_budget(std::size_t context_window);

// The earlier a skill stands in the list, the sooner it fits. The description is folded into one line.
LevelOne level_one(const std::vector<KnownSkill>& skills, std::size_t budget);

}  // namespace teamster::skills
