#include "script/file_change.h"

#include <gtest/gtest.h>

#include "env/sim/sim_files.h"

namespace teamster::script {
namespace {

using How = ChangeFile::How;

class FileChangeTest : public testing::Test {
 protected:
  FileChangeTest() { EXPECT_TRUE(files_.make_private_directory("/here")); }
  Outcome change(How how, const std::string& path, const std::string& text = "") {
    return change_file(files_, {"/here", "/place/draft"}, {how, path, text});
  }
  std::string content(const std::string& path) { return files_.read(path, 1000).value_or("<none>"); }

  env::sim::SimClock clock_;
  env::sim::SimLoop loop_{clock_, env::sim::SimRandom(1)};
  env::sim::HostId host_ = loop_.add_host();
  env::sim::SimFileTree tree_{loop_};
  env::sim::SimFiles files_{tree_, loop_, clock_, host_};
};

TEST_F(FileChangeTest, WritesAppendsAndRemoves) {
  EXPECT_EQ(change(How::write, "a/b.txt", "one").text, "File created successfully at: /here/a/b.txt");
  EXPECT_EQ(content("/here/a/b.txt"), "one");
  EXPECT_EQ(change(How::append, "a/b.txt", "+two").text, "The file /here/a/b.txt has been updated successfully.");
  EXPECT_EQ(content("/here/a/b.txt"), "one+two");
  EXPECT_FALSE(change(How::remove, "a").is_error);
  EXPECT_EQ(content("/here/a/b.txt"), "<none>");
}

TEST_F(FileChangeTest, AbsolutePathsAreTakenAsTheyAre) {
  EXPECT_FALSE(change(How::write, "/other/x", "y").is_error);
  EXPECT_EQ(content("/other/x"), "y");
}

TEST_F(FileChangeTest, AFileKeepsItsMode) {
  ASSERT_TRUE(files_.write_atomically("/here/run.sh", "a", 0755));
  change(How::write, "run.sh", "b");
  EXPECT_EQ((*files_.status("/here/run.sh"))->mode, 0755U);
  change(How::write, "new", "b");
  EXPECT_EQ((*files_.status("/here/new"))->mode, 0644U);
}

TEST_F(FileChangeTest, ADirectoryIsNotReplaced) {
  change(How::write, "a/b", "x");
  EXPECT_TRUE(change(How::write, "a", "y").is_error);
  EXPECT_EQ(content("/here/a/b"), "x");
}

TEST_F(FileChangeTest, WhatCannotBeWrittenIsAnError) {
  change(How::write, "file", "x");
  const auto outcome = change(How::write, "file/below", "x");
  EXPECT_TRUE(outcome.is_error);
  EXPECT_NE(outcome.text.find("/here/file"), std::string::npos) << outcome.text;
}

}  // namespace
}  // namespace teamster::script
