#include "workflow/format/tools.h"

#include <algorithm>
#include <array>

namespace teamster::workflow {

const std::vector<std::string>& default_tools(bool may_write) {
  static const std::vector<std::string> kReading = {"Read", "Glob", "Grep", "Bash"};
  static const std::vector<std::string> kWriting = {"Read", "Glob", "Grep", "Edit", "Write", "Bash"};
  return may_write ? kWriting : kReading;
}

bool is_tool_rule(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '*';
  });
  if (!is_name || open == text.npos) return is_name;
  return text.ends_with(')') && text.size() > open + 2;
}

bool has_writing_tool(const Role& role) {
  static constexpr std::array<std::string_view, 6> kWriting = {"Edit",         "MultiEdit", "Write",
                                                               "NotebookEdit", "Bash",      "*"};
  return std::any_of(role.tools.begin(), role.tools.end(), [](const std::string& rule) {
    const std::string_view name = std::string_view(rule).substr(0, rule.find('('));
    return std::find(kWriting.begin(), kWriting.end(), name) != kWriting.end();
  });
}

std::string why_it_cannot_write(const Role& role) {
  if (!role.writes_everywhere && role.writes.empty()) return "may write nothing (`writes: []`)";
  if (!has_writing_tool(role)) return "has no tool that writes (Edit, Write or Bash in its `tools`)";
  return {};
}

}  // namespace teamster::workflow
