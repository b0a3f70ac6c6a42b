#include "env/real/real_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "env/real/clock.h"
#include "env/real/random.h"
#include "env/real/temporary_directory_for_test.h"

namespace teamster::env::real {
namespace {

using namespace std::chrono_literals;

class RealFilesTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  std::string content(const std::string& name) { return files_.read(path(name), 1 << 20).value_or("<none>"); }

  TemporaryDirectory directory_;
  Clock clock_;
  Random random_;
  EpollLoop loop_{clock_};
  RealFiles files_{loop_, random_};
};

TEST_F(RealFilesTest, WritesAndReads) {
  ASSERT_TRUE(files_.write_atomically(path("a"), "one", 0640));
  ASSERT_TRUE(files_.write_atomically(path("a"), "two", 0640));
  EXPECT_EQ(content("a"), "two");
  const auto status = files_.status(path("a"));
  ASSERT_TRUE(status && *status);
  EXPECT_EQ((*status)->mode, 0640U);
  EXPECT_EQ((*status)->bytes, 3U);
  EXPECT_EQ((*status)->owner_uid, ::getuid());
  EXPECT_FALSE((*status)->is_directory);
  EXPECT_GT((*status)->modified_unix_ms, 1'735'000'000'000);
  EXPECT_EQ(*files_.list(directory_.path()), std::vector<std::string>{"a"});
}

TEST_F(RealFilesTest, ReadBeneathStaysInItsDirectory) {
  namespace fs = std::filesystem;
  fs::create_directories(path("root/inner"));
  ASSERT_TRUE(files_.write_atomically(path("secret"), "secret", 0600));
  ASSERT_TRUE(files_.write_atomically(path("root/inner/a"), "inside", 0600));
  fs::create_symlink("inner/a", path("root/link"));
  fs::create_symlink("../secret", path("root/out"));
  fs::create_symlink(path("secret"), path("root/absolute"));
  fs::create_directory_symlink("..", path("root/up"));
  const auto read = [&](const std::string& name) { return files_.read_beneath(path("root"), name, 100); };
  EXPECT_EQ(read("inner/a").value_or(""), "inside");
  EXPECT_EQ(read("link").value_or(""), "inside");
  EXPECT_EQ(read("inner/../inner/a").value_or(""), "inside");
  for (const char* name : {"out", "absolute", "up/secret", "../secret", "inner/../../secret"})
    EXPECT_EQ(read(name).error().code, Code::refused) << name;
  EXPECT_EQ(read(path("secret")).error().code, Code::refused);
  EXPECT_EQ(read("none").error().code, Code::not_found);
  EXPECT_EQ(read("inner").error().code, Code::invalid);
  EXPECT_EQ(files_.read_beneath(path("none"), "a", 100).error().code, Code::not_found);
  EXPECT_EQ(files_.read_beneath(path("root"), "inner/a", 3).error().code, Code::invalid);
  fs::create_directory_symlink("root", path("alias"));
  EXPECT_EQ(files_.read_beneath(path("alias"), "inner/a", 100).value_or(""), "inside") << "the directory may be a link";
}

TEST_F(RealFilesTest, ReadKeepsItsLimits) {
  ASSERT_TRUE(files_.write_atomically(path("a"), "12345", 0600));
  EXPECT_TRUE(files_.read(path("a"), 5));
  EXPECT_EQ(files_.read(path("a"), 4).error().code, Code::invalid);
  EXPECT_EQ(files_.read(path("none"), 4).error().code, Code::not_found);
  EXPECT_EQ(files_.read(directory_.path(), 4).error().code, Code::invalid);
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(files_.read(path("fifo"), 4).error().code, Code::invalid);
}

TEST_F(RealFilesTest, CreatesOnlyOnce) {
  EXPECT_EQ(*files_.create_exclusively(path("key"), "first", 0600), true);
  EXPECT_EQ(*files_.create_exclusively(path("key"), "second", 0600), false);
  EXPECT_EQ(content("key"), "first");
  EXPECT_EQ(files_.list(directory_.path())->size(), 1U);
}

TEST_F(RealFilesTest, Appends) {
  ASSERT_TRUE(files_.append(path("log"), "a\n", 0600));
  ASSERT_TRUE(files_.append(path("log"), "b\n", 0600));
  EXPECT_EQ(content("log"), "a\nb\n");
}

TEST_F(RealFilesTest, ErrorsNameThePathAndTheNextStep) {
  const auto error = files_.write_atomically(path("no/such"), "x", 0600).error();
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_NE(error.what.find(path("no/such")), std::string::npos);
  EXPECT_FALSE(error.next.empty());
}

TEST_F(RealFilesTest, FullDiskIsSaidAndLeavesNothing) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const auto error = files_.append("/dev/full", "x", 0600).error();
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.next.find("Free some space"), std::string::npos);
}

