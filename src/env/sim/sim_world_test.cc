#include "env/sim/sim_world.h"

#include <gtest/gtest.h>

namespace teamster::env::sim {
namespace {

using namespace std::chrono_literals;

const SocketAddress kWorldAddress{"/home", "hub.sock"};
constexpr const char* kProgram = "/sim/bin/teamster";

// A program that listens, echoes, and holds a lock.
struct Echo {
  explicit Echo(Host& host) : world(host.view()), lock(*world.files.try_lock("/lock")) {
    if (!lock) return;
    listener = *world.network.listen(kWorldAddress, [this](std::unique_ptr<Stream> stream) {
      Stream* raw = streams.emplace_back(std::move(stream)).get();
      raw->start({.on_bytes = [raw](std::string_view bytes) { raw->write(bytes); }, .on_end = {}, .on_drained = {}});
    });
  }
  env::World world;
  std::unique_ptr<FileLock> lock;
  std::unique_ptr<Listener> listener;
  std::vector<std::unique_ptr<Stream>> streams;
};

TEST(SimWorld, HostsTalkAndAKilledOneVanishes) {
  World world(1);
  Host& server = world.start("server");
  Host& client = world.start("client");
  Echo echo(server);
  const env::World view = client.view();
  auto stream = std::move(*view.network.connect(kWorldAddress));
  std::string answer;
  bool ended = false;
  stream->start(
      {.on_bytes = [&](std::string_view b) { answer += b; }, .on_end = [&] { ended = true; }, .on_drained = {}});
  stream->write("hello");
  EXPECT_TRUE(view.loop.run_until([&] { return answer == "hello"; }));

  const auto identity = server.view().processes.self();
  EXPECT_TRUE(view.processes.is_alive(identity));
  EXPECT_EQ(*view.files.try_lock("/lock"), nullptr);
  world.kill(server);
  EXPECT_FALSE(view.processes.is_alive(identity));
  EXPECT_FALSE(view.processes.identify(identity.pid));
  EXPECT_NE(*view.files.try_lock("/lock"), nullptr);
  EXPECT_FALSE(view.network.connect(kWorldAddress));
  EXPECT_TRUE(world.run_until([&] { return ended; }));
}

TEST(SimWorld, SpawnedProgramRunsInItsOwnHost) {
  World world(2);
  std::vector<std::unique_ptr<Echo>> programs;
  world.on_spawn(kProgram, [&](Host& host, const Spawn& spawn) {
    EXPECT_EQ(spawn.arguments.back(), "hub");
    programs.push_back(std::make_unique<Echo>(host));
  });
  const env::World view = world.start("client").view();
  EXPECT_EQ(view.processes.spawn_detached({"/bin/other", {"x"}, {}, ""}).error().code, Code::not_found);
  EXPECT_EQ(view.processes.spawn({"/bin/other", {"x"}, {}, ""}).error().code, Code::not_found);
  const auto pid = view.processes.spawn_detached({view.processes.own_executable(), {"teamster", "hub"}, {}, ""});
  ASSERT_TRUE(pid);
  EXPECT_TRUE(programs.empty());  // it takes its time
  EXPECT_TRUE(view.processes.identify(*pid));
  EXPECT_TRUE(world.run_until([&] { return programs.size() == 1; }));
  EXPECT_EQ(programs[0]->world.processes.self().pid, *pid);
  EXPECT_TRUE(view.network.connect(kWorldAddress));
}

TEST(SimWorld, AProgramThatStopsIsTold) {
  World world(3);
  Host& host = world.start("hub");
  auto echo = std::make_unique<Echo>(host);
  host.on_stop([&] {
    echo.reset();
    world.kill(host);
  });
  host.view().loop.stop();
  EXPECT_TRUE(world.run_until([&] { return echo == nullptr; }));
  EXPECT_FALSE(host.is_alive());
}

TEST(SimWorld, PowerCutEndsEverythingAndTheBoot) {
  World world(4);
  Host& before = world.start("before");
  const auto identity = before.view().processes.self();
  ASSERT_TRUE(before.view().files.write_atomically("/sure", "x", 0600));
  bool ran = false;
  before.view().loop.post([&] { ran = true; });
  world.power_cut();
  const env::World view = world.start("after").view();
  EXPECT_FALSE(view.processes.is_alive(identity));
  EXPECT_NE(view.processes.self().boot_id, identity.boot_id);
  EXPECT_EQ(*view.files.read("/sure", 10), "x");
  world.run_for(1s);
  EXPECT_FALSE(ran);
}

TEST(SimWorld, RunForMovesTime) {
  World world(5);
  const Instant start = world.clock().now();
  int ticks = 0;
  const env::World view = world.start("a").view();
  Timer timer;
  std::function<void()> tick = [&] {
    ++ticks;
    timer = view.loop.after(10ms, tick);
  };
  timer = view.loop.after(10ms, tick);
  world.run_for(95ms);
  EXPECT_EQ(ticks, 9);
  EXPECT_EQ(world.clock().now() - start, 95ms);
}

// Everything a run shows, as text: two runs of one seed must agree to the byte.
std::string story(std::uint64_t seed) {
  World world(seed);
  world.network().set_faults({.refuse_connect = 0.1, .cut_connection = 0.02, .split_write = 0.5});
  std::string text;
  Host& server = world.start("server");
  Echo echo(server);
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 5; ++i) {
    const env::World view = world.start("client").view();
    auto stream = view.network.connect(kWorldAddress);
    text += view.random.hex(4) + (stream ? "+" : "-");
    if (!stream) continue;
    (*stream)->start({.on_bytes = [&text, i](std::string_view b) { text += std::to_string(i) + std::string(b) + "|"; },
                      .on_end = [&text, i] { text += std::to_string(i) + "end|"; },
                      .on_drained = {}});
    for (int n = 0; n < 20; ++n) (*stream)->write("message " + std::to_string(n));
    streams.push_back(std::move(*stream));
  }
  const Timer killer = world.start("killer").view().loop.after(2ms, [&] { world.kill(server); });
  world.run_until([] { return false; });
  return text + std::to_string(world.loop().steps());
}

TEST(SimWorld, SameSeedSameStory) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(story(seed), story(seed));
  EXPECT_NE(story(1), story(2));
}

}  // namespace
}  // namespace teamster::env::sim
