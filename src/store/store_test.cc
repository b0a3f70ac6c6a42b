#include "store/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <nlohmann/json.hpp>

#include "env/sim/sim_world.h"

namespace teamster::store {
namespace {

// A store on a simulated disk, opened and closed by "processes" that can be killed.
class StoreTest : public testing::Test {
 protected:
  Result<void> open(StoreOptions options = {}) {
    host_ = &world_.start("hub");
    options.path = "/home/store.db";
    options.vfs = host_->disk_vfs();
    auto opened = Store::open(options);
    if (!opened) return fail(opened.error());
    store_ = *std::move(opened);
    return {};
  }
  void close() { store_.reset(); }
  void kill() {
    world_.kill(*host_);
    store_.reset();
  }
  void power_cut() {
    world_.power_cut();
    store_.reset();
  }

  Result<Seq> create_team(const std::string& name, const std::string& key = "", Json owner = nullptr) {
    TRY_VOID(store_->begin(WallTime{1000}));
    store_->begin_command();
    Json body = {{"team", name}};
    if (!owner.is_null()) body["owner"] = owner;
    const Seq seq = TRY(store_->record(kind::kTeamCreated, TeamId(), "operator", body));
    TRY_VOID(store_->finish_command(key, 42, Json{{"made", name}}.dump()));
    TRY_VOID(store_->commit());
    return seq;
  }
  bool has_team(const std::string& name) { return store_->projection().teams.find({name})->has_value(); }

  env::sim::World world_{7};
  env::sim::Host* host_ = nullptr;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, KeepsWhatWasCommitted) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(create_team("alpha", "k1"));
  close();
  ASSERT_TRUE(open());
  EXPECT_TRUE(has_team("alpha"));
  const auto recorded = store_->find_answer("k1");
  ASSERT_TRUE(recorded && *recorded);
  EXPECT_EQ((*recorded)->digest, 42);
  EXPECT_EQ((*recorded)->answer, R"({"made":"alpha"})");
  EXPECT_FALSE(store_->find_answer("k2")->has_value());
}

TEST_F(StoreTest, RefusedCommandHarmsNobody) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(store_->begin(WallTime{1}));
  store_->begin_command();
  ASSERT_TRUE(store_->record(kind::kTeamCreated, TeamId(), "operator", {{"team", "first"}}));
  ASSERT_TRUE(store_->finish_command("k1", 1, ""));
  store_->begin_command();
  ASSERT_TRUE(store_->abandon_command());
  store_->begin_command();
  ASSERT_TRUE(store_->record(kind::kTeamCreated, TeamId(), "operator", {{"team", "third"}}));
  ASSERT_TRUE(store_->finish_command("k3", 1, ""));
  ASSERT_TRUE(store_->commit());
  EXPECT_TRUE(has_team("first"));
  EXPECT_TRUE(has_team("third"));
  EXPECT_EQ(*store_->event_count(), 2);
}

TEST_F(StoreTest, CommandThatFailsAfterRecordingUndoesTheBatch) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(store_->begin(WallTime{1}));
  store_->begin_command();
  ASSERT_TRUE(store_->record(kind::kTeamCreated, TeamId(), "operator", {{"team", "second"}}));
  EXPECT_FALSE(store_->abandon_command());
  store_->rollback();
  EXPECT_FALSE(has_team("second"));
  EXPECT_EQ(store_->next_seq(), Seq(1));
}

TEST_F(StoreTest, CommandWithoutEventsLeavesItsKeyFree) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(store_->begin(WallTime{1}));
  store_->begin_command();
  ASSERT_TRUE(store_->finish_command("k1", 1, "{}"));
  ASSERT_TRUE(store_->commit());
  EXPECT_FALSE(store_->find_answer("k1")->has_value());
}

TEST_F(StoreTest, NumbersAreNeverReused) {
  ASSERT_TRUE(open());
  const Seq team = *create_team("alpha");
  ASSERT_TRUE(store_->begin(WallTime{1}));
  store_->begin_command();
  EXPECT_EQ(*store_->remove_team_history(TeamId(team.value)), 1);
  ASSERT_TRUE(store_->record(kind::kHistoryRemoved, TeamId(), "operator", {{"team", "alpha"}}));
  ASSERT_TRUE(store_->finish_command("", 0, ""));
  ASSERT_TRUE(store_->commit());
  close();
  ASSERT_TRUE(open());
  EXPECT_FALSE(has_team("alpha"));
  EXPECT_EQ(store_->next_seq(), Seq(team.value + 2));
  EXPECT_TRUE(store_->check(true)->empty());
}