TEST_F(RealFilesTest, MakesPrivateDirectoriesWithParents) {
  ASSERT_TRUE(files_.make_private_directory(path("x/y/z")));
  ASSERT_TRUE(files_.make_private_directory(path("x/y/z")));
  ASSERT_TRUE(files_.make_private_directory(path("x/y/w/")));
  EXPECT_EQ((*files_.status(path("x/y")))->mode, 0700U);
  ASSERT_TRUE(files_.write_atomically(path("file"), "", 0600));
  EXPECT_FALSE(files_.make_private_directory(path("file")));
  EXPECT_FALSE(files_.make_private_directory(path("file/below")));
  EXPECT_FALSE(files_.make_private_directory(""));
}

TEST_F(RealFilesTest, ModesAreLessTheUmask) {
  const mode_t before = ::umask(027);
  const auto made = files_.make_directory(path("shared"), 0777);
  const auto again = files_.make_directory(path("shared"), 0700);
  const auto below = files_.make_directory(path("none/below"), 0777);
  const auto wrote = files_.write_atomically(path("file"), "", 0666);
  const auto created = files_.create_exclusively(path("other"), "", 0666);
  ::umask(before);
  ASSERT_TRUE(made && again && wrote && created);
  EXPECT_EQ((*files_.status(path("shared")))->mode, 0750U) << "an existing one stays as it is";
  EXPECT_EQ((*files_.status(path("file")))->mode, 0640U);
  EXPECT_EQ((*files_.status(path("other")))->mode, 0640U);
  ASSERT_FALSE(below) << "it makes no parents";
  EXPECT_EQ(below.error().code, Code::not_found);
  EXPECT_FALSE(files_.make_directory(path("file"), 0777));
}

TEST_F(RealFilesTest, StatusOfNothingIsNoError) {
  EXPECT_EQ(*files_.status(path("none")), std::nullopt);
  EXPECT_EQ(files_.list(path("none")).error().code, Code::not_found);
}

TEST_F(RealFilesTest, Renames) {
  ASSERT_TRUE(files_.make_private_directory(path("d")));
  ASSERT_TRUE(files_.write_atomically(path("a"), "x", 0600));
  ASSERT_TRUE(files_.rename(path("a"), path("d/b")));
  EXPECT_EQ(content("d/b"), "x");
  EXPECT_EQ(files_.rename(path("a"), path("c")).error().code, Code::not_found);
}

TEST_F(RealFilesTest, RemoveTreeDoesNotFollowLinks) {
  ASSERT_TRUE(files_.make_private_directory(path("outside")));
  ASSERT_TRUE(files_.write_atomically(path("outside/kept"), "x", 0600));
  ASSERT_TRUE(files_.make_private_directory(path("tree/a/b")));
  ASSERT_TRUE(files_.write_atomically(path("tree/a/file"), "x", 0600));
  std::filesystem::create_directory_symlink(path("outside"), path("tree/a/link"));
  EXPECT_TRUE(files_.remove_tree(path("tree")));
  EXPECT_EQ(*files_.status(path("tree")), std::nullopt);
  EXPECT_EQ(content("outside/kept"), "x");

  std::filesystem::create_directory_symlink(path("outside"), path("link"));
  EXPECT_TRUE(files_.remove_tree(path("link")));
  EXPECT_EQ(content("outside/kept"), "x");
  EXPECT_TRUE(files_.remove_tree(path("outside/kept")));
  EXPECT_TRUE(files_.remove_tree(path("never/was")));
}

TEST_F(RealFilesTest, KnowsTheFileSystem) {
  EXPECT_GT(*files_.free_bytes(directory_.path()), 0U);
  EXPECT_EQ(*files_.file_system("/proc"), "proc");
  EXPECT_FALSE(files_.file_system(path("none")));
}

TEST_F(RealFilesTest, LocksExclude) {
  auto first = files_.try_lock(path("lock"));
  ASSERT_TRUE(first && *first);
  auto second = files_.try_lock(path("lock"));
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, nullptr);
  first->reset();
  second = files_.try_lock(path("lock"));
  EXPECT_NE(*second, nullptr);
  EXPECT_EQ((*files_.status(path("lock")))->mode, 0600U);
}

TEST_F(RealFilesTest, WatchCoalescesAndStops) {
  int calls = 0;
  auto watch = files_.watch(directory_.path(), [&] { ++calls; });
  ASSERT_TRUE(watch) << watch.error().text();
  std::ofstream(path("one")) << "1";
  std::ofstream(path("two")) << "2";
  EXPECT_TRUE(loop_.run_until([&] { return calls > 0; }));
  EXPECT_EQ(calls, 1);
  watch->reset();
  std::ofstream(path("three")) << "3";
  EXPECT_FALSE(loop_.run_until([] { return false; }));
  EXPECT_EQ(calls, 1);
}

TEST_F(RealFilesTest, WatchersOfOneDirectoryMayTakeEachOtherBack) {
  Registration one, two;
  int calls = 0;
  one = *files_.watch(directory_.path(), [&] { ++calls, two.reset(), one.reset(); });
  two = *files_.watch(directory_.path(), [&] { ++calls, one.reset(), two.reset(); });
  std::ofstream(path("one")) << "1";
  EXPECT_FALSE(loop_.run_until([] { return false; }));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(files_.watch(path("none"), [] {}).error().code, Code::not_found);
}

}  // namespace
}  // namespace teamster::env::real
