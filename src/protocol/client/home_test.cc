#include "protocol/client/home.h"

#include <map>

#include <gtest/gtest.h>

namespace teamster::hub {
namespace {

Result<Home> locate(std::map<std::string, std::string> variables) {
  return Home::locate([&](const char* name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    return it == variables.end() ? std::nullopt : std::optional(it->second);
  });
}

TEST(Home, IsFoundInOrder) {
  EXPECT_EQ(locate({{"TEAMSTER_HOME", "/a/"}, {"XDG_STATE_HOME", "/b"}, {"HOME", "/c"}})->path(), "/a");
  EXPECT_EQ(locate({{"TEAMSTER_HOME", ""}, {"XDG_STATE_HOME", "/b"}, {"HOME", "/c"}})->path(), "/b/teamster");
  EXPECT_EQ(locate({{"HOME", "/c"}})->path(), "/c/.local/state/teamster");
}

TEST(Home, MustBeAbsolute) {
  EXPECT_FALSE(locate({}));
  EXPECT_EQ(locate({{"TEAMSTER_HOME", "relative"}}).error().what, "TEAMSTER_HOME is 'relative', not an absolute path");
}

}  // namespace
}  // namespace teamster::hub
