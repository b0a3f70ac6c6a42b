// TeamRef: which team is meant: its name and, for a team of a project, the tag of that project. One home serves many
// projects, and each may have a team of the same name. Written "spec-01@3fa2b1c9", which can go into a path as it is;
// people read and write the name alone. A value.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster {

struct TeamRef {
  std::string name;
  std::string tag = {};  // empty: nothing was said of a project

  static Result<TeamRef> parse(std::string_view text);
  // Of a project's directory; of none when it is empty.
  static TeamRef of(std::string name, std::string_view project);

  std::string text() const { return tag.empty() ? name : name + "@" + tag; }
};

// Eight digits; empty for no project.
std::string project_tag(std::string_view project);

}  // namespace teamster
