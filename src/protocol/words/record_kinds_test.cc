#include "protocol/words/record_kinds.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(RecordKinds, TheStartOfARunIsItsEnginesToo) {
  EXPECT_FALSE(is_of_hub_alone(kind::kRunStarted));
  for (const char* each : {kind::kRunLeased, kind::kRunRenewed, kind::kRunReleased, kind::kRunTold})
    EXPECT_TRUE(is_of_hub_alone(each)) << each;
  EXPECT_FALSE(is_of_hub_alone("step.done"));
}

TEST(RecordKinds, AHolderListensForWhatOthersPutIn) {
  EXPECT_TRUE(is_from_others(kind::kRunTold));
  EXPECT_TRUE(is_from_others(kind::kRunLeased));
  EXPECT_FALSE(is_from_others(kind::kRunRenewed));
}

TEST(RecordKinds, TheHubsOwnAreReserved) {
  for (const char* each : {kind::kTeamCreated, kind::kMemberTurn, kind::kMessageSent, kind::kTaskClaimed,
                           kind::kStaleRefused, kind::kHistoryRemoved, kind::kRunStarted, kind::kRunTold})
    EXPECT_TRUE(is_reserved_kind(each)) << each;
  EXPECT_FALSE(is_reserved_kind(kind::kRunEnded)) << "the engine says when a run is over";
  EXPECT_FALSE(is_reserved_kind("step.done"));
}

}  // namespace
}  // namespace teamster
