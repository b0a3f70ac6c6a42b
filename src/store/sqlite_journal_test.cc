// What every journal promises, on the one that there is.
#include "store/sqlite_journal.h"

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"
#include "store/schema.h"

namespace teamster::store {
namespace {

class SqliteJournalTest : public testing::Test {
 protected:
  struct Opened {
    explicit Opened(Database opened) : database(std::move(opened)), journal(database, "/journal.db") {}
    Database database;
    SqliteJournal journal;
  };

  SqliteJournalTest() {
    open();
    EXPECT_TRUE(opened_->journal.lock());
    EXPECT_TRUE(opened_->database.execute(kJournalSchema));
  }
  void open() {
    opened_.reset();
    opened_ = std::make_unique<Opened>(*Database::open("/journal.db", world_.start("hub").disk_vfs()));
  }
  Journal& journal() { return opened_->journal; }

  static Event event(std::int64_t seq, TeamId team = {}, RunId run = {}, std::int64_t n = 0, const char* kind = "a.b") {
    Event event{Seq(seq), WallTime{seq * 10}, kind, team, "operator", Json()};
    event.run = run;
    event.n = n;
    event.text = R"({"seq":)" + std::to_string(seq) + "}";
    return event;
  }
  void append(const std::vector<Event>& events, std::optional<RequestMark> mark = {}) {
    ASSERT_TRUE(journal().prepare());
    ASSERT_TRUE(journal().append(events, mark));
    ASSERT_TRUE(journal().settle());
  }
  std::vector<std::int64_t> follow_run(RunId run, const RunCursor& cursor) {
    std::vector<std::int64_t> numbers;
    EXPECT_TRUE(journal().follow_run(run, cursor, [&](const auto& record) { numbers.push_back(record.n); }));
    return numbers;
  }

  env::sim::World world_{7};
  std::unique_ptr<Opened> opened_;
};

TEST_F(SqliteJournalTest, ASettledBatchIsThereAndAnAbandonedOneIsNot) {
  EXPECT_EQ(*journal().newest(), Seq(0));
  append({event(1), event(2)});
  ASSERT_TRUE(journal().prepare());
  const std::vector<Event> third = {event(3)};
  ASSERT_TRUE(journal().append(third, std::nullopt));
  EXPECT_EQ(*journal().newest(), Seq(3));
  EXPECT_TRUE(*journal().event(Seq(3))) << "a batch sees itself";
  journal().abandon();
  EXPECT_EQ(*journal().newest(), Seq(2));
  EXPECT_FALSE(*journal().event(Seq(3)));
  open();
  ASSERT_TRUE(journal().lock());
  EXPECT_EQ(*journal().newest(), Seq(2)) << "also for the next one";
  EXPECT_EQ((*journal().event(Seq(2)))->body["seq"], 2);
  EXPECT_EQ(*journal().body_bytes(Seq(2)), 9U);
  EXPECT_EQ(*journal().body_bytes(Seq(9)), 0U);
}

TEST_F(SqliteJournalTest, OnlyOneHasIt) {
  append({event(1)});
  Opened second(*Database::open("/journal.db", world_.start("other").disk_vfs()));
  const auto refused = second.journal.lock();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
}

TEST_F(SqliteJournalTest, TheFirstEventOfARequestCarriesItsAnswer) {
  append({event(1), event(2)}, RequestMark{"0k", 42, "{}"});
  const auto found = *journal().find_answer("0k");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->digest, 42);
  EXPECT_EQ(found->answer, "{}");
  EXPECT_FALSE(*journal().find_answer("0x"));
  append({event(3)}, RequestMark{"0m", 1, ""});
  append({event(4)}, RequestMark{"9z", 1, ""});
  EXPECT_EQ(*journal().highest_key("1"), "0m");
  EXPECT_EQ(*journal().highest_key("0"), "");
}

TEST_F(SqliteJournalTest, ACursorGoesThroughAllOfIt) {
  append({event(1), event(2, TeamId(2)), event(3), event(4, TeamId(2)), event(5)});
  const auto page = *journal().follow({.after = Seq(1), .limit = 2});
  ASSERT_EQ(page.events.size(), 2U);
  EXPECT_EQ(page.last, Seq(3));
  EXPECT_TRUE(page.more);
  const auto of_team = *journal().follow({.after = Seq(0), .team = TeamId(2)});
  ASSERT_EQ(of_team.events.size(), 2U);
  EXPECT_EQ(of_team.last, Seq(5)) << "it has looked at all of them";
  EXPECT_FALSE(of_team.more);
  EXPECT_EQ((*journal().follow({.after = Seq(0), .max_bytes = 1})).events.size(), 1U);
  EXPECT_EQ(*journal().count(), 5);
}

TEST_F(SqliteJournalTest, RecordsOfARunAreFollowedByTheirNumbers) {
  const RunId run(1);
  append({event(1, {}, run, 1, kind::kRunStarted), event(2, {}, run, 2), event(3), event(4, {}, run, 3, kind::kRunTold),
          event(5, {}, run, 4, kind::kRunLeased), event(6, {}, run, 5)});
  EXPECT_EQ(follow_run(run, {.after = 2}), (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(follow_run(run, {.from_others = true}), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(follow_run(run, {.after = 1, .limit = 2}), (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(follow_run(RunId(9), {}).empty());
}

TEST_F(SqliteJournalTest, WhatIsRemovedIsGone) {
  const RunId run(3);
  append({event(1, TeamId(1)), event(2, TeamId(1)), event(3, {}, run, 1), event(4)});
  ASSERT_TRUE(journal().prepare());
  EXPECT_EQ(*journal().remove(TeamId(1)), 2);
  EXPECT_EQ(*journal().remove(run), 1);
  ASSERT_TRUE(journal().settle());
  EXPECT_EQ(*journal().count(), 1);
  EXPECT_EQ(*journal().newest(), Seq(4));
}

}  // namespace
}  // namespace teamster::store
