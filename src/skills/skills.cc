#include "skills/skills.h"

#include <set>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/name.h"
#include "base/text.h"

namespace teamster::mcp {
namespace {

constexpr const char* kFile = "/SKILL.md";

}  // namespace

Result<std::string> Skills::read(const std::string& name) const {
  if (Name::parse("skill", name)) {
    for (const auto& directory : directories_) {
      auto text = files_.read_beneath(directory, name + kFile, limits::kSkillMaxBytes);
      if (!text && text.error().code == Code::not_found) continue;
      if (!text) return fail(text.error().within(fmt::format("skill {}", name)));
      if (find_invalid_utf8(*text)) return fail(Code::invalid, fmt::format("skill {}: it is not UTF-8 text", name));
      return text;
    }
  }
  const auto known = names();
  return fail(Code::not_found, fmt::format("there is no skill {}", quoted(name, 80)),
              known.empty() ? "No skills are offered here" : "There are: " + join(known, ", "));
}

std::vector<std::string> Skills::names() const {
  std::set<std::string> found;
  for (const auto& directory : directories_) {
    const auto entries = files_.list(directory);
    if (!entries) continue;
    for (const auto& entry : *entries) {
      if (!Name::parse("skill", entry)) continue;
      const auto status = files_.status(directory + "/" + entry + kFile);
      if (status && *status && !(*status)->is_directory) found.insert(entry);
      if (found.size() == limits::kSkillsListedMax) return {found.begin(), found.end()};
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace teamster::mcp
