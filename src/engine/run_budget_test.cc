#include "engine/run_budget.h"

#include <gtest/gtest.h>

namespace teamster::engine {
namespace {

TEST(RunBudgetTest, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_budget("5usd")->usd, 5.0);
  EXPECT_EQ(parse_budget("0.5usd")->usd, 0.5);
  EXPECT_EQ(parse_budget("100ktokens")->tokens, 100'000);
  EXPECT_EQ(parse_budget("1.5mtokens")->tokens, 1'500'000);
  EXPECT_EQ(parse_budget("50turns")->turns, 50);
  EXPECT_EQ(parse_budget("2h")->time, std::chrono::hours(2));
  EXPECT_EQ(parse_budget("5usd,90m")->time, std::chrono::minutes(90));
  const auto both = parse_budget("5usd, 50turns");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->usd, 5.0);
  EXPECT_EQ(both->turns, 50);
  EXPECT_FALSE(both->tokens);
}

TEST(RunBudgetTest, RefusesEverythingElse) {
  for (const char* text : {"",
                           "5",
                           "usd",
                           "5eur",
                           "-1usd",
                           "0usd",
                           "0turns",
                           "1.5turns",
                           "5kusd",
                           "nanusd",
                           "infusd",
                           "1e3usd",
                           "99999999999999999999tokens",
                           "5usd,",
                           ",5usd",
                           "5 usd x",
                           "0x10turns",
                           "kturns",
                           "0h",
                           "-2h",
                           "2weeks",
                           "1.5h"}) {
    const auto budget = parse_budget(text);
    ASSERT_FALSE(budget) << text;
    EXPECT_EQ(budget.error().code, Code::invalid);
    EXPECT_NE(budget.error().next.find("5usd"), std::string::npos);
  }
}

TEST(RunBudgetTest, IsOverTheWorkflows) {
  workflow::Budget budget;
  budget.usd = 1;
  budget.turns = 7;
  ASSERT_TRUE(apply_budget("", budget));
  EXPECT_EQ(budget.usd, 1.0);
  ASSERT_TRUE(apply_budget("20usd,30s", budget));
  EXPECT_EQ(budget.time, std::chrono::seconds(30));
  EXPECT_EQ(budget.usd, 20.0);
  EXPECT_EQ(budget.turns, 7);
  EXPECT_FALSE(apply_budget("much", budget));
}

}  // namespace
}  // namespace teamster::engine
