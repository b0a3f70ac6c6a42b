// The whole substrate in one process, from one seed: hub, clients, network and disk, with
// kills, cuts, power loss and disk faults. Run one seed with TEAMSTER_SEED=n, more with
// TEAMSTER_SEEDS=n. A failing seed is printed and reproduces.
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "simulation/run_appender.h"
#include "simulation/witness.h"
#include "simulation/worker.h"
#include "support/simulated_hubs.h"

namespace teamster::simulation {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRun = "work-20261116-1a2b";

struct Figures {
  std::size_t messages = 0;
  std::size_t completed = 0;
  std::size_t records = 0;
  std::int64_t takeovers = 0;
  int kills = 0;
  int power_cuts = 0;
  int disk_faults = 0;
};

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : world_(seed), hubs_(world_) {
    roster_ = {"alpha", {"ann", "bob", "cat", "dan"}};
    env::sim::NetworkFaults faults;
    faults.refuse_connect = 0.05;
    faults.cut_connection = 0.01;
    world_.network().set_faults(faults);
    for (std::size_t i = 0; i < roster_.members.size(); ++i)
      workers_.push_back(
          std::make_unique<Worker>(world_, hubs_.home(), roster_, roster_.members[i], witness_, seed * 1000 + i, 60));
    for (std::size_t i = 0; i < 3; ++i)
      appenders_.push_back(std::make_unique<RunAppender>(world_, hubs_.home(), kRun, fmt::format("engine{}", i),
                                                         run_witness_, seed * 1000 + 500 + i, 40));
  }

