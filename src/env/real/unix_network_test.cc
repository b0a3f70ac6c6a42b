#include "env/real/unix_network.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "env/real/clock.h"
#include "env/real/random.h"
#include "env/real/temporary_directory_for_test.h"

namespace teamster::env::real {
namespace {

using namespace std::chrono_literals;

class UnixNetworkTest : public testing::Test {
 protected:
  SocketAddress address() const { return {directory_.path(), "hub.sock"}; }
  Network::Accept echo() {
    return [this](std::unique_ptr<Stream> stream) {
      Stream* raw = stream.get();
      peers_.push_back(std::move(stream));
      raw->start({.on_bytes = [raw](std::string_view bytes) { raw->write(bytes); },
                  .on_end = [this] { ++ends_; },
                  .on_drained = nullptr});
    };
  }

  TemporaryDirectory directory_;
  Clock clock_;
  Random random_;
  EpollLoop loop_{clock_};
  UnixNetwork network_{loop_, random_};
  std::vector<std::unique_ptr<Stream>> peers_;
  int ends_ = 0;
};

TEST_F(UnixNetworkTest, ConnectsAndTalks) {
  const auto listener = network_.listen(address(), echo());
  ASSERT_TRUE(listener) << listener.error().text();
  auto client = network_.connect(address());
  ASSERT_TRUE(client) << client.error().text();
  std::string answer;
  (*client)->start({.on_bytes = [&](std::string_view bytes) { answer += bytes; }, .on_end = [] {}, .on_drained = {}});
  (*client)->write("hello");
  EXPECT_TRUE(loop_.run_until([&] { return answer == "hello"; }));
  client->reset();
  EXPECT_TRUE(loop_.run_until([&] { return ends_ == 1; }));
}

TEST_F(UnixNetworkTest, IsPrivateAndLeavesNoTemporaryName) {
  const auto listener = network_.listen(address(), echo());
  ASSERT_TRUE(listener);
  struct stat status {};
  ASSERT_EQ(::stat((directory_.path() + "/hub.sock").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const std::filesystem::directory_iterator files(directory_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(UnixNetworkTest, NobodyThereIsUnavailable) {
  EXPECT_EQ(network_.connect(address()).error().code, Code::unavailable);
  EXPECT_EQ(network_.connect({directory_.path() + "/nowhere", "hub.sock"}).error().code, Code::unavailable);
  network_.listen(address(), echo())->reset();
  // The file stays; it refuses.
  EXPECT_TRUE(std::filesystem::exists(directory_.path() + "/hub.sock"));
  EXPECT_EQ(network_.connect(address()).error().code, Code::unavailable);
}

TEST_F(UnixNetworkTest, ReplacesADeadOneAndDoesNotRemoveItsSuccessor) {
  auto old = network_.listen(address(), [](std::unique_ptr<Stream>) { FAIL(); });
  const auto fresh = network_.listen(address(), echo());
  ASSERT_TRUE(fresh);
  old->reset();
  const auto client = network_.connect(address());
  ASSERT_TRUE(client);
  EXPECT_TRUE(loop_.run_until([&] { return peers_.size() == 1; }));
}

TEST_F(UnixNetworkTest, LongDirectoriesWork) {
  std::string deep = directory_.path();
  for (int i = 0; i < 4; ++i) deep += "/" + std::string(60, 'd');
  std::filesystem::create_directories(deep);
  const auto listener = network_.listen({deep, "hub.sock"}, echo());
  ASSERT_TRUE(listener) << listener.error().text();
  EXPECT_TRUE(network_.connect({deep, "hub.sock"}));
}

TEST_F(UnixNetworkTest, RefusesNamesThatAreNot) {
  EXPECT_EQ(network_.listen({directory_.path(), "a/b"}, echo()).error().code, Code::invalid);
  EXPECT_EQ(network_.connect({directory_.path(), std::string(100, 'n')}).error().code, Code::invalid);
  EXPECT_EQ(network_.listen({directory_.path() + "/nowhere", "x"}, echo()).error().code, Code::not_found);
}

TEST_F(UnixNetworkTest, RestsWhenDescriptorsRunOut) {
  const auto listener = network_.listen(address(), echo());
  ASSERT_TRUE(listener);
  const auto client = network_.connect(address());
  ASSERT_TRUE(client);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{.rlim_cur = 3, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  int turns = 0;
  const Timer timer = loop_.after(2ms, [] {});
  EXPECT_TRUE(loop_.run_until([&] { return ++turns == 3; }));
  EXPECT_TRUE(peers_.empty());
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(loop_.run_until([&] { return peers_.size() == 1; }));
}

TEST_F(UnixNetworkTest, ListenerMayBeDestroyedWhileAccepting) {
  std::unique_ptr<Listener> listener;
  int accepted = 0;
  listener = *network_.listen(address(), [&](std::unique_ptr<Stream>) {
    ++accepted;
    listener.reset();
  });
  const auto one = network_.connect(address());
  const auto two = network_.connect(address());
  loop_.run();
  EXPECT_EQ(accepted, 1);
}

}  // namespace
}  // namespace teamster::env::real
