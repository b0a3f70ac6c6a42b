// The four channels by which a skill of a pipeline says what came of it: a signal for the permanent task, an output
// file, a signal to the lead, and one to those who wait for it. A skill says in its front matter (`metadata: channels:
// four`) that it keeps to them; then its section `Channels` must show each, in its form and within its limit. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "skills/skill_text.h"

namespace teamster::skills {

// What is wrong, a sentence each; empty when the skill keeps to them, or does not say that it does.
std::vector<std::string> problems_of_channels(const SkillText& skill);

}  // namespace teamster::skills