TEST_F(StoreTest, ReadsEventsInPages) {
  ASSERT_TRUE(open());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(create_team("team" + std::to_string(i)));
  EXPECT_EQ(store_->events({.after = Seq(3), .limit = 4})->events.size(), 4U);
  EXPECT_EQ(store_->events({.after = Seq(3), .limit = 4})->last, Seq(7));
  EXPECT_TRUE(store_->events({.after = Seq(3), .limit = 4})->more);
  EXPECT_EQ(store_->events({.after = Seq(3), .limit = 100, .max_bytes = 1})->events.size(), 1U);
  EXPECT_EQ(store_->events({.after = Seq(0), .team = TeamId(5), .limit = 100})->events.at(0).body["team"], "team4");
  EXPECT_TRUE(store_->events({.after = Seq(10), .limit = 100})->events.empty());
  EXPECT_FALSE(store_->events({.after = Seq(10), .limit = 100})->more);
  EXPECT_EQ(store_->events({.after = Seq(12), .team = TeamId(5), .limit = 100})->last, Seq(12)) << "never back";
}

TEST_F(StoreTest, CheckFindsAProjectionThatLies) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(create_team("alpha"));
  EXPECT_TRUE(store_->check(true)->empty());
  close();
  auto raw = *Database::open("/home/store.db", world_.start("vandal").disk_vfs());
  ASSERT_TRUE(raw.execute("PRAGMA locking_mode=EXCLUSIVE; UPDATE team SET name = 'beta'"));
  { auto closed = std::move(raw); }
  ASSERT_TRUE(open());
  const auto problems = *store_->check(true);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("table team differs"), std::string::npos) << problems[0];
}

TEST_F(StoreTest, SurvivesKillsAndPowerCuts) {
  for (int round = 0; round < 40; ++round) {
    ASSERT_TRUE(open());
    for (int i = 0; i < round; ++i) EXPECT_TRUE(has_team("team" + std::to_string(i))) << "lost in round " << round;
    ASSERT_TRUE(create_team("team" + std::to_string(round)));
    round % 2 == 0 ? power_cut() : kill();
  }
}

TEST_F(StoreTest, FullDiskAndBrokenDiskAreErrorsAndLoseNothing) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(create_team("kept"));
  for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC}) {
    world_.disk().set_fault([code](env::sim::DiskOperation operation, std::string_view) {
      const auto where = code == SQLITE_IOERR_FSYNC ? env::sim::DiskOperation::sync : env::sim::DiskOperation::write;
      return operation == where ? code : 0;
    });
    const auto failed = create_team("lost");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, code == SQLITE_IOERR_FSYNC ? Code::unknown_outcome : Code::unavailable);
    EXPECT_FALSE(failed.error().next.empty());
    store_->rollback();
    world_.disk().set_fault(nullptr);
    kill();
    ASSERT_TRUE(open());
    EXPECT_TRUE(has_team("kept"));
    EXPECT_TRUE(store_->check(true)->empty());
    if (has_team("lost")) break;  // after a failed sync it may be there: the outcome was unknown
  }
}

TEST_F(StoreTest, LockedFileIsAnError) {
  ASSERT_TRUE(open());
  world_.disk().set_fault([](env::sim::DiskOperation operation, std::string_view) {
    return operation == env::sim::DiskOperation::lock ? SQLITE_BUSY : 0;
  });
  close();
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::unavailable);
  EXPECT_NE(opened.error().what.find("locked"), std::string::npos);
  world_.disk().set_fault(nullptr);
}

