#include "project/skill_table.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/name.h"
#include "base/text.h"
#include "project/markdown.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kQuotedCellMaxBytes = 80;
constexpr std::array<std::string_view, 5> kAll = {"", "*", "all", "every", "any"};
constexpr std::array<std::string_view, 3> kNone = {"", "-", "none"};

template <std::size_t n>
bool is_word_of(const std::array<std::string_view, n>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), lowercase(text)) != words.end();
}

std::optional<std::size_t> column_with(const std::vector<std::string>& titles, std::string_view word) {
  for (std::size_t i = 0; i < titles.size(); ++i)
    if (lowercase(titles[i]).find(lowercase(word)) != std::string::npos) return i;
  return std::nullopt;
}

// "`a`, b" as two names.
Result<std::vector<std::string>> skills_in(std::string cell) {
  std::vector<std::string> skills;
  std::erase(cell, '`');
  for (std::size_t at = 0; at <= cell.size();) {
    const std::size_t end = std::min(cell.find(',', at), cell.size());
    const std::string_view name = trimmed(std::string_view(cell).substr(at, end - at));
    if (!is_word_of(kNone, name)) skills.push_back(TRY(Name::parse("skill", name)).text());
    at = end + 1;
  }
  return skills;
}

Result<bool> is_for(const std::string& cell, const ItemNames& names, const std::string& item) {
  if (is_word_of(kAll, cell)) return true;
  const auto named = TRY(names.named_in(cell));
  if (named.empty())
    return fail(
        Code::invalid,
        fmt::format("{} in the table of skills names nothing it could be for", quoted(cell, kQuotedCellMaxBytes)),
        "Name items as their files do, or write all");
  return std::find(named.begin(), named.end(), item) != named.end();
}

}  // namespace

Result<std::vector<std::string>> skills_needed(const SkillTable& table, const std::optional<SkillsFor>& whom) {
  std::vector<std::string> needed;
  const auto section = section_of(table.text, table.heading);
  const auto rows = section ? table_of(*section) : std::vector<std::vector<std::string>>();
  if (rows.empty()) return needed;
  const auto skills = column_with(rows.front(), "skill");
  if (!skills)
    return fail(Code::invalid, fmt::format("the table under {} has no column of skills", table.heading),
                "Give one of its columns the title Skill");
  auto titles = rows.front();
  titles[*skills].clear();
  const auto items = whom ? column_with(titles, table.column) : std::nullopt;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (items && !TRY(is_for(rows[i][*items], whom->names, whom->item))) continue;
    for (const auto& skill : TRY(skills_in(rows[i][*skills])))
      if (std::find(needed.begin(), needed.end(), skill) == needed.end()) needed.push_back(skill);
  }
  return needed;
}

}  // namespace teamster::engine
