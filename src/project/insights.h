// Insights: what a project has learned from its runs: .teamster/insights.md, a heading for each skill, role or phase
// that an entry is for, and `all`. It stays short: when it would grow over limits::kInsightsMaxLines, the section that
// grows is moved into a topic file of its own and named in its place. Functions on the project's files.
#pragma once

#include <string>

#include "base/result.h"
#include "project/project.h"

namespace teamster::engine {

inline constexpr const char* kInsightsFile = ".teamster/insights.md";

// The text with one more entry under that heading, and what goes into a topic file where there is no room.
struct GrownInsights {
  std::string text;
  std::string topic_file = {};  // empty: there is room
  std::string topic_text = {};
  bool is_known = false;  // the entry was there
};
GrownInsights with_insight(const std::string& text, const std::string& heading, const std::string& entry);

// Adds the entry to the project's file, and makes it where there is none. False when it was there already.
Result<bool> add_insight(const Project& project, const std::string& heading, const std::string& entry);

}  // namespace teamster::engine
