#include "env/sim/sim_files.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace teamster::env::sim {
namespace {

class SimFilesTest : public testing::Test {
 protected:
  SimFilesTest() { EXPECT_TRUE(files_.make_private_directory("/home/a")); }
  std::string content(const std::string& path) { return files_.read(path, 1 << 20).value_or("<none>"); }

  SimClock clock_;
  SimLoop loop_{clock_, SimRandom(1)};
  HostId host_ = loop_.add_host();
  HostId other_ = loop_.add_host();
  SimFileTree tree_{loop_};
  SimFiles files_{tree_, loop_, clock_, host_};
  SimFiles other_files_{tree_, loop_, clock_, other_};
};

TEST_F(SimFilesTest, BehavesLikeFiles) {
  ASSERT_TRUE(files_.write_atomically("/home/a/x", "one", 0600));
  EXPECT_EQ(content("/home//a/./x"), "one");
  EXPECT_EQ(*files_.create_exclusively("/home/a/x", "two", 0600), false);
  EXPECT_EQ(*files_.create_exclusively("/home/a/y", "two", 0600), true);
  ASSERT_TRUE(files_.append("/home/a/y", "+", 0600));
  EXPECT_EQ(content("/home/a/y"), "two+");
  EXPECT_EQ(*files_.list("/home/a"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ((*files_.status("/home/a/y"))->bytes, 4U);
  EXPECT_EQ((*files_.status("/home"))->mode, 0700U);
  EXPECT_EQ(*files_.status("/none"), std::nullopt);
  ASSERT_TRUE(files_.rename("/home/a", "/home/b"));
  EXPECT_EQ(content("/home/b/x"), "one");
  ASSERT_TRUE(files_.remove_tree("/home/b"));
  EXPECT_EQ(content("/home/b/x"), "<none>");
  EXPECT_EQ(files_.read("/home/a/x", 10).error().code, Code::not_found);
  EXPECT_EQ(files_.write_atomically("/no/dir", "", 0600).error().code, Code::not_found);
  EXPECT_TRUE(files_.remove_tree("/never/was"));
}

TEST_F(SimFilesTest, MakesOneDirectoryInAParentThatIsThere) {
  EXPECT_EQ(files_.make_directory("/home/new/below", 0755).error().code, Code::not_found);
  ASSERT_TRUE(files_.make_directory("/home/new", 0755));
  ASSERT_TRUE(files_.make_directory("/home/new", 0700));
  EXPECT_EQ((*files_.status("/home/new"))->mode, 0755U);
  ASSERT_TRUE(files_.write_atomically("/home/file", "", 0600));
  EXPECT_FALSE(files_.make_directory("/home/file", 0755));
}

TEST_F(SimFilesTest, ReadKeepsItsLimits) {
  ASSERT_TRUE(files_.write_atomically("/home/a/x", "12345", 0600));
  EXPECT_TRUE(files_.read("/home/a/x", 5));
  EXPECT_EQ(files_.read("/home/a/x", 4).error().code, Code::invalid);
  EXPECT_EQ(files_.read("/home/a", 4).error().code, Code::invalid);
}

TEST_F(SimFilesTest, LocksVanishWithTheirHost) {
  auto lock = files_.try_lock("/home/a/lock");
  ASSERT_TRUE(lock && *lock);
  EXPECT_EQ(*other_files_.try_lock("/home/a/lock"), nullptr);
  EXPECT_EQ(*files_.try_lock("/home/a/lock"), nullptr);
  loop_.kill(host_);
  tree_.kill(host_);
  auto successor = other_files_.try_lock("/home/a/lock");
  ASSERT_NE(*successor, nullptr);
  lock->reset();  // the dead one's object goes late and must not free the successor's lock
  EXPECT_EQ(*other_files_.try_lock("/home/a/lock"), nullptr);
  EXPECT_EQ(files_.write_atomically("/home/a/x", "from the grave", 0600).error().code, Code::unavailable);
}

TEST_F(SimFilesTest, FaultsReadLikeRealOnes) {
  tree_.set_fault(
      [](FileOperation operation, const std::string&) { return operation == FileOperation::write ? ENOSPC : 0; });
  const auto error = files_.write_atomically("/home/a/x", "1", 0600).error();
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.text().find("No space left"), std::string::npos);
  EXPECT_EQ(content("/home/a/x"), "<none>");
  EXPECT_TRUE(files_.append("/home/a/x", "1", 0600));
}

TEST_F(SimFilesTest, PowerCutKeepsWhatWasSynced) {
  bool lost = false;
  bool kept = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SimRandom random(seed);
    ASSERT_TRUE(files_.write_atomically("/home/a/sure", "sure", 0600));
    ASSERT_TRUE(files_.write_atomically("/home/a/log", "", 0600));
    ASSERT_TRUE(files_.append("/home/a/log", "line", 0600));
    tree_.power_cut(random);
    EXPECT_EQ(content("/home/a/sure"), "sure");
    lost |= content("/home/a/log") != "line";
    kept |= content("/home/a/log") == "line";
    EXPECT_EQ(std::string("line").substr(0, content("/home/a/log").size()), content("/home/a/log"));
  }
  EXPECT_TRUE(lost);
  EXPECT_TRUE(kept);
}

TEST_F(SimFilesTest, PowerCutKeepsAllWhereTheDiskIsMountedWithSync) {
  tree_.set_synced([](const std::string& path) { return path.starts_with("/home/a/"); });
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SimRandom random(seed);
    ASSERT_TRUE(files_.replace("/home/a/x", "one", 0600));
    ASSERT_TRUE(files_.append("/home/a/x", ", two", 0600));
    ASSERT_TRUE(files_.replace("/home/a/gone", "", 0600));
    ASSERT_TRUE(files_.remove_tree("/home/a/gone"));
    tree_.power_cut(random);
    EXPECT_EQ(content("/home/a/x"), "one, two");
    EXPECT_EQ(content("/home/a/gone"), "<none>");
  }
}

TEST_F(SimFilesTest, WatchCoalesces) {
  int calls = 0;
  auto watch = files_.watch("/home/a", [&] { ++calls; });
  ASSERT_TRUE(watch);
  ASSERT_TRUE(other_files_.write_atomically("/home/a/x", "1", 0600));
  ASSERT_TRUE(other_files_.write_atomically("/home/a/y", "1", 0600));
  loop_.run_until([] { return false; });
  EXPECT_EQ(calls, 1);
  watch->reset();
  ASSERT_TRUE(other_files_.remove_tree("/home/a/x"));
  loop_.run_until([] { return false; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace teamster::env::sim
