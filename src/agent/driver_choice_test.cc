#include "agent/driver_choice.h"

#include <gtest/gtest.h>

namespace teamster::agent {
namespace {

using WordList = std::vector<std::string>;

TEST(DriverChoiceTest, IsADriverAndWhatItRuns) {
  EXPECT_EQ(DriverChoice::parse("claude")->driver->name(), "claude");
  const auto command = DriverChoice::parse("command:sh -c 'cat; x=1'");
  ASSERT_TRUE(command) << command.error().text();
  EXPECT_EQ(command->driver->name(), "command");
  EXPECT_EQ(command->command, (WordList{"sh", "-c", "cat; x=1"}));
  EXPECT_EQ(DriverChoice::parse("command")->command, WordList{}) << "it may be named elsewhere";
}

TEST(DriverChoiceTest, RefusesWhatMakesNoSense) {
  for (const char* text : {"", "claud", "claude:x", "script:a.json", "command:sh -c 'cat", ":x"})
    EXPECT_FALSE(DriverChoice::parse(text)) << text;
  EXPECT_NE(DriverChoice::parse("claud").error().next.find("claude"), std::string::npos);
}

}  // namespace
}  // namespace teamster::agent
