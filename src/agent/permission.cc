#include "agent/permission.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster::agent {

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = pattern.npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<PermissionPolicy::Rule> PermissionPolicy::parse(const std::string& text) {
  const std::size_t open = text.find('(');
  Rule rule{text, text.substr(0, open), ""};
  if (open != text.npos) {
    if (text.back() != ')' || text.size() < open + 3)
      return fail(Code::invalid, fmt::format("{} is no rule for a tool", quoted(text, 80)),
                  "Write Tool, or Tool(pattern) such as Bash(git *)");
    rule.use = text.substr(open + 1, text.size() - open - 2);
  }
  if (rule.tool.empty())
    return fail(Code::invalid, "a rule for a tool has no name", "Write Tool, or Tool(pattern) such as Bash(git *)");
  return rule;
}

Result<PermissionPolicy> PermissionPolicy::make(const Rules& rules) {
  PermissionPolicy policy;
  policy.allow_rest_ = rules.allow_rest;
  for (const auto& text : rules.allow) policy.allow_.push_back(TRY(parse(text)));
  for (const auto& text : rules.deny) policy.deny_.push_back(TRY(parse(text)));
  return policy;
}

bool PermissionPolicy::matches(const Rule& rule, const PermissionRequest& request) {
  if (!matches_pattern(rule.tool, request.tool)) return false;
  if (rule.use.empty()) return true;
  if (!request.input.is_object()) return false;
  for (const char* field : {"command", "file_path", "path", "url", "pattern"}) {
    const auto value = request.input.find(field);
    if (value != request.input.end() && value->is_string())
      return matches_pattern(rule.use, value->get_ref<const std::string&>());
  }
  return false;
}

PermissionAnswer PermissionPolicy::decide(const PermissionRequest& request) const {
  const auto find = [&](const std::vector<Rule>& rules) {
    return std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return matches(rule, request); });
  };
  if (const auto denied = find(deny_); denied != deny_.end())
    return {.allow = false,
            .message = fmt::format("The team's policy denies {} (rule {})", request.tool, denied->text)};
  if (find(allow_) != allow_.end() || allow_rest_) return {.allow = true, .message = {}};
  return {.allow = false,
          .message =
              fmt::format("The team's policy does not allow {} here. Do without it, or ask the lead.", request.tool)};
}

}  // namespace teamster::agent
