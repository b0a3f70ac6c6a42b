// Installed skills: texts for agents that a run needs, found where its members find them: with its workflow, in the
// project, with the user, in the program. Functions on values; nothing is kept.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "env/world.h"
#include "workflow/format/bundle.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

// A text for agents that the run needs.
struct Skill {
  std::string name;
  std::string text;
};

struct SkillPlace {
  const env::World& world;
  std::string project;             // its directory
  std::string workflow;            // its name
  const workflow::Bundle& bundle;  // its files, which may hold skills
};

// Code::not_found where there is none of this name; a broken one is told with what is wrong with it.
Result<std::string> installed_skill(const SkillPlace& place, const std::string& name);

struct SkillsFound {
  std::vector<Skill> skills;
  std::vector<std::string> missing;  // their names
};
// An error is a skill that is there and cannot be used.
Result<SkillsFound> find_skills(const SkillPlace& place, const std::vector<std::string>& names);

// The skills that phases, merges and listed items of the workflow name: refused when one is missing, with where to put
// it and who names it.
Result<void> check_named_skills(const SkillPlace& place, const workflow::Workflow& workflow);

}  // namespace teamster::engine
