#include "protocol/words/message_kinds.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(MessageKinds, ABroadcastHasNoSingleReceiver) {
  const auto to_one = kinds_to_one();
  const auto to_all = kinds_to_all();
  EXPECT_EQ(std::count(to_one.begin(), to_one.end(), message_kind::kBroadcast), 0);
  EXPECT_EQ(to_all.front(), message_kind::kBroadcast) << "it is what is meant where nothing else is said";
  EXPECT_EQ(to_all.size(), kMessageKinds.size());
}

TEST(MessageKinds, OnlyTheLeadDecides) {
  for (const char* name :
       {message_kind::kShutdownRequest, message_kind::kPlanApprovalResponse, message_kind::kPermissionResponse})
    EXPECT_TRUE(find_message_kind(name)->is_of_lead) << name;
  EXPECT_FALSE(find_message_kind(message_kind::kShutdownResponse)->is_of_lead);
  EXPECT_EQ(find_message_kind("gossip"), nullptr);
}

}  // namespace
}  // namespace teamster
