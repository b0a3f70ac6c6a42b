#include "env/sim/sim_network.h"

#include <gtest/gtest.h>

#include "env/sim/host_loop.h"

namespace teamster::env::sim {
namespace {

using namespace std::chrono_literals;

const SocketAddress kAddress{"/home", "hub.sock"};

// A server that echoes and a client that listens, in two processes.
struct Pair {
  explicit Pair(std::uint64_t seed, NetworkFaults faults = {}) : network(sim, SimRandom(seed + 1)) {
    sim_random_seed = seed;
    network.set_faults(faults);
    auto made = server_network.listen(kAddress, [this](std::unique_ptr<Stream> stream) {
      served = std::move(stream);
      served->start({.on_bytes =
                         [this](std::string_view bytes) {
                           chunks += std::to_string(bytes.size()) + " ";
                           at_server += bytes;
                           served->write(bytes);
                         },
                     .on_end = [this] { ++server_ends; },
                     .on_drained = nullptr});
    });
    listener = std::move(*made);
  }
  void connect() {
    client = std::move(*client_network.connect(kAddress));
    client->start({.on_bytes = [this](std::string_view bytes) { at_client += bytes; },
                   .on_end = [this] { ++client_ends; },
                   .on_drained = [this] { ++drained; }});
  }
  bool run(const std::function<bool()>& done = [] { return false; }) { return sim.run_until(done); }

  std::uint64_t sim_random_seed = 0;
  SimClock clock;
  SimLoop sim{clock, SimRandom(5)};
  HostId server = sim.add_host();
  HostId client_host = sim.add_host();
  SimNetwork network;
  HostNetwork server_network{network, server};
  HostNetwork client_network{network, client_host};
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Stream> client, served;
  std::string at_server, at_client, chunks;
  int server_ends = 0, client_ends = 0, drained = 0;
};

std::string numbered_text(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i) + ",";
  return text;
}

TEST(SimNetwork, EveryByteArrivesInOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Pair pair(seed, {.split_write = 0.9});
    pair.connect();
    const std::string text = numbered_text(60'000);
    for (std::size_t at = 0; at < text.size(); at += 1000) pair.client->write(text.substr(at, 1000));
    EXPECT_TRUE(pair.run([&] { return pair.at_client.size() == text.size(); })) << seed;
    EXPECT_EQ(pair.at_client, text);
    EXPECT_GT(pair.drained, 0);
  }
}

TEST(SimNetwork, SameSeedSameRun) {
  const auto run = [](std::uint64_t seed) {
    Pair pair(seed, {.split_write = 0.9});
    pair.connect();
    pair.client->write(numbered_text(10'000));
    pair.run();
    return pair.chunks + std::to_string(pair.clock.now().time_since_epoch().count());
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(SimNetwork, NobodyThereIsUnavailable) {
  Pair pair(1);
  EXPECT_EQ(pair.client_network.connect({"/home", "other"}).error().code, Code::unavailable);
  pair.listener.reset();
  EXPECT_EQ(pair.client_network.connect(kAddress).error().code, Code::unavailable);
  Pair refusing(1, {.refuse_connect = 1});
  EXPECT_EQ(refusing.client_network.connect(kAddress).error().code, Code::unavailable);
}

TEST(SimNetwork, ListenerGoneBeforeAcceptingEndsTheClient) {
  Pair pair(1);
  pair.connect();
  pair.listener.reset();
  pair.run();
  EXPECT_EQ(pair.client_ends, 1);
  EXPECT_EQ(pair.served, nullptr);
}

TEST(SimNetwork, ClosingDeliversWhatWasSentThenTheEnd) {
  Pair pair(3);
  pair.connect();
  pair.client->write("last words");
  pair.client.reset();
  pair.run();
  EXPECT_EQ(pair.at_server, "last words");
  EXPECT_EQ(pair.server_ends, 1);
}

TEST(SimNetwork, HalfCloseLetsTheAnswerThrough) {
  Pair pair(3);
  pair.connect();
  pair.client->write("question");
  pair.client->finish_writing();
  pair.run();
  EXPECT_EQ(pair.server_ends, 1);
  EXPECT_EQ(pair.client_ends, 0);
  EXPECT_EQ(pair.at_client, "question");
}

TEST(SimNetwork, PausedPeerMakesTheWriterWait) {
  Pair pair(4);
  pair.connect();
  pair.client->write("x");
  ASSERT_TRUE(pair.run([&] { return pair.at_server == "x"; }));
  pair.served->pause_reading(true);
  pair.client->write(std::string(1'000'000, 'y'));
  pair.run();
  EXPECT_GT(pair.client->unsent_bytes(), 900'000U);
  pair.served->pause_reading(false);
  pair.run();
  EXPECT_EQ(pair.client->unsent_bytes(), 0U);
  EXPECT_EQ(pair.at_server.size(), 1'000'001U);
}

TEST(SimNetwork, CutsHappenMidStreamAndBothSeeTheEnd) {
  int cut_in_the_middle = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Pair pair(seed, {.cut_connection = 0.05, .split_write = 0.9});
    pair.connect();
    const std::string text = numbered_text(50'000);
    pair.client->write(text);
    pair.run();
    EXPECT_EQ(pair.at_server, text.substr(0, pair.at_server.size()));
    const bool was_cut = pair.client_ends == 1;
    EXPECT_EQ(pair.server_ends, pair.served && was_cut ? 1 : 0);
    if (was_cut && !pair.at_server.empty() && pair.at_server.size() < text.size()) ++cut_in_the_middle;
  }
  EXPECT_GT(cut_in_the_middle, 3);
}

TEST(SimNetwork, KillingAHostEndsItsPeersAndSilencesIt) {
  Pair pair(6);
  pair.connect();
  pair.client->write("hello");
  ASSERT_TRUE(pair.run([&] { return pair.at_client == "hello"; }));
  pair.client->write("never seen");
  pair.sim.kill(pair.server);
  pair.network.kill(pair.server);
  pair.run();
  EXPECT_EQ(pair.at_server, "hello");
  EXPECT_EQ(pair.client_ends, 1);
  EXPECT_EQ(pair.server_ends, 0);
  EXPECT_FALSE(pair.client_network.connect(kAddress));
  EXPECT_FALSE(pair.server_network.listen(kAddress, {}));
  pair.served->write("from the grave");
  pair.served.reset();
  pair.run();
  EXPECT_EQ(pair.at_client, "hello");
}

TEST(SimNetwork, StreamMayBeDestroyedInsideItsCallbacks) {
  Pair pair(7);
  pair.connect();
  auto second = std::move(*pair.client_network.connect(kAddress));
  pair.run([&] { return pair.served != nullptr; });
  second->start(
      {.on_bytes = [&](std::string_view) { second.reset(); }, .on_end = [&] { second.reset(); }, .on_drained = {}});
  second->write("x");
  pair.run();
  pair.network.cut_all();
  pair.run();
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(pair.client_ends, 1);
}

}  // namespace
}  // namespace teamster::env::sim
