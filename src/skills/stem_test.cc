#include "skills/stem.h"

#include <gtest/gtest.h>

namespace teamster::skills {
namespace {

TEST(Stem, WordsOfOneFamilyHaveOne) {
  const std::vector<std::vector<std::string>> families = {
      {"test", "tests", "testing", "tested"},
      {"migrate", "migrates", "migrating", "migration", "migrations"},
      {"depend", "depends", "dependence", "dependency"},
      {"verify", "verifies", "verified"},
      {"plan", "plans", "planned", "planning"},
      {"hope", "hopes", "hoping", "hoped"},
      {"relation", "relational", "relate"},
      {"container", "containers"},
      {"agree", "agreed", "agrees"},
  };
  for (const auto& family : families)
    for (const auto& word : family) EXPECT_EQ(stem_of(word), stem_of(family.front())) << word;
}

TEST(Stem, WordsOfDifferentFamiliesDoNot) {
  EXPECT_NE(stem_of("hop"), stem_of("hope"));
  EXPECT_NE(stem_of("test"), stem_of("text"));
  EXPECT_NE(stem_of("bring"), stem_of("br"));
  EXPECT_NE(stem_of("policy"), stem_of("police"));
}

TEST(Stem, ShortAndForeignWordsComeOutAsSomething) {
  for (const std::string word : {"", "a", "is", "ci", "sssss", "eed", "ing", "ed", "y",
                                 "\xC3\xBC"
                                 "ben",
                                 "3d"})
    EXPECT_EQ(stem_of(word), stem_of(word));
}

TEST(StemsIn, LeavesOutWhatStandsInAnyText) {
  EXPECT_EQ(stems_in("Use this WHEN the tables are to be Migrated, e.g. a table's index."),
            (std::vector<std::string>{"tabl", "migrat", "tabl", "index"}));
  EXPECT_TRUE(stems_in("what is it for?").empty());
  EXPECT_TRUE(stems_in("").empty());
}

}  // namespace
}  // namespace teamster::skills
