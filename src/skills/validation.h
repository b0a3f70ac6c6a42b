// Validation: everything that is wrong with skills, each mistake with file, line and what was expected: of one skill,
// or of all that lie at a path. Looks at the files and changes nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"
#include "skills/source.h"
#include "yaml/problem.h"

namespace teamster::skills {

struct ValidatedSkill {
  std::string name;   // of its directory
  std::string place;  // of its SKILL.md
  std::vector<workflow::Problem> problems;
  std::size_t problems_left_out = 0;
  std::vector<workflow::Problem> advice;  // it is a good skill without it, too
};

ValidatedSkill validate_skill(const Source& source, const std::string& name);

// `path` is absolute: a SKILL.md, a skill's directory, a directory of skills, or one with `skills` in it, as of a
// workflow. Code::not_found when there is none of these.
Result<std::vector<ValidatedSkill>> validate_skills_at(env::Files& files, const std::string& path);

}  // namespace teamster::skills
