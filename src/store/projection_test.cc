#include "store/projection.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "store/schema.h"

namespace teamster::store {
namespace {

// What clients wait for must not cost more with every message and task that is there.
class ProjectionCost : public testing::Test {
 protected:
  ProjectionCost() {
    EXPECT_TRUE(database_.execute(kProjectionSchema));
    apply(kind::kTeamCreated, {{"team", "alpha"}});
    apply(kind::kMemberJoined, {{"member", "a"}, {"member_id", kMember.value}, {"epoch", 1}});
  }
  void apply(const char* kind, Json body) {
    ++seq_;
    const auto applied = projection_.apply(Event{Seq(seq_), WallTime{seq_}, kind, kTeam, "operator", std::move(body)});
    ASSERT_TRUE(applied) << applied.error().what;
  }
  void expect_no_walk() {
    for (const auto& sql : database_.costly_statements()) ADD_FAILURE() << "sorts or walks a table: " << sql;
  }

  static constexpr TeamId kTeam{1};
  static constexpr MemberId kMember{2};
  Database database_ = *Database::open(":memory:", "");
  Projection projection_{database_};
  std::int64_t seq_ = 0;
};

TEST_F(ProjectionCost, OfMessagesDoesNotGrow) {
  for (int i = 0; i < 100; ++i) {
    apply(kind::kMessageSent, {{"to_id", kMember.value}});
    const std::int64_t id = seq_;
    if (i % 4 > 0) apply(kind::kMessageDelivered, {{"member_id", kMember.value}, {"ids", {id}}});
    if (i % 4 > 1)
      apply(kind::kMessageMarked,
            {{"member_id", kMember.value}, {"ids", {id}}, {"mark", i % 4 == 2 ? "seen" : "acted"}});
  }
  apply(kind::kMemberTurn, {{"member_id", kMember.value}, {"running", false}});
  EXPECT_EQ(projection_.messages.queued(kMember, MessageId{0}, 1000)->size(), 25U);
  EXPECT_EQ(projection_.messages.queued(kMember, MessageId{0}, 10)->size(), 10U);
  EXPECT_EQ(projection_.messages.page(kMember, true, MessageId(), 1000)->size(), 75U);
  EXPECT_EQ(projection_.messages.delivered_unseen(kMember)->size(), 25U);
  EXPECT_EQ(*projection_.messages.count(kMember, Receipt::seen), 25);
  EXPECT_EQ(projection_.messages.unseen_since(WallTime{seq_}, 1000)->size(), 25U);
  EXPECT_TRUE(projection_.messages.oldest_unseen()->has_value());
  EXPECT_TRUE(projection_.teams.next_shutdown_due());
  expect_no_walk();
}

// A message that is marked before it is written is the same as one that is marked after.
TEST_F(ProjectionCost, AMessageIsTheSameWheneverItIsWritten) {
  std::array<std::vector<std::string>, 2> stories;
  for (const bool at_once : {true, false}) {
    for (const auto& marks : std::vector<std::vector<std::string>>{{},
                                                                   {"delivered"},
                                                                   {"seen"},
                                                                   {"acted"},
                                                                   {"delivered", "seen"},
                                                                   {"delivered", "acted"},
                                                                   {"seen", "acted"},
                                                                   {"delivered", "delivered", "seen", "acted"}}) {
      apply(kind::kMessageSent, {{"to_id", kMember.value}});
      const std::int64_t id = seq_;
      for (const auto& mark : marks) {
        if (at_once) {
          ASSERT_TRUE(projection_.write_out());
        }
        apply(mark == "delivered" ? kind::kMessageDelivered : kind::kMessageMarked,
              {{"member_id", kMember.value}, {"ids", {id}}, {"mark", mark}});
      }
      ASSERT_TRUE(projection_.write_out());
      auto query = database_.query(
          "SELECT state, deliveries, delivered_ms - ?1, seen_ms - ?1, acted_ms - ?1, unseen_since_ms - ?1 FROM message "
          "WHERE recipient = ?2 AND id = ?1");
      ASSERT_TRUE(*query.with(id).with(kMember.value).next());
      std::string story;
      for (int column = 0; column < query.columns(); ++column)
        story += (query.is_null(column) ? "-" : std::string(query.text(column))) + " ";
      stories[at_once ? 0 : 1].push_back(story);
    }
  }
  EXPECT_EQ(stories[0], stories[1]);
  EXPECT_EQ(stories[0][3], "3 1 1 1 1 - ");
}

TEST_F(ProjectionCost, OfTurnsDoesNotGrow) {
  const auto end = [&](const std::string& prompt) {
    Json body = {{"member_id", kMember.value}, {"running", false}};
    if (!prompt.empty()) body["prompt"] = prompt;
    apply(kind::kMemberTurn, std::move(body));
    return Seq(seq_);
  };
  end("");
  const Seq first = end("w/build.1");
  const Seq second = end("w/build.2");
  end("w/build.1");
  EXPECT_EQ(*projection_.turns.find_end(kTeam, "w/build.1"), first) << "somebody may have acted on it";
  EXPECT_EQ(*projection_.turns.find_end(kTeam, "w/build.2"), second);
  EXPECT_EQ(*projection_.turns.find_end(kTeam, "w/build.3"), std::nullopt);
  EXPECT_EQ(*projection_.turns.find_end(TeamId(9), "w/build.1"), std::nullopt);
  ASSERT_TRUE(projection_.turns.remove_team(kTeam));
  EXPECT_EQ(*projection_.turns.find_end(kTeam, "w/build.1"), std::nullopt);
  expect_no_walk();
}

TEST_F(ProjectionCost, OfTasksDoesNotGrow) {
  for (int i = 1; i <= 100; ++i)
    apply(kind::kTaskCreated, {{"id", i},
                               {"subject", "s"},
                               {"description", ""},
                               {"metadata", Json::object()},
                               {"blocked_by", Json::array()}});
  for (int i = 1; i <= 50; ++i)
    apply(kind::kTaskClaimed, {{"id", i}, {"member_id", kMember.value}, {"epoch", 1}, {"token", "t"}});
  for (int i = 1; i <= 25; ++i) apply(kind::kTaskUpdated, {{"id", i}, {"status", "completed"}});
  EXPECT_EQ((*projection_.tasks.next_free(kTeam))->row.id, TaskId(51));
  EXPECT_EQ(*projection_.tasks.last_id(kTeam), TaskId(100));
  EXPECT_EQ(projection_.tasks.held(kTeam)->at(kMember).size(), 25U);
  EXPECT_TRUE(*projection_.members.find(kTeam, "a"));
  EXPECT_TRUE(*projection_.teams.find({"alpha"}));
  expect_no_walk();
}

// The items of a run come before what members may claim, and stay on the list when they are done.
TEST_F(ProjectionCost, OfAClaimDoesNotGrowWithReservedTasks) {
  constexpr int kReserved = 10'000;
  constexpr int kFree = 200;
  ASSERT_TRUE(database_.execute("BEGIN"));
  for (int i = 1; i <= kReserved + kFree; ++i) {
    Json body = {{"id", i}, {"subject", "s"}, {"description", ""}, {"metadata", Json::object()}};
    body["blocked_by"] = Json::array();
    if (i <= kReserved) body["reserved"] = "an item";
    apply(kind::kTaskCreated, std::move(body));
  }
  ASSERT_TRUE(database_.execute("COMMIT"));
  EXPECT_EQ((*projection_.tasks.next_free(kTeam))->row.id, TaskId(kReserved + 1));
  // Whoever walks through the reserved ones again now comes by a task that no event has put there.
  ASSERT_TRUE(database_.execute("UPDATE task SET reserved = 0 WHERE id = 1"));
  for (int i = kReserved + 1; i <= kReserved + kFree; ++i) {
    const auto free = *projection_.tasks.next_free(kTeam);
    ASSERT_TRUE(free);
    ASSERT_EQ(free->row.id, TaskId(i)) << "it looked from the beginning";
    EXPECT_EQ(free->text.reserved, "");
    apply(kind::kTaskClaimed, {{"id", i}, {"member_id", kMember.value}, {"epoch", 1}, {"token", "t"}});
    apply(kind::kTaskClaimed, {{"id", i - kReserved + 1}, {"member_id", kMember.value}, {"epoch", 1}, {"token", "t"}});
    apply(kind::kTaskUpdated, {{"id", i - kReserved + 1}, {"status", "completed"}});
  }
  EXPECT_FALSE(*projection_.tasks.next_free(kTeam));
  expect_no_walk();
}

}  // namespace
}  // namespace teamster::store
