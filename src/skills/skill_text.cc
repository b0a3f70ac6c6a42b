#include "skills/skill_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "skills/skill_limits.h"
#include "yaml/document.h"
#include "yaml/fields.h"
#include "yaml/lines.h"

namespace teamster::skills {
namespace {

using workflow::Fields;
using workflow::Node;
using workflow::Place;
using workflow::Problems;
using workflow::Reading;

constexpr std::string_view kFence = "---";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kAllowedTools = "allowed-tools";
constexpr std::array<std::string_view, 6> kFields = {"name",          "description", "license",
                                                     "compatibility", "metadata",    kAllowedTools};

// A line without its end, and `at` behind it.
std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::string_view line = text.substr(at, end - at);
  at = std::min(end + 1, text.size());
  return line;
}

bool is_fence(std::string_view line) { return line.starts_with(kFence) && trimmed(line.substr(kFence.size())).empty(); }

struct Parts {
  std::string_view front;  // from the end of the first line on, so that its lines have their numbers
  std::string_view body;
  std::size_t body_line = 1;
};

std::optional<Parts> split(const std::string& file, std::string_view text, Problems& problems) {
  std::size_t at = 0;
  if (text.starts_with(kByteOrderMark)) {
    problems.add(file, {}, "the file begins with a byte order mark, expected `---`: save it as UTF-8 without one");
    return std::nullopt;
  }
  const std::string_view first = next_line(text, at);
  if (!is_fence(first)) {
    problems.add(file, {},
                 "expected `---` as the first line: a skill begins with front matter, `name` and `description`");
    return std::nullopt;
  }
  std::size_t line = 1;
  while (at < text.size()) {
    const std::size_t begin = at;
    ++line;
    if (is_fence(next_line(text, at)))
      return Parts{text.substr(first.size(), begin - first.size()), text.substr(at), line + 1};
  }
  problems.add(file, {}, "the front matter has no end: expected a line `---` behind it");
  return std::nullopt;
}

void check_characters(const Reading& reading, Place place, std::string_view what, std::size_t count,
                      std::size_t limit) {
  if (count > limit) reading.problem(place, fmt::format("{} has {} characters, the limit is {}", what, count, limit));
}

bool check_skill_name(const Reading& reading, const Fields& fields, const std::string& name,
                      const std::string& directory) {
  const Place place = fields.place_of("name");
  if (!is_skill_name(name)) {
    reading.problem(place, fmt::format("`name` is {}, expected 1 to {} lowercase letters, digits and single hyphens "
                                       "between them",
                                       quoted(name, 100), limits::kSkillNameMax));
    return false;
  }
  if (name == directory) return true;
  reading.problem(
      place, fmt::format("`name` is '{}', but the directory is {}: expected the same", name, quoted(directory, 100)));
  return false;
}

bool check_description(const Reading& reading, const Fields& fields, const std::string& description) {
  if (trimmed(description).empty()) {
    reading.problem(fields.place_of("description"),
                    "`description` is blank, expected what the skill does and when to use it");
    return false;
  }
  check_characters(reading, fields.place_of("description"), "`description`", count_characters(description),
                   limits::kSkillDescriptionMax);
  return true;
}

// Words at blanks, but not at those within parentheses: `Bash(git add *)` is one.
std::vector<std::string> tools_in(const std::string& text) {
  std::vector<std::string> tools(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && (c == ' ' || c == '\n' || c == '\t'))
      tools.emplace_back();
    else
      tools.back() += c;
  }
  std::erase(tools, "");
  return tools;
}

