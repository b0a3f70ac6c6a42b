#include "store/free_tasks.h"

#include <gtest/gtest.h>

namespace teamster::store {
namespace {

TaskRow task(std::int64_t id, TaskStatus status = TaskStatus::pending, std::int64_t unmet = 0) {
  TaskRow row;
  row.id = TaskId(id);
  row.status = status;
  row.unmet = unmet;
  return row;
}

TEST(FreeTasks, GivesTheLowest) {
  FreeTasks free;
  EXPECT_EQ(free.lowest(), nullptr);
  free.extend({task(3), task(7)}, FreeTasks::kAll);
  EXPECT_EQ(free.lowest()->id, TaskId(3));
  free.update(task(2));
  EXPECT_EQ(free.lowest()->id, TaskId(2));
  free.update(task(2, TaskStatus::in_progress));
  free.update(task(3, TaskStatus::pending, 1));
  EXPECT_EQ(free.lowest()->id, TaskId(7));
  free.remove(TaskId(7));
  EXPECT_EQ(free.lowest(), nullptr);
}

// The file has it, and is asked when all below it are gone.
TEST(FreeTasks, LeavesOutWhatIsAboveTheKnownOnes) {
  FreeTasks free;
  free.extend({task(1), task(2)}, TaskId(2));
  free.update(task(3));
  free.remove(TaskId(1));
  free.remove(TaskId(2));
  EXPECT_EQ(free.lowest(), nullptr);
  EXPECT_EQ(free.known_to(), TaskId(2));
}

TEST(FreeTasks, KeepsABoundedNumber) {
  FreeTasks free;
  free.extend({}, FreeTasks::kAll);
  constexpr auto kKept = static_cast<std::int64_t>(FreeTasks::kKeptMax);
  for (std::int64_t id = 2; id <= kKept + 100; ++id) free.update(task(id));
  EXPECT_EQ(free.known_to(), TaskId(kKept + 1));
  // One that comes back below makes room at the top.
  free.update(task(1));
  EXPECT_EQ(free.known_to(), TaskId(kKept));
  std::int64_t last = 0;
  while (const TaskRow* lowest = free.lowest()) {
    EXPECT_EQ(lowest->id, TaskId(last + 1));
    last = lowest->id.value;
    free.remove(lowest->id);
  }
  EXPECT_EQ(last, kKept);
}

TEST(FreeTasks, AReservedTaskIsNoFreeOne) {
  FreeTasks free;
  free.extend({}, FreeTasks::kAll);
  TaskRow reserved;
  reserved.id = TaskId(1);
  reserved.is_reserved = true;
  free.update(reserved);
  EXPECT_EQ(free.lowest(), nullptr);
  TaskRow other;
  other.id = TaskId(2);
  free.update(other);
  ASSERT_NE(free.lowest(), nullptr);
  EXPECT_EQ(free.lowest()->id, TaskId(2));
}

}  // namespace
}  // namespace teamster::store
