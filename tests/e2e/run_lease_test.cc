// The lease of a run between real processes: one has it, the other does not; when the one is
// killed the other has it at once, and what the dead one still had under way is refused.
#include <csignal>

#include <fmt/format.h>

#include "e2e/senders.h"
#include "env/real/world.h"
#include "protocol/words/process_record.h"

namespace teamster::e2e {
namespace {

constexpr const char* kRun = "work-20261116-1a2b";

Json own_holder() {
  env::real::World world;
  const auto self = world.view().processes.self();
  return holder_argument(self);
}

Result<Json> ask(hub::Client& client, const std::string& op, Json args) {
  args["run"] = kRun;
  return client.call_and_wait({.op = op, .args = std::move(args), .wait = {}, .key = {}});
}

Result<Json> append(hub::Client& client, std::int64_t lease, std::int64_t after) {
  Json records = Json::array();
  records.push_back({{"kind", "step.done"}, {"body", {{"lease", lease}}}});
  return ask(client, "run.append", {{"lease", lease}, {"after", after}, {"records", records}});
}

// Appends until somebody stops it.
Result<void> drive(hub::Client& client, std::int64_t lease, std::int64_t after, SharedCounters& counters) {
  while (true) {
    after = TRY(append(client, lease, after)).at("n").get<std::int64_t>();
    counters.add(static_cast<std::size_t>(lease - 1));
  }
}

TEST(RunLease, AKilledHolderIsTakenOverAtOnce) {
  const Home home;
  (void)home.hub_pid();
  SharedCounters counters(3);  // records of lease 1 and 2, refusals
  Process holder = fork_client(home, [&](hub::Client& client) -> Result<void> {
    TRY_VOID(ask(client, "run.start", {{"workflow", "work"}, {"holder", own_holder()}, {"seconds", 3600}}));
    return drive(client, 1, 1, counters);
  });
  ASSERT_TRUE(eventually([&] { return counters.get(0) > 100; })) << holder.err();

  Process successor = fork_client(home, [&](hub::Client& client) -> Result<void> {
    while (true) {
      const auto granted = ask(client, "run.lease", {{"holder", own_holder()}, {"seconds", 3600}});
      if (granted) return drive(client, granted->at("lease"), granted->at("n"), counters);
      if (granted.error().code != Code::refused) return fail(granted.error());
      counters.add(2);
    }
  });
  ASSERT_TRUE(eventually([&] { return counters.get(2) > 10; })) << successor.err();
  ASSERT_EQ(counters.get(1), 0) << "the first one lives";
  ASSERT_TRUE(holder.is_running()) << holder.err();

  holder.kill(SIGKILL);
  ASSERT_TRUE(eventually([&] { return counters.get(1) > 100; }, 10s)) << successor.err();
  successor.kill(SIGKILL);
  ASSERT_TRUE(successor.wait().has_value());

  std::int64_t lease = 1;
  std::int64_t number = 0;
  std::int64_t of_first = 0;
  const Json log = home.ok({"log", kRun});
  for (const auto& record : log["events"]) {
    ASSERT_EQ(record["n"], ++number);
    if (record["kind"] == "run.leased") lease = record["body"]["lease"];
    if (record["kind"] != "step.done") continue;
    ASSERT_EQ(record["body"]["lease"], lease);
    of_first += lease == 1 ? 1 : 0;
  }
  EXPECT_EQ(lease, 2);
  EXPECT_GE(of_first, counters.get(0)) << "acknowledged, and lost";
  EXPECT_LE(of_first, counters.get(0) + 1) << "one was under way at most";

  Process late = fork_client(home, [&](hub::Client& client) -> Result<void> {
    const auto refused = append(client, 1, number);
    return refused ? Result<void>() : Result<void>(fail(refused.error()));
  });
  EXPECT_EQ(late.wait(), 1);
  EXPECT_NE(late.err().find(fmt::format("lease 1 of run {} is over", kRun)), std::string::npos) << late.err();
  EXPECT_TRUE(home.store_is_sound());
}

TEST(RunLease, TheHubMayDieUnderAnAppender) {
  const Home home;
  (void)home.hub_pid();
  SharedCounters counters(1);
  Process holder = fork_client(home, [&](hub::Client& client) -> Result<void> {
    TRY_VOID(ask(client, "run.start", {{"workflow", "work"}, {"holder", own_holder()}}));
    std::int64_t after = 1;
    while (after < 2000) {
      after = TRY(append(client, 1, after)).at("n").get<std::int64_t>();
      counters.add(0);
    }
    return {};
  });
  for (int at = 200; at < 2000; at += 300) {
    ASSERT_TRUE(eventually([&] { return counters.get(0) >= at; })) << holder.err();
    home.kill_hubs();
  }
  ASSERT_EQ(holder.wait(), 0) << holder.err();
  const Json events = home.ok({"log", kRun})["events"];
  ASSERT_EQ(events.size(), 2000U);
  for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i]["n"], i + 1);
  EXPECT_NE(home.run({"log", kRun, "--after", "1999"}).out.find("\n2000  "), std::string::npos);
  EXPECT_EQ(home.fails(1, {"log", "work-20261116-1a2c"}).next(), fmt::format("Did you mean {}?", kRun));
}

}  // namespace
}  // namespace teamster::e2e
