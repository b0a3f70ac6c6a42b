#include "cli/framework/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

TEST(StandardOutputTest, WritesInOrder) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  StandardOutput output(pipe[1]);
  output.write("one ");
  output.write("two");
  output.flush();
  std::array<char, 16> buffer{};
  EXPECT_EQ(::read(pipe[0], buffer.data(), buffer.size()), 7);
  EXPECT_EQ(std::string_view(buffer.data(), 7), "one two");
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(StandardOutputTest, RemembersWhyItBroke) {
  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ::close(pipe[0]);
  StandardOutput closed(pipe[1]);
  closed.write("x");
  EXPECT_EQ(closed.broken_by(), 0);
  closed.flush();
  EXPECT_EQ(closed.broken_by(), EPIPE);
  ::close(pipe[1]);

  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  StandardOutput disk(full);
  disk.write("x");
  disk.flush();
  EXPECT_EQ(disk.broken_by(), ENOSPC);
  ::close(full);
}

}  // namespace
}  // namespace teamster::cli