  void run() {
    must("team.create", {{"team", roster_.team}, {"members", roster_.members}});
    start_all();
    for (int attack = 0; attack < 25; ++attack) {
      world_.run_for(std::chrono::microseconds(world_.random().next() % 40'000));
      this->attack();
    }
    world_.network().set_faults({});
    if (!world_.run_until([&] { return all_done(); }))
      witness_.accuse("the workers do not finish after the faults have stopped");
    check();
  }

  std::vector<std::string> problems() const {
    auto all = witness_.problems();
    all.insert(all.end(), run_witness_.problems().begin(), run_witness_.problems().end());
    return all;
  }
  Figures figures() const {
    Figures all = figures_;
    all.messages = witness_.messages_sent();
    all.completed = witness_.tasks_completed();
    all.records = run_witness_.records();
    all.takeovers = run_witness_.takeovers();
    return all;
  }
  // Tells two runs of the same seed apart, should they differ.
  std::uint64_t steps() const { return const_cast<Simulation*>(this)->world_.loop().steps(); }

 private:
  bool all_done() const {
    for (const auto& worker : workers_)
      if (!worker->is_done()) return false;
    for (const auto& appender : appenders_)
      if (!appender->is_done()) return false;
    return true;
  }

  void start_all() {
    for (auto& worker : workers_) worker->start();
    for (auto& appender : appenders_) appender->start();
  }
  void tolerate_failures(bool tolerate) {
    for (auto& worker : workers_) worker->tolerate_failures(tolerate);
    for (auto& appender : appenders_) appender->tolerate_failures(tolerate);
  }

  void attack() {
    const auto dice = world_.random().next() % 100;
    if (dice < 10) {
      appenders_[world_.random().next() % appenders_.size()]->kill();
    } else if (dice < 45) {
      figures_.kills += hubs_.kill() ? 1 : 0;
    } else if (dice < 65) {
      world_.network().cut_all();
    } else if (dice < 80) {
      world_.power_cut();
      hubs_.bury();
      ++figures_.power_cuts;
      start_all();
    } else {
      break_disk();
    }
  }

  // For a while some operations of the disk fail.
  void break_disk() {
    using env::sim::DiskOperation;
    ++figures_.disk_faults;
    const auto kind = world_.random().next() % 3;
    tolerate_failures(true);
    world_.disk().set_fault([kind](DiskOperation operation, std::string_view) {
      if (kind == 0 && operation == DiskOperation::write) return SQLITE_FULL;
      if (kind == 1 && operation == DiskOperation::sync) return SQLITE_IOERR_FSYNC;
      if (kind == 2 && operation == DiskOperation::write) return SQLITE_IOERR_WRITE;
      return SQLITE_OK;
    });
    world_.run_for(std::chrono::microseconds(world_.random().next() % 10'000));
    world_.disk().set_fault(nullptr);
    // Calls that were hit are answered soon; what comes later must work again.
    world_.run_for(2s);
    tolerate_failures(false);
  }

  Json must(const std::string& op, Json args) {
    hub::Client client(world_.start("operator").view(), hubs_.home(), hub::Access::operator_of_home());
    auto answer = client.call_and_wait({op, std::move(args), {}, {}});
    if (answer) return *answer;
    witness_.accuse(op + " failed: " + answer.error().text());
    return Json::object();
  }

  std::vector<Json> records_of_the_run() {
    std::vector<Json> records;
    for (std::int64_t after = 0;;) {
      const Json page = must("run.events", {{"run", kRun}, {"after", after}, {"limit", 7}});
      if (!page.contains("events") || page["events"].empty()) return records;
      for (const auto& record : page["events"]) records.push_back(record);
      after = records.back().at("n").get<std::int64_t>();
    }
  }

  // All pages of a list.
  std::vector<Json> all(const std::string& op, const std::string& list, Json args, const char* cursor) {
    std::vector<Json> rows;
    while (true) {
      const Json page = must(op, args);
      if (!page.contains(list)) return rows;
      for (const auto& row : page[list]) rows.push_back(row);
      const Json next = page.value(cursor, Json());
      if (next.is_null() || page[list].empty()) return rows;
      args["after"] = next;
    }
  }

  void check() {
    for (const auto& member : roster_.members)
      witness_.check_inbox(
          member, all("message.inbox", "messages", {{"team", "alpha"}, {"member", member}, {"all", true}}, "next"));
    witness_.check_tasks(all("task.list", "tasks", {{"team", "alpha"}}, "next"));
    witness_.check_journal(all("journal.read", "events", Json::object(), "last"));
    run_witness_.check(records_of_the_run());
    const Json checked = must("store.check", {{"rebuild", true}});
    if (!checked.value("ok", false)) witness_.accuse("the projections differ from the journal: " + checked.dump());
  }

  env::sim::World world_;
  hub::SimulatedHubs hubs_;
  Witness witness_;
  RunWitness run_witness_;
  Roster roster_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<RunAppender>> appenders_;
  Figures figures_;
};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

TEST(Substrate, KeepsItsPromisesUnderFaults) {
  const auto one = from_environment("TEAMSTER_SEED", 0);
  const auto first = one != 0 ? one : 1;
  const auto last = one != 0 ? one : from_environment("TEAMSTER_SEEDS", 120);
  Figures sum;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    Simulation simulation(seed);
    simulation.run();
    for (const auto& problem : simulation.problems())
      ADD_FAILURE() << "seed " << seed << ": " << problem << "  (again: TEAMSTER_SEED=" << seed << ")";
    const Figures figures = simulation.figures();
    sum.messages += figures.messages;
    sum.completed += figures.completed;
    sum.records += figures.records;
    sum.takeovers += figures.takeovers;
    sum.kills += figures.kills;
    sum.power_cuts += figures.power_cuts;
    sum.disk_faults += figures.disk_faults;
    if (testing::Test::HasFailure()) return;
  }
  fmt::print(
      "{} seeds: {} messages, {} tasks completed, {} records of runs, {} takeovers, {} kills, {} power cuts, {} disk "
      "faults\n",
      last - first + 1, sum.messages, sum.completed, sum.records, sum.takeovers, sum.kills, sum.power_cuts,
      sum.disk_faults);
  if (one == 0) {
    // The test must have tested something.
    EXPECT_GT(sum.kills, 0);
    EXPECT_GT(sum.power_cuts, 0);
    EXPECT_GT(sum.disk_faults, 0);
    EXPECT_GT(sum.completed, 0U);
    EXPECT_GT(sum.records, 0U);
    EXPECT_GT(sum.takeovers, 0);
  }
}

TEST(Substrate, TheSameSeedGivesTheSameRun) {
  const auto run = [](std::uint64_t seed) {
    Simulation simulation(seed);
    simulation.run();
    return std::make_pair(simulation.steps(), simulation.figures().messages);
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

}  // namespace
}  // namespace teamster::simulation
