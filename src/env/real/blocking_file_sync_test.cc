#include "env/real/blocking_file_sync.h"

#include <gtest/gtest.h>

#include "env/files.h"
#include "env/real/temporary_directory_for_test.h"
#include "env/real/world.h"

namespace teamster::env::real {
namespace {

TEST(BlockingFileSync, IsDoneWhenItReturns) {
  const TemporaryDirectory directory;
  World world;
  const auto view = world.view();
  const std::string path = directory.path() + "/file";
  ASSERT_TRUE(view.files.append(path, "some bytes", 0600));
  auto sync = view.files.open_sync(path);
  ASSERT_TRUE(sync) << sync.error().text();
  int done = 0;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(view.files.append(path, "more", 0600));
    (*sync)->start([&](const Result<void>& result) { done += result ? 1 : 0; });
  }
  EXPECT_EQ(done, 3);
}

// Not everything can be synced; what is not on disk must not be called done.
TEST(BlockingFileSync, SaysWhenItFails) {
  World world;
  auto sync = world.view().files.open_sync("/dev/null");
  ASSERT_TRUE(sync) << sync.error().text();
  std::optional<Result<void>> outcome;
  (*sync)->start([&](Result<void> result) { outcome = std::move(result); });
  ASSERT_TRUE(outcome.has_value());
  ASSERT_FALSE(*outcome);
  EXPECT_EQ(outcome->error().code, Code::unknown_outcome);
}

TEST(BlockingFileSync, NeedsAFile) {
  World world;
  EXPECT_EQ(world.view().files.open_sync("/nonexistent/file").error().code, Code::not_found);
}

}  // namespace
}  // namespace teamster::env::real
