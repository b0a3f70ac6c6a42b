#include "verify/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "verify/reviewer_profiles.h"
#include "verify/reviewers.h"

namespace teamster::verify {
namespace {

TEST(ReportTest, IsReadAsItWasWritten) {
  using namespace std::chrono_literals;
  Report report;
  report.results.push_back({.id = "INV-G1",
                            .outcome = Outcome::failed,
                            .why = "exit code 3",
                            .output = "a\nb",
                            .is_cut = true,
                            .changed = {"README"},
                            .took = 1500ms});
  report.results.push_back(
      {.id = "AC-1.1", .outcome = Outcome::passed, .evidence = {"seen"}, .remarks = "well", .took = 2ms});
  report.results.push_back({.id = "AC-1.2", .outcome = Outcome::left_out, .why = "needs a reviewer"});
  report.disturbances.push_back({{"a"}, {"INV-G1"}});
  report.changed_in_review = {"b"};
  report.not_watched = "no git";
  const Json json = report_json({}, report);
  const auto read = read_report(json);
  ASSERT_TRUE(read);
  EXPECT_EQ(report_json({}, *read), json);
  EXPECT_EQ(json["counts"]["failed"], 1);
  EXPECT_EQ(json["passed"], false);
  EXPECT_FALSE(read_report({{"criteria", {{{"id", "INV-G1"}, {"outcome", "maybe"}}}}}));
}

TEST(ReportTest, BytesThatAreNoTextDoNotBreakIt) {
  Report report;
  report.results.push_back({.id = "INV-G1", .outcome = Outcome::failed, .why = "\xff", .output = "a\xfe\n"});
  report.disturbances.push_back({{"\xff"}, {}});
  EXPECT_FALSE(find_invalid_utf8(report_json({}, report).dump()));
}

TEST(ReportTest, FailuresAreToldToWhoeverMendsThem) {
  Manifest manifest;
  manifest.criteria.push_back({.id = "INV-G1", .text = "it builds"});
  Report report;
  report.results.push_back({.id = "INV-G1", .outcome = Outcome::failed, .why = "exit code 2", .output = "no rule\n"});
  report.results.push_back({.id = "AC-1.1", .outcome = Outcome::passed});
  EXPECT_EQ(failures_text(manifest, report),
            "INV-G1 failed: exit code 2\n  it must hold: it builds\n  output:\nno rule\n\n");
}

TEST(ReviewersTest, AnAnswerIsAReviewOnlyWithVerdictAndEvidence) {
  const auto good = read_review({{"verdict", "pass"}, {"evidence", {"f:1"}}, {"remarks", "r"}});
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->passed);
  EXPECT_FALSE(read_review({{"verdict", "fail"}, {"evidence", {"f:1"}}})->passed);
  EXPECT_FALSE(read_review({{"verdict", "passed"}, {"evidence", {"f:1"}}}));
  EXPECT_FALSE(read_review({{"verdict", "pass"}, {"evidence", Json::array()}}));
  EXPECT_FALSE(read_review("pass"));
}

TEST(ReviewersTest, EachProfileHasItsText) {
  EXPECT_EQ(reviewer_profiles().size(), 7U);
  for (const auto& profile : reviewer_profiles()) {
    const auto text = reviewer_instructions(profile);
    ASSERT_TRUE(text) << profile;
    EXPECT_FALSE(text->starts_with("---")) << profile;
    EXPECT_NE(text->find("`verdict`"), std::string::npos) << profile;
    EXPECT_LT(text->size(), 4000U) << profile;
  }
  EXPECT_FALSE(reviewer_instructions("nobody"));
}

}  // namespace
}  // namespace teamster::verify
