// A client starts the hub by starting its own program again with the word `hub`, and hosts
// start keepers and agents in the same way. In these tests that program may be this one, so
// it passes the call on to the real binary.
#include <unistd.h>

#include <csignal>
#include <string_view>

#include <gtest/gtest.h>

namespace {

// The last resort against a test that hangs in spite of its own limits.
constexpr unsigned kTestLimitSeconds = 150;

class HardLimit : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { ::alarm(kTestLimitSeconds); }
  void OnTestEnd(const testing::TestInfo&) override { ::alarm(0); }
};

}  // namespace

int main(int argc, char** argv) {
  for (const std::string_view word : {"hub", "keeper", "script-agent", "mcp"})
    if (argc >= 2 && word == argv[1]) {
      ::execv(TEAMSTER_BINARY, argv);
      return 127;
    }
  std::signal(SIGPIPE, SIG_IGN);
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new HardLimit);
  return RUN_ALL_TESTS();
}
