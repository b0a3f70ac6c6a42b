#include "protocol/client/task_calls.h"

#include "protocol/client/calls_for_test.h"
#include "protocol/client/team_calls.h"

namespace teamster::hub {
namespace {

class TaskCallsTest : public CallsTest {
 protected:
  void SetUp() override { call(CreateTeam{.team = "alpha", .members = {"builder"}}); }
  Task create(const std::string& subject, std::vector<TaskId> blocked_by = {}) {
    return call(CreateTask{.team = "alpha", .subject = subject, .blocked_by = std::move(blocked_by)});
  }
};

TEST_F(TaskCallsTest, ATaskIsReadAsItWasMade) {
  create("first");
  const Task made = call(CreateTask{.team = "alpha",
                                    .subject = "second",
                                    .description = "all of it",
                                    .blocked_by = {TaskId(1)},
                                    .metadata = Json{{"item", "08"}}});
  EXPECT_EQ(made.id, TaskId(2));
  const Task task = call(GetTask{"alpha", TaskId(2)});
  EXPECT_EQ(task.subject, "second");
  EXPECT_EQ(task.description, "all of it");
  EXPECT_EQ(task.status, TaskStatus::pending);
  EXPECT_FALSE(task.owner);
  EXPECT_EQ(task.blocked_by, std::vector<TaskId>{TaskId(1)});
  EXPECT_EQ(task.waiting_for, std::vector<TaskId>{TaskId(1)});
  EXPECT_EQ(task.metadata["item"], "08");
  EXPECT_TRUE(task.created && task.updated);
  EXPECT_EQ(call(GetTask{"alpha", TaskId(1)}).blocks, std::vector<TaskId>{TaskId(2)});
}

TEST_F(TaskCallsTest, AClaimHasATokenThatUpdatesShow) {
  create("first");
  const auto claimed = call(ClaimTask{.team = "alpha", .member = "builder"});
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->owner, "builder");
  EXPECT_FALSE(claimed->token.empty());
  EXPECT_FALSE(call(ClaimTask{.team = "alpha", .member = "builder"})) << "nothing else is free";
  EXPECT_FALSE(try_call(UpdateTask{.team = "alpha", .id = TaskId(1), .status = TaskStatus::completed}));
  const Task done = call(UpdateTask{.team = "alpha",
                                    .id = TaskId(1),
                                    .token = claimed->token,
                                    .status = TaskStatus::completed,
                                    .subject = "renamed",
                                    .description = "",
                                    .metadata = Json{{"why", "x"}}});
  EXPECT_EQ(done.status, TaskStatus::completed);
  EXPECT_EQ(done.subject, "renamed");
  EXPECT_EQ(done.metadata["why"], "x");
}

TEST_F(TaskCallsTest, BlockersAreAddedAndListed) {
  create("a");
  create("b");
  call(UpdateTask{.team = "alpha", .id = TaskId(2), .add_blocked_by = {TaskId(1)}});
  EXPECT_FALSE(try_call(ClaimTask{.team = "alpha", .member = "builder", .id = TaskId(2)}));
  call(ClaimTask{.team = "alpha", .member = "builder", .id = TaskId(1)});
  const auto held = call(ListTasks{.team = "alpha", .status = TaskStatus::in_progress, .owner = "builder"});
  ASSERT_EQ(held.items.size(), 1U);
  EXPECT_EQ(held.items[0].id, TaskId(1));
}

TEST_F(TaskCallsTest, AReservedTaskIsGivenAndChangedByWhoSaysSo) {
  create("free");
  const Task made = call(CreateTask{.team = "alpha", .subject = "item", .reserved = "item 1 of a run"});
  EXPECT_EQ(made.reserved, "item 1 of a run");
  EXPECT_FALSE(call(GetTask{"alpha", TaskId(1)}).reserved);
  const auto refused = try_call(ClaimTask{.team = "alpha", .member = "builder", .id = made.id});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "task 2 is reserved: item 1 of a run");
  const auto given = call(ClaimTask{.team = "alpha", .member = "builder", .id = made.id, .is_reserved = true});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->owner, "builder");
  const Task done = call(UpdateTask{.team = "alpha",
                                    .id = made.id,
                                    .status = TaskStatus::completed,
                                    .is_reserved = true,
                                    .why = "its checks passed"});
  EXPECT_EQ(done.status, TaskStatus::completed);
  EXPECT_EQ(done.metadata, Json({{"why", "its checks passed"}}));
}

TEST_F(TaskCallsTest, EveryPageIsRead) {
  for (int i = 0; i < 5; ++i) create("task");
  EXPECT_EQ(call(ListTasks{.team = "alpha", .limit = 2}).items.size(), 2U);
  const auto all = ask_for_all_and_wait(client_, ListTasks{.team = "alpha", .limit = 2});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 5U);
}

TEST(TaskCalls, AStatusThatIsNoneIsNotGuessed) {
  EXPECT_FALSE(Task::read(Json{{"id", 1}, {"status", "done"}}));
  EXPECT_TRUE(Task::read(Json{{"id", 1}, {"status", "failed"}}));
}

}  // namespace
}  // namespace teamster::hub
