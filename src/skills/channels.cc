#include "skills/channels.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/pattern.h"
#include "base/text.h"
#include "skills/skill_limits.h"

namespace teamster::skills {
namespace {

constexpr std::string_view kHeading = "## Channels\n";

struct Channel {
  const char* number;
  const char* pattern;  // of the words in backticks that show it
  std::size_t limit;    // of characters
  const char* expected;
};

constexpr std::array<Channel, 4> kChannels = {{
    {"1. ", R"(`((PASS|FAIL|BLOCKED)(\|[a-z_]+:[^|`\n]*)*)`)", limits::kPermanentSignalMaxCharacters,
     "the signal for the permanent task, `PASS|key:value|…`"},
    {"2. ", R"(`(tasks/\{team\}/[^`\n]+\.md)`)", SIZE_MAX, "the output file, `tasks/{team}/{phase}-{skill}.md`"},
    {"3. ", R"(`((PASS|FAIL|BLOCKED)(\|[a-z_]+:[^|`\n]*)*\|ref:tasks/\{team\}/[^|`\n]+)`)",
     limits::kSignalMaxCharacters, "the signal to the lead, `PASS|key:value|…|ref:tasks/{team}/{file}`"},
    {"4. ", R"(`(READY\|path:tasks/\{team\}/[^|`\n]+\|fields:[^|`\n]+)`)", limits::kSignalMaxCharacters,
     "the signal to those who wait, `READY|path:tasks/{team}/{file}|fields:a,b`"},
}};

// The entry of a list with this number, down to the next one or a blank line.
std::string_view entry(std::string_view section, std::string_view number) {
  const std::size_t begin = section.find("\n" + std::string(number));
  if (begin == std::string_view::npos) return {};
  std::size_t end = begin + 1;
  do {
    end = std::min(section.find('\n', end + 1), section.size());
  } while (end < section.size() && section.substr(end + 1).starts_with("   "));
  return section.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::vector<std::string> problems_of_channels(const SkillText& skill) {
  const auto said = skill.head.metadata.find("channels");
  if (said == skill.head.metadata.end()) return {};
  if (said->second != "four") return {fmt::format("`channels` is {}, expected four", quoted(said->second, 40))};
  const std::size_t heading = skill.body.find(kHeading);
  if (heading == std::string::npos)
    return {"the skill says that it keeps to the four channels, expected a section `## Channels` that shows them"};
  const std::string_view section = std::string_view(skill.body).substr(heading);
  std::vector<std::string> problems;
  for (const auto& channel : kChannels) {
    const auto pattern = Pattern::compile(channel.pattern);
    const auto shown = pattern ? pattern->first_group(entry(section, channel.number)) : std::nullopt;
    if (!shown)
      problems.push_back(fmt::format("`Channels` has no entry {} with {}", channel.number[0], channel.expected));
    else if (count_characters(*shown) > channel.limit)
      problems.push_back(fmt::format("the signal of channel {} has {} characters, the limit is {}", channel.number[0],
                                     count_characters(*shown), channel.limit));
  }
  return problems;
}

}  // namespace teamster::skills
