#include "project/insights.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "project/markdown.h"

namespace teamster::engine {
namespace {

constexpr const char* kTitle =
    "# Insights\n\nWhat this project has learned; an entry reaches the prompts that its heading names.\n";

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string as_text(const std::map<std::string, std::vector<std::string>>& sections) {
  std::string text = kTitle;
  for (const auto& [heading, entries] : sections) {
    if (entries.empty()) continue;
    text += fmt::format("\n## {}\n", heading);
    for (const auto& entry : entries) text += fmt::format("- {}\n", entry);
  }
  return text;
}

// An entry is one line.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return std::string(trimmed(text));
}

}  // namespace

GrownInsights with_insight(const std::string& text, const std::string& heading, const std::string& entry) {
  auto sections = entries_by_heading(text);
  const std::string line = one_line(entry);
  auto& own = sections[lowercase(heading)];
  if (std::find(own.begin(), own.end(), line) != own.end()) return {.text = text, .is_known = true};
  own.push_back(line);
  GrownInsights grown{.text = as_text(sections)};
  if (count_lines(grown.text) <= limits::kInsightsMaxLines) return grown;
  grown.topic_file = fmt::format(".teamster/insights/{}.md", lowercase(heading));
  for (const auto& each : own) grown.topic_text += fmt::format("- {}\n", each);
  own = {fmt::format("see {}", grown.topic_file)};
  grown.text = as_text(sections);
  return grown;
}

Result<bool> add_insight(const Project& project, const std::string& heading, const std::string& entry) {
  const auto text = TRY(read_text(project, kInsightsFile));
  const GrownInsights grown = with_insight(text.value_or(""), heading, entry);
  if (grown.is_known) return false;
  const std::string directory = project.directory + "/.teamster";
  TRY_VOID(project.files.make_private_directory(directory));
  if (!grown.topic_file.empty()) {
    TRY_VOID(project.files.make_private_directory(directory + "/insights"));
    const std::string before = TRY(read_text(project, grown.topic_file)).value_or("");
    TRY_VOID(
        project.files.write_atomically(project.directory + "/" + grown.topic_file, before + grown.topic_text, 0644));
  }
  TRY_VOID(project.files.write_atomically(project.directory + "/" + kInsightsFile, grown.text, 0644));
  return true;
}

}  // namespace teamster::engine
