#include "protocol/words/task_status.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(TaskStatus, NamesAreReadAsTheyAreWritten) {
  int number = 0;
  for (const TaskStatus status : kTaskStatuses) {
    EXPECT_EQ(static_cast<int>(status), number++) << "the store keeps the number";
    EXPECT_EQ(task_status_from_string(to_string(status)), status);
  }
  EXPECT_EQ(task_status_names().size(), kTaskStatuses.size());
  EXPECT_FALSE(task_status_from_string("done"));
}

}  // namespace
}  // namespace teamster