TEST_F(StoreTest, RefusesForeignNewerAndDamagedFiles) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(create_team("alpha"));
  close();
  const std::string good = world_.disk().bytes("/home/store.db");

  std::string newer = good;
  newer[63] = 99;  // user_version, big endian
  world_.disk().replace("/home/store.db", newer);
  auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::refused);
  EXPECT_NE(opened.error().what.find("format 99"), std::string::npos);

  std::string foreign = good;
  foreign[68] = 1;  // application_id
  world_.disk().replace("/home/store.db", foreign);
  opened = open();
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("no teamster store"), std::string::npos);

  const std::string garbage(20'000, 'x');
  world_.disk().replace("/home/store.db", garbage);
  ASSERT_FALSE(open());
  EXPECT_EQ(world_.disk().bytes("/home/store.db"), garbage);  // untouched

  world_.disk().replace("/home/store.db", good);
  ASSERT_TRUE(open());
  EXPECT_TRUE(has_team("alpha"));
}

TEST_F(StoreTest, MigratesAnOlderFileUnlessItIsInUse) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(create_team("alpha", "k1", {{"pid", 5}}));
  close();
  StoreOptions next;
  next.format = kFormat + 1;
  next.migrations = {{kFormat + 1, "UPDATE journal SET actor = 'migrated'"}};
  next.is_alive = [](const ProcessIdentity&, std::optional<WallTime>) { return true; };
  auto opened = open(next);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::refused);
  EXPECT_NE(opened.error().what.find("in use by alpha"), std::string::npos) << opened.error().what;

  next.is_alive = [](const ProcessIdentity&, std::optional<WallTime>) { return false; };
  ASSERT_TRUE(open(next));
  EXPECT_TRUE(has_team("alpha"));
  EXPECT_EQ((*store_->event(Seq(1)))->actor, "migrated");
  close();
  opened = open();  // the older program must not touch it any more
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::refused);
}

TEST_F(StoreTest, DoesNotMigrateUnderALiveRun) {
  ASSERT_TRUE(open());
  const auto record = [&](const char* kind, RunId run, const Json& body) {
    ASSERT_TRUE(store_->begin(WallTime{1000}));
    store_->begin_command();
    ASSERT_TRUE(store_->record_of_run(kind, run, "operator", body));
    ASSERT_TRUE(store_->finish_command("", 0, ""));
    ASSERT_TRUE(store_->commit());
  };
  for (const char* name : {"w-20261116-000a", "w-20261116-000b"})
    record(kind::kRunStarted, RunId(),
           {{"run", name}, {"workflow", "w"}, {"holder", {{"pid", 5}}}, {"lease_ms", 1000}, {"body", Json::object()}});
  record(kind::kRunEnded, RunId(1), {{"status", "done"}});
  close();
  StoreOptions next;
  next.format = kFormat + 1;
  next.migrations = {{kFormat + 1, ""}};
  next.is_alive = [](const ProcessIdentity& process, std::optional<WallTime>) { return process.pid == 5; };
  const auto opened = open(next);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::refused);
  EXPECT_NE(opened.error().what.find("in use by run w-20261116-000b"), std::string::npos) << opened.error().what;
  EXPECT_EQ(opened.error().what.find("000a"), std::string::npos) << "that one has ended";
  next.is_alive = [](const ProcessIdentity&, std::optional<WallTime>) { return false; };
  ASSERT_TRUE(open(next)) << "a run that nobody drives waits for the newer program";
  EXPECT_EQ((*store_->projection().runs.find("w-20261116-000b"))->last_n, 1);
}

// As the program before this one left it, with the tables that a migration looks at.
constexpr const char* kFileOfFormat2 = R"sql(
PRAGMA locking_mode=EXCLUSIVE;
PRAGMA journal_mode=WAL;
CREATE TABLE journal(
  seq    INTEGER PRIMARY KEY,
  at_ms  INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  team   INTEGER NOT NULL,
  actor  TEXT NOT NULL,
  body   TEXT NOT NULL,
  key    TEXT,
  digest INTEGER,
  answer TEXT);
CREATE UNIQUE INDEX journal_key ON journal(key) WHERE key IS NOT NULL;
CREATE TABLE team(
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  deleted_ms INTEGER,
  owner      TEXT,
  shutdown_ms     INTEGER,
  shutdown_due_ms INTEGER);
