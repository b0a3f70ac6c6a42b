// Many members under one host, for `./dev test-load`: what they cost while idle, and that
// nothing is left of a thousand of them.
#include <dirent.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/host.h"
#include "env/loop.h"
#include "env/real/world.h"
#include "keeper/kept_processes.h"
#include "keeper/process_tree.h"

namespace teamster::load {
namespace {

using namespace std::chrono_literals;

std::size_t descriptors_of(std::int64_t pid) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid)))
    ++count;
  return count;
}

std::int64_t resident_kib(std::int64_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  return -1;
}

// Processor time so far, in clock ticks.
std::int64_t ticks_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  for (int i = 3; i < 14; ++i) fields >> field;
  std::int64_t user = 0;
  std::int64_t system = 0;
  fields >> user >> system;
  return user + system;
}

class LoadTest : public testing::Test {
 protected:
  LoadTest() : directory_(std::filesystem::temp_directory_path() / fmt::format("teamster-load-{}", ::getpid())) {
    std::filesystem::create_directories(directory_);
    std::ofstream(script()) << R"({"turns":[],"otherwise":[{"say":"ok"}]})";
    client_ = std::make_unique<hub::Client>(world_.view(), home_, hub::Access::operator_of_home());
  }
  ~LoadTest() override {
    (void)client_->call_and_wait({"hub.stop", Json::object()});
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  std::string script() const { return directory_ / "idle.json"; }
  void create_team(const std::string& team, int members) {
    Json names = Json::array();
    for (int i = 0; i < members; ++i) names.push_back(fmt::format("m{}", i));
    ASSERT_TRUE(client_->call_and_wait({"team.create", {{"team", team}, {"members", names}}}));
  }
  agent::MemberOptions member(const std::string& team, int number) const {
    agent::MemberOptions options;
    options.team = team;
    options.member = fmt::format("m{}", number);
    options.driver = *agent::find_driver("script");
    options.start.directory = directory_;
    options.start.script = script();
    return options;
  }
  env::World kept_view() {
    const env::World view = world_.view();
    return {view.clock, view.loop, view.files, view.network, kept_, view.random};
  }
  bool run_until(const std::function<bool()>& done, Duration limit) {
    bool late = false;
    const env::Timer deadline = world_.loop().after(limit, [&] { late = true; });
    world_.loop().run_until([&] { return late || done(); });
    return done();
  }
  // Processes that carry a keeper's mark of this test's keeper.
  int marked() {
    int count = 0;
    const auto keeper = world_.view().processes.identify(kept_.keeper_pid());
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      const auto mark = keeper::variable_of(std::stoi(name), keeper::kKeeperVariable);
      if (mark && keeper && *mark == keeper::mark_of_keeper(*keeper)) ++count;
    }
    return count;
  }

  env::real::World world_;
  std::filesystem::path directory_;
  hub::Home home_{(std::filesystem::temp_directory_path() / fmt::format("teamster-load-{}/home", ::getpid())).string()};
  keeper::KeptProcesses kept_{world_.loop(), world_.view().processes};
  std::unique_ptr<hub::Client> client_;
};

TEST_F(LoadTest, TwoHundredIdleMembersCostAlmostNothing) {
  constexpr int kMembers = 200;
  create_team("idle", kMembers);
  int ready = 0;
  bool done = false;
  agent::Host host(kept_view(), home_, [&](const Result<void>&) { done = true; });
  for (int i = 0; i < kMembers; ++i) {
    agent::MemberObserver observer;
    observer.on_ready = [&] { ++ready; };
    host.add(member("idle", i), std::move(observer));
  }
  ASSERT_TRUE(run_until([&] { return ready == kMembers; }, 120s));
  run_until([] { return false; }, 3s);  // let the starts settle
  const std::int64_t host_pid = ::getpid();
  const std::int64_t keeper_pid = kept_.keeper_pid();
  const std::int64_t before = ticks_of(host_pid) + ticks_of(keeper_pid);
  constexpr auto kWatched = 10s;
  run_until([] { return false; }, kWatched);
  const double percent = 100.0 * static_cast<double>(ticks_of(host_pid) + ticks_of(keeper_pid) - before) /
                         static_cast<double>(::sysconf(_SC_CLK_TCK)) / 10.0;
  const std::int64_t kib = resident_kib(host_pid) + resident_kib(keeper_pid);
  fmt::print("200 idle members: host + keeper {} KiB resident, {:.2f} % of a processor\n", kib, percent);
  EXPECT_LT(kib, 64 * 1024);
  EXPECT_LT(percent, 1.0);
  host.stop("the test is over");
  EXPECT_TRUE(run_until([&] { return done; }, 60s));
}

TEST_F(LoadTest, OfAThousandNothingIsLeft) {
  constexpr int kWaves = 10;
  constexpr int kAtOnce = 100;
  create_team("thousand", kWaves * kAtOnce);
  std::size_t host_before = 0;
  std::size_t keeper_before = 0;
  int turns = 0;
  for (int wave = 0; wave < kWaves; ++wave) {
    bool done = false;
    {
      agent::Host host(kept_view(), home_, [&](const Result<void>& outcome) {
        EXPECT_TRUE(outcome);
        done = true;
      });
      for (int i = 0; i < kAtOnce; ++i) {
        agent::HostedMember& each = host.add(member("thousand", wave * kAtOnce + i), {});
        each.ask({"take a turn"}, [&turns, &each, this](const agent::TurnResult& result) {
          EXPECT_TRUE(result.end.is_good()) << result.end.error;
          ++turns;
          world_.loop().post([&each] { each.stop("done"); });
        });
      }
      ASSERT_TRUE(run_until([&] { return done; }, 120s)) << "wave " << wave;
    }
    ASSERT_TRUE(run_until([&] { return marked() == 0; }, 20s));
    const std::size_t host_now = descriptors_of(::getpid());
    const std::size_t keeper_now = descriptors_of(kept_.keeper_pid());
    if (wave == 0) {
      host_before = host_now;
      keeper_before = keeper_now;
    }
    EXPECT_EQ(host_now, host_before) << "wave " << wave;
    EXPECT_EQ(keeper_now, keeper_before) << "wave " << wave;
  }
  EXPECT_EQ(turns, kWaves * kAtOnce);
  fmt::print("{} members started, took a turn and stopped; no process and no descriptor left\n", turns);
}

}  // namespace
}  // namespace teamster::load
