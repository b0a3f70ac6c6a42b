#include "protocol/words/receipt.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(Receipt, NamesAreReadAsTheyAreWritten) {
  int number = 0;
  for (const Receipt receipt : kReceipts) {
    EXPECT_EQ(static_cast<int>(receipt), number++) << "the store keeps the number";
    EXPECT_EQ(receipt_from_string(to_string(receipt)), receipt);
  }
  EXPECT_FALSE(receipt_from_string("read"));
}

TEST(Receipt, OnlyWhatAReceiverCanSayIsAMark) {
  EXPECT_EQ(mark_from_string("acted"), Receipt::acted);
  EXPECT_EQ(mark_from_string("delivered"), Receipt::delivered);
  EXPECT_FALSE(mark_from_string("queued"));
  EXPECT_FALSE(mark_from_string("dead"));
}

TEST(Receipt, IsOpenUntilSomebodyActedOrNobodyWill) {
  EXPECT_TRUE(is_open(Receipt::seen));
  EXPECT_FALSE(is_open(Receipt::acted));
  EXPECT_FALSE(is_open(Receipt::dead));
}

}  // namespace
}  // namespace teamster
