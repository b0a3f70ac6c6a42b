#include "agent/permission.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::agent {
namespace {

PermissionRequest request(const std::string& tool, Json input = Json::object()) {
  return {"1", tool, std::move(input), ""};
}
PermissionPolicy policy(const PermissionPolicy::Rules& rules) {
  auto made = PermissionPolicy::make(rules);
  EXPECT_TRUE(made);
  return *std::move(made);
}
bool allows(const PermissionPolicy::Rules& rules, const PermissionRequest& asked) {
  return policy(rules).decide(asked).allow;
}

TEST(Pattern, AStarIsAnyRunOfCharacters) {
  EXPECT_TRUE(matches_pattern("", ""));
  EXPECT_FALSE(matches_pattern("", "a"));
  EXPECT_TRUE(matches_pattern("abc", "abc"));
  EXPECT_FALSE(matches_pattern("abc", "abcd"));
  EXPECT_FALSE(matches_pattern("abc", "ab"));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("***", "anything"));
  EXPECT_TRUE(matches_pattern("git *", "git commit -m 'a * b'"));
  EXPECT_FALSE(matches_pattern("git *", "git"));
  EXPECT_FALSE(matches_pattern("git *", "legit push"));
  EXPECT_TRUE(matches_pattern("*.cc", "src/a.cc.cc"));
  EXPECT_FALSE(matches_pattern("*.cc", "src/a.cc.h"));
  EXPECT_TRUE(matches_pattern("a*b*c", "a-b-b-c-c"));
  EXPECT_FALSE(matches_pattern("a*b*c", "a-c-b"));
  EXPECT_TRUE(matches_pattern("a.b?c", "a.b?c")) << "nothing else is special";
  EXPECT_FALSE(matches_pattern("a.c", "abc"));
}

// A pattern of somebody's making must not take forever.
TEST(Pattern, ManyStarsAreQuick) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_FALSE(matches_pattern(pattern + "b", std::string(20'000, 'a')));
}

TEST(Permission, WhatNoRuleNamesIsDeniedWithANextStep) {
  const auto answer = policy({}).decide(request("Bash"));
  EXPECT_FALSE(answer.allow);
  EXPECT_NE(answer.message.find("Bash"), std::string::npos);
  EXPECT_NE(answer.message.find("ask the lead"), std::string::npos);
}

TEST(Permission, AToolIsAllowedByNameOrPattern) {
  EXPECT_TRUE(allows({.allow = {"Bash"}, .deny = {}}, request("Bash")));
  EXPECT_FALSE(allows({.allow = {"Bash"}, .deny = {}}, request("BashOutput")));
  EXPECT_FALSE(allows({.allow = {"Bash"}, .deny = {}}, request("bash")));
  EXPECT_TRUE(allows({.allow = {"mcp__github__*"}, .deny = {}}, request("mcp__github__list")));
  EXPECT_FALSE(allows({.allow = {"mcp__github__*"}, .deny = {}}, request("mcp__gitlab__list")));
  EXPECT_TRUE(allows({.allow = {}, .deny = {}, .allow_rest = true}, request("Anything")));
}

TEST(Permission, AUseIsMatchedAgainstCommandPathOrUrl) {
  const PermissionPolicy::Rules rules{.allow = {"Bash(git *)", "Write(src/*)", "WebFetch(https://example.org/*)"},
                                      .deny = {}};
  EXPECT_TRUE(allows(rules, request("Bash", {{"command", "git status"}})));
  EXPECT_FALSE(allows(rules, request("Bash", {{"command", "rm -rf /"}})));
  EXPECT_TRUE(allows(rules, request("Write", {{"file_path", "src/a.cc"}, {"content", "x"}})));
  EXPECT_FALSE(allows(rules, request("Write", {{"file_path", "/etc/passwd"}})));
  EXPECT_TRUE(allows(rules, request("WebFetch", {{"url", "https://example.org/a"}, {"prompt", "sum it up"}})));
  EXPECT_FALSE(allows(rules, request("Edit", {{"file_path", "src/a.cc"}})));
}

TEST(Permission, AUseThatCannotBeReadIsNotTheOneThatWasAllowed) {
  const PermissionPolicy::Rules rules{.allow = {"Bash(*)"}, .deny = {}};
  EXPECT_TRUE(allows(rules, request("Bash", {{"command", ""}})));
  for (const Json& input : {Json(), Json("git status"), Json::array({"git"}), Json(7), Json{{"command", 7}},
                            Json{{"command", nullptr}}, Json{{"other", "git"}}, Json::object()})
    EXPECT_FALSE(allows(rules, request("Bash", input))) << input;
}

TEST(Permission, DenialsWin) {
  const PermissionPolicy::Rules rules{
      .allow = {"Bash", "Bash(git push)"}, .deny = {"Bash(git push*)"}, .allow_rest = true};
  EXPECT_TRUE(allows(rules, request("Bash", {{"command", "git status"}})));
  const auto answer = policy(rules).decide(request("Bash", {{"command", "git push --force"}}));
  EXPECT_FALSE(answer.allow);
  EXPECT_NE(answer.message.find("Bash(git push*)"), std::string::npos) << "names the rule: " << answer.message;
}

TEST(Permission, WhatIsNoRuleIsRefused) {
  for (const char* rule : {"", "(x)", "Bash(", "Bash()", "Bash(x", "Bash(x)y", "()"}) {
    for (const bool deny : {false, true}) {
      PermissionPolicy::Rules rules;
      (deny ? rules.deny : rules.allow).push_back(rule);
      const auto made = PermissionPolicy::make(rules);
      ASSERT_FALSE(made) << rule;
      EXPECT_EQ(made.error().code, Code::invalid);
      EXPECT_NE(made.error().next.find("Bash(git *)"), std::string::npos);
    }
  }
  EXPECT_TRUE(PermissionPolicy::make({.allow = {"Bash(a (b) c)"}, .deny = {}}));
}

}  // namespace
}  // namespace teamster::agent
