#include "engine/run_drivers.h"

#include <gtest/gtest.h>

#include "project/project_for_test.h"

namespace teamster::engine {
namespace {

class RunDriversTest : public ProjectTest {
 protected:
  RunDriversTest() {
    for (const char* name : {"builder", "tester"}) workflow_.roles[name].name = name;
    workflow_.roles["lead"].is_native = true;
    setup_.project = path();
    // Nobody has Claude Code here.
    processes_.variables = {"PATH=" + path("bin")};
    write("bin/answer", "#!/bin/sh\n");
    std::filesystem::permissions(path("bin/answer"), std::filesystem::perms::owner_all);
  }
  Error problem() {
    const auto checked = check_drivers(view_, {workflow_, setup_});
    EXPECT_FALSE(checked);
    return checked ? Error{} : checked.error();
  }

  workflow::Workflow workflow_;
  RunSetup setup_;
};

TEST_F(RunDriversTest, AMissingProgramIsToldWithItsRole) {
  EXPECT_NE(problem().what.find("role builder: Claude Code is not installed"), std::string::npos) << problem().text();
  setup_.driver = "command:no-such-program -x";
  EXPECT_NE(problem().what.find("no program no-such-program"), std::string::npos) << problem().text();
  setup_.driver = "command";
  EXPECT_NE(problem().next.find("--driver 'command:PROGRAM ARGUMENTS'"), std::string::npos) << problem().text();
  setup_.driver = "claud";
  EXPECT_NE(problem().next.find("claude"), std::string::npos) << problem().text();
}

TEST_F(RunDriversTest, AllMissingScriptsAreToldAtOnceWithTheRightFlag) {
  setup_.driver = "script";
  EXPECT_NE(problem().next.find("--scripts DIRECTORY"), std::string::npos) << problem().text();
  setup_.scripts = path("scripts");
  EXPECT_EQ(problem().what, path("scripts") + " has no script for builder, tester");
  EXPECT_NE(problem().next.find("--scripts"), std::string::npos) << problem().text();
  const auto rehearsed = check_drivers(view_, {workflow_, setup_, "", "--script"});
  EXPECT_TRUE(rehearsed.error().next.ends_with("with --script")) << rehearsed.error().next;
  write("scripts/builder.json", "{}");
  EXPECT_EQ(problem().what, path("scripts") + " has no script for tester");
  write("scripts/tester.json", "{}");
  EXPECT_TRUE(check_drivers(view_, {workflow_, setup_}));
}

TEST_F(RunDriversTest, ARolesOwnDriverGoesBeforeTheRunsAndTheWorkflows) {
  workflow_.roles["tester"].driver = "command:answer --test";
  setup_.driver = "script";
  setup_.drivers["builder"] = "command:bin/answer 'a b'";
  EXPECT_EQ(driver_options(setup_, workflow_.roles["tester"])->driver->name(), "script");
  setup_.driver.clear();
  EXPECT_TRUE(check_drivers(view_, {workflow_, setup_}));
  const auto builder = driver_options(setup_, workflow_.roles["builder"]);
  ASSERT_TRUE(builder) << builder.error().text();
  EXPECT_EQ(builder->start.arguments, (std::vector<std::string>{path("bin/answer"), "a b"}))
      << "it is found from wherever the run is taken up";
  EXPECT_EQ(driver_options(setup_, workflow_.roles["tester"])->start.arguments.back(), "--test");
}

}  // namespace
}  // namespace teamster::engine
