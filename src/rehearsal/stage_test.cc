// A stage that cannot be set leaves nothing. What is played on one is in the end-to-end tests.
#include "rehearsal/stage.h"

#include <gtest/gtest.h>

#include "project/project_for_test.h"

namespace teamster::cli {
namespace {

class StageTest : public engine::ProjectTest {
 protected:
  StageTest() {
    std::filesystem::create_directories(path("tmp"));
    processes_.variables.push_back("TMPDIR=" + path("tmp"));
  }
  StageOptions options() {
    const WorkflowPlaces places(view_.files, [](const char*) { return std::nullopt; });
    return {.workflow = *places.find("implement-spec"), .workflow_word = "implement-spec", .places = places};
  }
  std::string problem(StageOptions wanted) {
    Stage stage(view_, std::move(wanted));
    const auto set = stage.set();
    EXPECT_FALSE(set);
    return set ? "" : set.error().text();
  }
  bool has_left_nothing() const { return std::filesystem::is_empty(path("tmp")); }
};

TEST_F(StageTest, IsGoneWithItsObject) {
  {
    Stage stage(view_, options());
    const auto set = stage.set();
    ASSERT_TRUE(set) << set.error().text();
    EXPECT_TRUE(std::filesystem::exists(stage.directory() + "/specs"));
    EXPECT_TRUE(std::filesystem::exists(stage.home() + "/rehearsal/clock"));
    EXPECT_TRUE(stage.directory().starts_with(path("tmp") + "/"));
  }
  EXPECT_TRUE(has_left_nothing());
}

TEST_F(StageTest, ThatCannotBeSetLeavesNothing) {
  write("bin/sh-only", "");
  processes_.variables[0] = "PATH=" + path("bin");
  EXPECT_NE(problem(options()).find("Is git installed?"), std::string::npos);
  EXPECT_TRUE(has_left_nothing());
  StageOptions kept = options();
  kept.keep = path("kept");
  problem(kept);
  EXPECT_FALSE(exists("kept")) << "it was not there before";
  std::filesystem::create_directories(path("kept"));
  problem(kept);
  EXPECT_TRUE(exists("kept"));
  EXPECT_TRUE(std::filesystem::is_empty(path("kept"))) << "and this one was";
}

TEST_F(StageTest, AnInterruptWhileItIsSetLeavesNothing) {
  {
    Stage stage(view_, options());
    const env::Timer soon = view_.loop.after({}, [&] { stage.interrupt(); });
    EXPECT_FALSE(stage.set());
  }
  EXPECT_TRUE(has_left_nothing());
}

TEST_F(StageTest, WhatIsWrongIsToldBeforeAnythingIsWritten) {
  std::filesystem::remove(path("tmp"));
  StageOptions wrong = options();
  wrong.faults = {*StagedFault::parse("crash bilder@fix")};
  EXPECT_NE(problem(wrong).find("builder"), std::string::npos);
  StageOptions own = options();
  own.scripts = path("scripts");
  EXPECT_NE(problem(own).find("has no script for builder, reviewer, tester"), std::string::npos);
  for (const char* role : {"builder", "reviewer", "tester"})
    write(std::string("scripts/") + role + ".json", R"({"turns": []})");
  write("scripts/tester.json", R"({"turns": [{"stesp": []}]})");
  EXPECT_NE(problem(own).find("tester.json"), std::string::npos) << "a mistake in a script";
  write("scripts/tester.json", R"({"turns": []})");
  write("scripts/people.json", "[]");
  EXPECT_NE(problem(own).find("people.json"), std::string::npos);
  StageOptions planless = options();
  planless.workflow.bundle.erase(kPlanFile);
  EXPECT_NE(problem(planless).find("no rehearsal.json"), std::string::npos);
  planless.project = path();
  planless.scripts = path("scripts");
  std::filesystem::remove(path("scripts/people.json"));
  EXPECT_NE(problem(planless).find("no git repository"), std::string::npos);
  EXPECT_FALSE(exists("tmp"));
}

TEST_F(StageTest, APartOfARepositoryIsPlayedOnInItsPlace) {
  write("part/specs/01-a.md", "# a\n");
  make_repository();
  write("part/specs/02-b.md", "# b\n");
  for (const char* role : {"builder", "reviewer", "tester"})
    write(std::string("part/rehearsal/") + role + ".json", R"({"turns": []})");
  shell("git add part/specs && git commit -q -m part");
  StageOptions own = options();
  own.project = path("part");
  Stage stage(view_, own);
  const auto set = stage.set();
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_TRUE(std::filesystem::exists(stage.directory() + "/part/specs/01-a.md"));
  EXPECT_FALSE(std::filesystem::exists(stage.directory() + "/part/rehearsal")) << "not committed";
}

}  // namespace
}  // namespace teamster::cli
