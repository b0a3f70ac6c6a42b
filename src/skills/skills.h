// Skills: texts for agents, DIRECTORY/NAME/SKILL.md in one or more directories, the first that
// has a name wins. Reads what is asked for and nothing that lies elsewhere: names are Names,
// and links that lead out of the directory are refused. Borrows the files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"

namespace teamster::mcp {

class Skills {
 public:
  Skills(env::Files& files, std::vector<std::string> directories)
      : files_(files), directories_(std::move(directories)) {}

  // Code::not_found names those that there are.
  Result<std::string> read(const std::string& name) const;
  // Sorted, at most limits::kSkillsListedMax.
  std::vector<std::string> names() const;

 private:
  env::Files& files_;
  std::vector<std::string> directories_;
};

}  // namespace teamster::mcp