void read_optional_fields(const Reading& reading, Fields& fields, Head& head) {
  for (const auto& [key, field] : {std::pair{"license", &head.license}, {"compatibility", &head.compatibility}}) {
    const auto text = fields.text(key);
    if (text && trimmed(*text).empty()) reading.problem(fields.place_of(key), fmt::format("`{}` is blank", key));
    *field = text.value_or("");
  }
  check_characters(reading, fields.place_of("compatibility"), "`compatibility`", count_characters(head.compatibility),
                   limits::kSkillCompatibilityMax);
  if (const auto tools = fields.text(kAllowedTools)) {
    head.allowed_tools = tools_in(*tools);
    const bool has_comma = std::any_of(head.allowed_tools.begin(), head.allowed_tools.end(),
                                       [](const std::string& tool) { return tool.ends_with(','); });
    if (has_comma)
      reading.problem(fields.place_of(kAllowedTools), "`allowed-tools` are separated by blanks, not by commas");
  }
  const Node* metadata = fields.take("metadata");
  if (metadata == nullptr) return;
  if (metadata->kind != Node::Kind::map)
    return reading.problem(metadata->place,
                           "expected `metadata` as a map from texts to texts, found " + workflow::describe(*metadata));
  for (std::size_t i = 0; i < metadata->items.size(); ++i) {
    const std::string& key = metadata->keys[i].text;
    const auto value = workflow::read_text(reading, metadata->items[i], fmt::format("`{}` of `metadata`", key));
    if (value) head.metadata[key] = *value;
  }
}

// What no runtime looks at only seems to have an effect.
void refuse_other_fields(const Reading& reading, const Node& root) {
  const std::vector<std::string> known(kFields.begin(), kFields.end());
  for (const auto& key : root.keys) {
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    const auto meant = closest(key.text, known);
    reading.problem(key.place, fmt::format("{} is no field of a skill and would be ignored: {}", quoted(key.text, 80),
                                           meant ? fmt::format("did you mean `{}`?", *meant)
                                                 : "remove it, or put it below `metadata`"));
  }
}

std::optional<Head> read_head(const std::string& file, const std::string& directory, std::string_view front,
                              Problems& problems) {
  if (trimmed(front).empty()) {
    problems.add(file, {}, "the front matter is empty, expected `name` and `description`");
    return std::nullopt;
  }
  const auto document = workflow::parse_document(file, front, problems);
  if (!document) return std::nullopt;
  const Reading reading{file, problems};
  Fields fields(reading, document->root, "the front matter");
  if (document->root.kind != Node::Kind::map) return std::nullopt;
  Head head;
  head.name = fields.need_text("name");
  head.description = fields.need_text("description");
  const bool has_name = !head.name.empty() && check_skill_name(reading, fields, head.name, directory);
  const bool has_description = !head.description.empty() && check_description(reading, fields, head.description);
  read_optional_fields(reading, fields, head);
  refuse_other_fields(reading, document->root);
  if (!has_name || !has_description) return std::nullopt;
  return head;
}

}  // namespace

bool is_skill_name(std::string_view text) {
  if (text.empty() || text.size() > limits::kSkillNameMax || text.front() == '-' || text.back() == '-') return false;
  if (text.find("--") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

std::optional<SkillText> parse_skill(const std::string& file, const std::string& directory, std::string_view text,
                                     Problems& problems) {
  if (text.size() > limits::kSkillMaxBytes) {
    problems.add(file, {}, fmt::format("the file has {} bytes, the limit is {}", text.size(), limits::kSkillMaxBytes));
    return std::nullopt;
  }
  if (const auto bad = workflow::find_unreadable(text)) {
    problems.add(file, workflow::Lines(text).place_of_byte(bad->at), bad->what);
    return std::nullopt;
  }
  if (trimmed(text).empty()) {
    problems.add(file, {}, "the file is empty, expected front matter with `name` and `description`, then instructions");
    return std::nullopt;
  }
  const auto parts = split(file, text, problems);
  if (!parts) return std::nullopt;
  auto head = read_head(file, directory, parts->front, problems);
  if (!head) return std::nullopt;
  return SkillText{*std::move(head), std::string(trimmed(parts->body)), parts->body_line};
}

}  // namespace teamster::skills
