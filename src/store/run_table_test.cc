#include "store/run_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "env/sim/sim_world.h"
#include "store/store.h"

namespace teamster::store {
namespace {

class RunTableTest : public testing::Test {
 protected:
  RunTableTest() { open(); }
  ~RunTableTest() override {
    EXPECT_TRUE(store_->check(true)->empty()) << store_->check(true)->front();
    store_.reset();
  }

  void open() {
    store_.reset();
    StoreOptions options;
    options.path = "/home/store.db";
    options.vfs = world_.start("hub").disk_vfs();
    store_ = *Store::open(options);
  }
  RunId start(const std::string& name, const std::string& key = "") {
    Json body = {{"run", name}, {"workflow", "w"}, {"holder", {{"pid", 7}}}, {"lease_ms", 1000}};
    if (!key.empty()) body["key"] = key;
    const RunId id(store_->next_seq().value);
    EXPECT_EQ(record(RunId(), kind::kRunStarted, std::move(body)), 1);
    return id;
  }
  std::int64_t record(RunId run, const std::string& kind, Json body = Json::object()) {
    EXPECT_TRUE(store_->begin(now_));
    store_->begin_command();
    const auto n = store_->record_of_run(kind, run, "operator", body, dump_json(body));
    EXPECT_TRUE(n) << n.error().what;
    EXPECT_TRUE(store_->finish_command("", 0, ""));
    EXPECT_TRUE(store_->commit());
    return *n;
  }
  struct Read {
    std::vector<std::int64_t> numbers;
    std::vector<std::string> kinds;
    std::vector<Json> bodies;
    Store::RunRecordsPage page;
  };
  Read read(RunId run, const RunCursor& range) {
    Read read;
    read.page = *store_->run_records(run, range, [&](const NumberedRecord& record) {
      read.numbers.push_back(record.n);
      read.kinds.emplace_back(record.kind);
      read.bodies.push_back(Json::parse(record.body));
    });
    return read;
  }
  RunTable& runs() { return store_->projection().runs; }
  RunRow row(RunId id) { return **runs().get(id); }

