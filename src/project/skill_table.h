// Which skills an item needs: a Markdown table with a column of skills and, if there is one whose
// title has the argument's name in it, a column of the items that need them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "project/item_names.h"

namespace teamster::engine {

struct SkillTable {
  std::string_view text;     // of the file
  std::string_view heading;  // over the table; without it nothing is needed
  std::string_view column;   // of the items: a word of its title
};

// Which row is for the item that is run.
struct SkillsFor {
  const ItemNames& names;
  std::string item;
};

// Their names, each once. Items are named as in prose, or "all". A workflow without items needs what is in the table.
Result<std::vector<std::string>> skills_needed(const SkillTable& table, const std::optional<SkillsFor>& whom);

}  // namespace teamster::engine
