#include "env/real/kernel_file_sync.h"

#include <gtest/gtest.h>

#include "env/files.h"
#include "env/real/temporary_directory_for_test.h"
#include "env/real/world.h"

namespace teamster::env::real {
namespace {

TEST(KernelFileSync, TellsTheLoopWhenItIsDone) {
  const TemporaryDirectory directory;
  World world;
  const auto view = world.view();
  const std::string path = directory.path() + "/file";
  ASSERT_TRUE(view.files.append(path, "some bytes", 0600));
  auto sync = view.files.open_sync(path);
  ASSERT_TRUE(sync) << sync.error().text();
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(view.files.append(path, "more", 0600));
    bool done = false;
    (*sync)->start([&](Result<void> result) {
      EXPECT_TRUE(result);
      done = true;
    });
    EXPECT_FALSE(done);
    view.loop.run_until([&] { return done; });
    EXPECT_TRUE((*sync)->now());
  }
}

TEST(KernelFileSync, MayGoWhileASyncRuns) {
  const TemporaryDirectory directory;
  World world;
  const auto view = world.view();
  const std::string path = directory.path() + "/file";
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(view.files.append(path, std::string(100'000, 'x'), 0600));
    auto sync = *view.files.open_sync(path);
    sync->start([](Result<void>) { FAIL() << "called after it is gone"; });
  }
  bool done = false;
  view.loop.post([&] { done = true; });
  view.loop.run_until([&] { return done; });
}

TEST(KernelFileSync, NeedsAFile) {
  World world;
  EXPECT_EQ(world.view().files.open_sync("/nonexistent/file").error().code, Code::not_found);
}

}  // namespace
}  // namespace teamster::env::real
