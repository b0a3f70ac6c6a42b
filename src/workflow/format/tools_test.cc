#include "workflow/format/tools.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "workflow/format/load.h"

namespace teamster::workflow {
namespace {

using Words = std::vector<std::string>;

Role role_of(const std::string& text) {
  const auto loaded = load_pinned(
      {{kWorkflowFile, "name: x\nroles: { one: " + text + " }\nphases: [ { id: tell, kind: notify, text: x } ]\n"}});
  for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.text();
  return loaded.workflow ? loaded.workflow->roles.at("one") : Role{};
}

TEST(Tools, OfARoleThatNamesNoneGoByWhatItMayWrite) {
  const Words all{"Read", "Glob", "Grep", "Edit", "Write", "Bash"};
  EXPECT_EQ(role_of("{}").tools, all);
  EXPECT_EQ(role_of("{ writes: [docs] }").tools, all);
  EXPECT_EQ(role_of("{ writes: [] }").tools, (Words{"Read", "Glob", "Grep", "Bash"}));
  EXPECT_EQ(role_of("{ tools: [] }").tools, Words{}) << "none is what it says";
  EXPECT_EQ(role_of("{ writes: [], tools: ['Bash(git *)'] }").tools, Words{"Bash(git *)"});
}

TEST(Tools, SayWhyARoleCannotWrite) {
  EXPECT_EQ(why_it_cannot_write(role_of("{}")), "");
  EXPECT_EQ(why_it_cannot_write(role_of("{ tools: ['Bash(make *)'] }")), "");
  EXPECT_EQ(why_it_cannot_write(role_of("{ tools: ['*'] }")), "");
  EXPECT_NE(why_it_cannot_write(role_of("{ tools: [Read, BashOutput] }")).find("no tool that writes"),
            std::string::npos);
  EXPECT_NE(why_it_cannot_write(role_of("{ writes: [] }")).find("writes: []"), std::string::npos);
}

TEST(Tools, AreNamesWithOrWithoutAPattern) {
  for (const char* good : {"Read", "Bash(git *)", "mcp__docs__*", "*", "Web-Fetch(a)"})
    EXPECT_TRUE(is_tool_rule(good)) << good;
  for (const char* bad : {"", "Bash(", "Bash()", "(x)", "git push", "Bash(x) "}) EXPECT_FALSE(is_tool_rule(bad)) << bad;
}

}  // namespace
}  // namespace teamster::workflow
