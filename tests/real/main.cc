// The suite that drives real agent programs. `./dev test-real` starts it, through run.sh; started
// otherwise it refuses, because a program of somebody else must find no network but loopback.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace {

// The last resort against a test that hangs in spite of its own limits.
constexpr unsigned kTestLimitSeconds = 300;

class HardLimit : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { ::alarm(kTestLimitSeconds); }
  void OnTestEnd(const testing::TestInfo&) override { ::alarm(0); }
};

// Two lines of head, then one per interface.
bool has_loopback_alone() {
  std::ifstream file("/proc/net/dev");
  std::string line;
  int interfaces = 0;
  bool has_loopback = false;
  for (int number = 0; std::getline(file, line); ++number) {
    if (number < 2) continue;
    ++interfaces;
    has_loopback |= line.find(" lo:") != std::string::npos;
  }
  return interfaces == 1 && has_loopback;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  testing::InitGoogleTest(&argc, argv);
  if (!GTEST_FLAG_GET(list_tests) && (std::getenv("TEAMSTER_CLAUDE") == nullptr || !has_loopback_alone())) {
    std::fputs("These tests run a real agent program, in a network of its own: start them with ./dev test-real\n",
               stderr);
    return 2;
  }
  testing::UnitTest::GetInstance()->listeners().Append(new HardLimit);
  return RUN_ALL_TESTS();
}
