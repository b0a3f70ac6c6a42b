#include "hub/parking.h"

#include <gtest/gtest.h>

namespace teamster::hub {
namespace {

using team::Topic;

Pending waiting(ConnectionId connection, std::int64_t id, int deadline_ms) {
  Pending request;
  request.connection = connection;
  request.id = id;
  request.wait_until = Instant(std::chrono::milliseconds(deadline_ms));
  return request;
}

TEST(Parking, WakesByTopicOldestFirst) {
  Parking parking;
  parking.park(waiting(1, 10, 100), {Topic::inbox(MemberId(1)), Topic::lifecycle(TeamId(9))});
  parking.park(waiting(2, 20, 50), {Topic::inbox(MemberId(1))});
  parking.park(waiting(3, 30, 70), {Topic::inbox(MemberId(2))});
  EXPECT_TRUE(parking.is_waited_for(Topic::lifecycle(TeamId(9))));
  const auto woken = parking.take({Topic::inbox(MemberId(1)), Topic::lifecycle(TeamId(9))});
  ASSERT_EQ(woken.size(), 2U);
  EXPECT_EQ(woken[0].id, 10);
  EXPECT_EQ(woken[1].id, 20);
  EXPECT_FALSE(parking.is_waited_for(Topic::lifecycle(TeamId(9))));
  EXPECT_EQ(parking.size(), 1U);
}

TEST(Parking, ExpiresInOrderOfDeadline) {
  Parking parking;
  EXPECT_FALSE(parking.next_deadline());
  parking.park(waiting(1, 10, 100), {Topic::journal()});
  parking.park(waiting(1, 20, 50), {Topic::journal()});
  EXPECT_EQ(*parking.next_deadline(), Instant(std::chrono::milliseconds(50)));
  EXPECT_TRUE(parking.take_expired(Instant(std::chrono::milliseconds(49))).empty());
  EXPECT_EQ(parking.take_expired(Instant(std::chrono::milliseconds(60))).at(0).id, 20);
  EXPECT_EQ(parking.size(), 1U);
}

TEST(Parking, ForgetsAConnection) {
  Parking parking;
  parking.park(waiting(1, 10, 100), {Topic::journal()});
  parking.park(waiting(2, 20, 50), {Topic::journal()});
  parking.drop_connection(1);
  parking.drop_connection(7);
  EXPECT_EQ(parking.take({Topic::journal()}).at(0).id, 20);
}

}  // namespace
}  // namespace teamster::hub