CREATE UNIQUE INDEX team_name ON team(name) WHERE deleted_ms IS NULL;
INSERT INTO journal VALUES(1, 1000, 'team.created', 1, 'operator', '{"team":"alpha"}', 'k1:o', 42, '{"made":"alpha"}');
INSERT INTO journal VALUES(2, 1000, 'member.joined', 1, 'operator', '{"epoch":1,"member":"ann","member_id":2}', NULL, NULL, NULL);
INSERT INTO team VALUES(1, 'alpha', 1000, NULL, '', NULL, NULL);
PRAGMA application_id=0x746d7374;
)sql";

TEST_F(StoreTest, MigratesTheFormatsBeforeRuns) {
  for (const int format : {1, 2}) {
    world_.disk().replace("/home/store.db", "");
    {
      auto raw = *Database::open("/home/store.db", world_.start("older").disk_vfs());
      ASSERT_TRUE(raw.execute(kFileOfFormat2));
      ASSERT_TRUE(raw.execute("PRAGMA user_version=" + std::to_string(format)));
    }
    const auto opened = open();
    ASSERT_TRUE(opened) << opened.error().what;
    EXPECT_TRUE(has_team("alpha"));
    EXPECT_EQ((*store_->find_answer("k1:o"))->digest, 42);
    EXPECT_EQ((*store_->event(Seq(2)))->run, RunId());
    ASSERT_TRUE(store_->begin(WallTime{2000}));
    store_->begin_command();
    EXPECT_EQ(*store_->record_of_run(
                  kind::kRunStarted, RunId(), "operator",
                  {{"run", "w-20261116-000a"}, {"workflow", "w"}, {"holder", {{"pid", 5}}}, {"lease_ms", 1}}),
              1);
    ASSERT_TRUE(store_->finish_command("", 0, ""));
    ASSERT_TRUE(store_->commit());
    const auto page = store_->run_records(RunId(3), {.after = 0, .limit = 10, .max_bytes = 1000}, [](const auto&) {});
    EXPECT_EQ(page->last, 1);
    EXPECT_TRUE(store_->check(true)->empty());
    close();
  }
}

// What the program before this one recorded of turns names no prompts.
TEST_F(StoreTest, MigratesTheFormatBeforePrompts) {
  ASSERT_TRUE(open());
  const Seq team = *create_team("alpha");
  close();
  {
    auto raw = *Database::open("/home/store.db", world_.start("older").disk_vfs());
    ASSERT_TRUE(
        raw.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; DROP TABLE ended_prompt;"
                    "INSERT INTO journal(seq, at_ms, kind, team, actor, body) VALUES(100, 1000, 'member.turn', 1, "
                    "'operator', '{\"member\":\"ann\",\"member_id\":2,\"epoch\":1,\"running\":false}');"
                    "PRAGMA user_version=4;"));
  }
  const auto opened = open();
  ASSERT_TRUE(opened) << opened.error().what;
  EXPECT_TRUE(has_team("alpha"));
  EXPECT_EQ(*store_->projection().turns.find_end(TeamId(team.value), ""), std::nullopt);
  EXPECT_TRUE(store_->check(true)->empty());
}

// As the program before this one left it: the tables of format 5, whose records know neither reserved tasks nor native
// members.
constexpr const char* kTasksOfFormat5 = R"sql(
PRAGMA locking_mode=EXCLUSIVE;
PRAGMA journal_mode=WAL;
DROP TABLE task;
DROP TABLE task_text;
CREATE TABLE task(
  team        INTEGER NOT NULL,
  id          INTEGER NOT NULL,
  status      INTEGER NOT NULL,
  unmet       INTEGER NOT NULL,
  linked      INTEGER NOT NULL,
  owner       INTEGER,
  owner_epoch INTEGER,
  token       TEXT,
  created_ms  INTEGER NOT NULL,
  updated_ms  INTEGER NOT NULL,
  PRIMARY KEY(team, id)) WITHOUT ROWID;
CREATE TABLE task_text(
  team        INTEGER NOT NULL,
  id          INTEGER NOT NULL,
  subject     TEXT NOT NULL,
  description TEXT NOT NULL,
  metadata    TEXT NOT NULL,
  PRIMARY KEY(team, id)) WITHOUT ROWID;
INSERT INTO journal(seq, at_ms, kind, team, actor, body) VALUES(2, 1000, 'task.created', 1, 'operator',
  '{"id":1,"subject":"s","description":"","metadata":{},"blocked_by":[]}');
