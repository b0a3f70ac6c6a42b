// Where skills are looked for, in the order in which they count: the run's workflow, directories that were named, the
// project, the user, this program. Functions that make sources; they touch nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/files.h"
#include "skills/source.h"

namespace teamster::skills {

struct Places {
  // The files of a workflow, by their paths in its directory; its skills are skills/NAME/SKILL.md.
  std::map<std::string, std::string> workflow = {};
  std::string workflow_place = {};  // its directory, for people
  std::vector<std::string> named = {};
  std::string project = {};  // its directory; empty: none
};

using Variable = std::function<std::optional<std::string>(const char* name)>;

// The skills of a workflow, from its files; `place` is its directory, for people, and may be empty.
std::unique_ptr<Source> make_workflow_source(const std::map<std::string, std::string>& files, const std::string& place);

// `variable` looks one up in the environment: HOME, XDG_CONFIG_HOME.
std::vector<std::unique_ptr<Source>> make_sources(env::Files& files, Places places, const Variable& variable);

}  // namespace teamster::skills
