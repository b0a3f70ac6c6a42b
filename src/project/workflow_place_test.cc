#include "project/workflow_place.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::cli {
namespace {

using workflow::Bundle;

// Good in every format.
Bundle plain() { return {{"workflow.yaml", "name: plain\nphases:\n  - { id: test, kind: check, command: 'true', on: [ { goto: done } ] }\n"}}; }

// A gate that a "no" does not lead anywhere else: that was allowed in the first format.
Bundle of_first_format() {
  return {{"workflow.yaml",
           "name: old\nphases:\n  - { id: good, kind: gate, question: { text: Is it good } }\n"
           "  - { id: test, kind: check, command: 'true', on: [ { goto: done } ] }\n"}};
}

TEST(LoadOfRunTest, AnOlderFormatGoesOnWhereItMeansTheSame) {
  for (std::int64_t format = 1; format <= workflow::kFormat; ++format) {
    const auto loaded = load_of_run("plain-1", plain(), format);
    EXPECT_TRUE(loaded) << format << ": " << loaded.error().text();
  }
}

TEST(LoadOfRunTest, AnOlderFormatIsRefusedByNameWhereItDoesNot) {
  const auto refused = load_of_run("old-20261116-1a2b", of_first_format(), 1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("run old-20261116-1a2b, which has the format 1 (2 today)"), std::string::npos)
      << refused.error().text();
  EXPECT_NE(refused.error().text().find("workflow.yaml:3"), std::string::npos) << refused.error().text();
}

TEST(LoadOfRunTest, ANewerFormatIsRefusedByNumber) {
  for (const std::int64_t format : {workflow::kFormat + 1, std::int64_t{0}, std::int64_t{-1}}) {
    const auto refused = load_of_run("plain-1", plain(), format);
    ASSERT_FALSE(refused) << format;
    EXPECT_EQ(refused.error().code, Code::refused);
    EXPECT_NE(refused.error().text().find("the format " + std::to_string(format)), std::string::npos);
  }
}

}  // namespace
}  // namespace teamster::cli