INSERT INTO journal(seq, at_ms, kind, team, actor, body) VALUES(3, 1000, 'member.joined', 1, 'operator',
  '{"epoch":1,"member":"ann","member_id":3}');
ALTER TABLE member DROP COLUMN native;
INSERT INTO member(id, team, name, epoch, live, running, joined_ms) VALUES(3, 1, 'ann', 1, 1, 0, 1000);
INSERT INTO task VALUES(1, 1, 0, 0, 0, NULL, NULL, NULL, 1000, 1000);
INSERT INTO task_text VALUES(1, 1, 's', '', '{}');
PRAGMA user_version=5;
)sql";

TEST_F(StoreTest, MigratesTheFormatBeforeReservedTasks) {
  ASSERT_TRUE(open());
  const TeamId team(create_team("alpha")->value);
  close();
  {
    auto raw = *Database::open("/home/store.db", world_.start("older").disk_vfs());
    const auto changed = raw.execute(kTasksOfFormat5);
    ASSERT_TRUE(changed) << changed.error().what;
  }
  const auto opened = open();
  ASSERT_TRUE(opened) << opened.error().what;
  const auto free = *store_->projection().tasks.next_free(team);
  ASSERT_TRUE(free);
  EXPECT_EQ(free->row.id, TaskId(1));
  EXPECT_FALSE(free->row.is_reserved);
  EXPECT_EQ(free->text.reserved, "");
  EXPECT_FALSE((*store_->projection().members.find(team, "ann"))->is_native);
  EXPECT_TRUE(store_->check(true)->empty());
}

TEST_F(StoreTest, FailedMigrationChangesNothing) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(create_team("alpha"));
  close();
  StoreOptions next;
  next.format = kFormat + 1;
  next.migrations = {{kFormat + 1, "UPDATE journal SET actor = 'half'; UPDATE nowhere SET x = 1;"}};
  ASSERT_FALSE(open(next));
  ASSERT_TRUE(open());
  EXPECT_EQ((*store_->event(Seq(1)))->actor, "operator");
}

// One old event of a team, then a long history of others.
TEST_F(StoreTest, APageOfOneTeamReadsABoundedPartOfTheJournal) {
  ASSERT_TRUE(open());
  const Seq team = *create_team("alpha");
  const Seq other = *create_team("beta");
  constexpr int kOthers = 120'000;
  ASSERT_TRUE(store_->begin(WallTime{1}));
  for (int i = 0; i < kOthers; ++i) {
    store_->begin_command();
    ASSERT_TRUE(store_->record(kind::kStaleRefused, TeamId(other.value), "x", Json::object()));
    ASSERT_TRUE(store_->finish_command("", 0, ""));
  }
  ASSERT_TRUE(store_->commit());
  std::size_t found = 0;
  int pages = 0;
  for (Seq after{};;) {
    const auto page = *store_->events({.after = after, .team = TeamId(team.value), .limit = 100});
    found += page.events.size();
    ++pages;
    ASSERT_GT(page.last, after);
    ASSERT_LE(page.last.value - after.value, kOthers / 2);
    after = page.last;
    if (!page.more) break;
  }
  EXPECT_EQ(found, 1U);
  EXPECT_GT(pages, 1);
}

TEST_F(StoreTest, CompactsAfterRemoval) {
  ASSERT_TRUE(open());
  const Seq team = *create_team("alpha");
  ASSERT_TRUE(store_->begin(WallTime{1}));
  store_->begin_command();
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(store_->record(kind::kStaleRefused, TeamId(team.value), "x", {{"text", std::string(1000, 'x')}}));
  ASSERT_TRUE(store_->finish_command("", 0, ""));
  ASSERT_TRUE(store_->commit());
  const auto before = *store_->file_bytes();
  ASSERT_TRUE(store_->begin(WallTime{1}));
  ASSERT_TRUE(store_->remove_team_history(TeamId(team.value)));
  ASSERT_TRUE(store_->commit());
  EXPECT_TRUE(*store_->compact());
  EXPECT_LT(*store_->file_bytes(), before / 4);
  EXPECT_FALSE(*store_->compact()) << "there is nothing left to give back";
}

}  // namespace
}  // namespace teamster::store
