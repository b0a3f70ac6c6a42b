#include "engine/kept_files.h"

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"

namespace teamster::engine {
namespace {

class KeptFilesTest : public testing::Test {
 protected:
  KeptFilesTest() {
    workflow::Phase define;
    define.id = "define";
    define.role = "definer";
    define.files = {{.field = "path"}};
    workflow_.phases = {define};
    state_.answers["define"].value = {{"path", "/tmp/manifest.md"}};
    write("/tmp/manifest.md", "as it was");
  }
  void write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(files_.make_private_directory("/tmp"));
    ASSERT_TRUE(files_.write_atomically(path, text, 0644));
  }
  std::string text() { return files_.read("/tmp/manifest.md", 1000).value_or("none"); }
  KeptFiles kept() { return {files_, workflow_, "/project", "/home/run/files"}; }

  env::sim::World world_{1};
  env::sim::Host& host_ = world_.start("terminal");
  env::Files& files_ = host_.view().files;
  workflow::Workflow workflow_;
  workflow::RunState state_;
};

using Paths = std::vector<std::string>;

TEST_F(KeptFilesTest, WhatAnotherRoleChangesIsPutBack) {
  KeptFiles files = kept();
  files.begin("execute.1", "executor", state_, false);
  write("/tmp/manifest.md", "weaker");
  EXPECT_EQ(files.end("execute.1"), (Paths{"/tmp/manifest.md"}));
  EXPECT_EQ(text(), "as it was");
  files.begin("execute.2", "executor", state_, false);
  EXPECT_EQ(files.end("execute.2"), Paths());
}

TEST_F(KeptFilesTest, AfterACrashTheOneBeforeTheTurnCounts) {
  kept().begin("execute.1", "executor", state_, false);
  write("/tmp/manifest.md", "weaker");
  KeptFiles files = kept();
  files.begin("execute.1", "executor", state_, true);
  EXPECT_EQ(files.end("execute.1"), (Paths{"/tmp/manifest.md"}));
  EXPECT_EQ(text(), "as it was");
}

TEST_F(KeptFilesTest, ItsOwnRoleAndPeopleMayChangeIt) {
  KeptFiles files = kept();
  files.begin("judge.1", "definer", state_, false);
  write("/tmp/manifest.md", "better");
  EXPECT_EQ(files.end("judge.1"), Paths());
  write("/tmp/manifest.md", "by hand");
  files.begin("execute.1", "executor", state_, false);
  EXPECT_EQ(files.end("execute.1"), Paths());
  files.begin("execute.2", "executor", state_, false);
  files.begin("judge.2", "definer", state_, false);
  write("/tmp/manifest.md", "meanwhile");
  EXPECT_EQ(files.end("execute.2"), Paths()) << "whose it is was at work at the same time";
  EXPECT_EQ(text(), "meanwhile");
}

}  // namespace
}  // namespace teamster::engine