  env::sim::World world_{7};
  WallTime now_{1000};
  std::unique_ptr<Store> store_;
};

TEST_F(RunTableTest, RecordsOfEachRunAreNumberedWithoutGaps) {
  const RunId a = start("w-20261116-000a");
  const RunId b = start("w-20261116-000b");
  for (int i = 2; i <= 7; ++i) {
    EXPECT_EQ(record(a, "step.done", {{"i", i}}), i);
    if (i % 2 != 0) continue;
    EXPECT_EQ(record(b, "step.done"), 1 + i / 2);
  }
  EXPECT_EQ(row(a).last_n, 7);
  EXPECT_EQ(row(b).last_n, 4);
  open();
  EXPECT_EQ(row(a).last_n, 7) << "also when it is read from the file";
  EXPECT_EQ(record(a, "step.done"), 8);
}

TEST_F(RunTableTest, RecordsAreReadInPagesAsTheyWereWritten) {
  const RunId run = start("w-20261116-000a");
  for (int i = 2; i <= 10; ++i) record(run, "step.done", {{"text", std::string(100, 'x')}, {"i", i}});
  const Read first = read(run, {.after = 3, .limit = 4, .max_bytes = 1 << 20});
  EXPECT_EQ(first.numbers, (std::vector<std::int64_t>{4, 5, 6, 7}));
  EXPECT_TRUE(first.page.more);
  EXPECT_EQ(first.page.last, 7);
  EXPECT_EQ(first.kinds[0], "step.done");
  EXPECT_EQ(first.bodies[3]["i"], 7);
  EXPECT_EQ(read(run, {.after = 3, .limit = 100, .max_bytes = 250}).numbers.size(), 3U)
      << "a page is bounded by bytes, too";
  EXPECT_FALSE(read(run, {.after = 7, .limit = 3, .max_bytes = 1 << 20}).page.more);
  const Read behind = read(run, {.after = 10, .limit = 3, .max_bytes = 1 << 20});
  EXPECT_TRUE(behind.page.is_empty);
  EXPECT_EQ(behind.page.last, 10);
  EXPECT_TRUE(read(RunId(999), {.after = 0, .limit = 3, .max_bytes = 1 << 20}).page.is_empty);
}

TEST_F(RunTableTest, WhatOthersPutInCanBeReadAlone) {
  const RunId run = start("w-20261116-000a");
  record(run, kind::kRunTold);
  record(run, "step.done");
  record(run, kind::kRunTold);
  record(run, kind::kRunLeased, {{"lease", 2}, {"lease_ms", 1}, {"holder", {{"pid", 8}}}});
  const Read told = read(run, {.after = 2, .from_others = true});
  EXPECT_EQ(told.numbers, (std::vector<std::int64_t>{4, 5}));
  EXPECT_FALSE(told.page.more);
  EXPECT_TRUE(read(run, {.after = 0, .limit = 1, .from_others = true}).page.more);
}

TEST_F(RunTableTest, WhatOthersPutInIsNoRecordOfTheHolder) {
  const RunId run = start("w-20261116-000a");
  now_ = WallTime{2000};
  record(run, kind::kRunTold, {{"what", "cancel"}});
  EXPECT_EQ(row(run).last_n, 2);
  EXPECT_EQ(row(run).own_n, 1);
  EXPECT_EQ(row(run).renewed, WallTime{1000}) << "and no sign of life of it";
  record(run, kind::kRunRenewed, {{"lease", 1}, {"lease_ms", 5000}});
  EXPECT_EQ(row(run).own_n, 1);
  EXPECT_EQ(row(run).lease_until(), WallTime{7000});
  now_ = WallTime{3000};
  record(run, "step.done");
  EXPECT_EQ(row(run).own_n, 4);
  EXPECT_EQ(row(run).lease_until(), WallTime{8000});
}

TEST_F(RunTableTest, AnEndedRunHasNoHolderAndItsKeyIsFree) {
  const RunId run = start("w-20261116-000a", "01");
  EXPECT_EQ((*runs().find_live("w", "01"))->id, run);
  EXPECT_FALSE(runs().find_live("w", "02")->has_value());
  record(run, kind::kRunEnded, {{"status", "done"}});
  EXPECT_FALSE(runs().find_live("w", "01")->has_value());
  EXPECT_EQ(row(run).status, "done");
  EXPECT_FALSE(row(run).holder);
  start("w-20261116-000b", "01");
  EXPECT_EQ(runs().page(false, RunId(), 10)->size(), 1U);
  EXPECT_EQ(runs().page(true, RunId(), 10)->size(), 2U);
  EXPECT_EQ(runs().page(true, run, 10)->size(), 1U);
}

TEST_F(RunTableTest, ARollbackTakesBackWhatIsRemembered) {
  const RunId run = start("w-20261116-000a");
  ASSERT_TRUE(store_->begin(now_));
  store_->begin_command();
  EXPECT_EQ(*store_->record_of_run("step.done", run, "operator", Json(), "{}"), 2);
  store_->rollback();
  EXPECT_EQ(row(run).last_n, 1);
  EXPECT_EQ(record(run, "step.done"), 2);
}

TEST_F(RunTableTest, ARemovedRunLeavesNothing) {
  const RunId gone = start("w-20261116-000a");
  record(gone, "step.done");
  record(gone, kind::kRunEnded, {{"status", "done"}});
  const RunId kept = start("w-20261116-000b");
  ASSERT_EQ(runs().ended_before(WallTime{1001})->size(), 1U);
  EXPECT_TRUE(runs().ended_before(WallTime{1000})->empty());
  ASSERT_TRUE(store_->begin(now_));
  EXPECT_EQ(*store_->remove_run_history(gone), 3);
  ASSERT_TRUE(store_->commit());
  EXPECT_FALSE(runs().get(gone)->has_value());
  EXPECT_FALSE(runs().find("w-20261116-000a")->has_value());
  EXPECT_EQ(*store_->event_count(), 1);
  EXPECT_EQ(row(kept).last_n, 1);
}

// The engine waits for each of these, in a journal that is long by then.
TEST_F(RunTableTest, NothingWalksThroughTheHistory) {
  std::vector<RunId> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(start(fmt::format("w-20261116-{:04x}", i), std::to_string(i)));
  for (int i = 0; i < 1000; ++i) record(ids[static_cast<std::size_t>(i) % ids.size()], "step.done");
  for (std::size_t i = 0; i < 40; ++i) record(ids[i], kind::kRunEnded, {{"status", "done"}});
  EXPECT_EQ(read(ids[0], {.after = 15, .limit = 100, .max_bytes = 1 << 20}).numbers.size(), 7U);
  EXPECT_EQ(runs().page(false, RunId(), 100)->size(), 10U);
  EXPECT_TRUE(runs().find_live("w", "45")->has_value());
  EXPECT_EQ(runs().ended_before(WallTime{5000})->size(), 40U);
  open();
  EXPECT_TRUE(runs().find("w-20261116-0031")->has_value());
  EXPECT_EQ(record(ids[49], "step.done"), 22);
  EXPECT_EQ(read(ids[0], {.after = 15, .limit = 100, .max_bytes = 1 << 20}).numbers.size(), 7U);
  EXPECT_EQ(runs().page(false, RunId(), 100)->size(), 10U);
  for (const auto& sql : store_->costly_statements()) ADD_FAILURE() << "sorts or walks a table: " << sql;
}

}  // namespace
}  // namespace teamster::store
