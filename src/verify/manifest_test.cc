#include "verify/manifest.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "verify/criterion_line.h"
#include "verify/verify_limits.h"

namespace teamster::verify {
namespace {

constexpr const char* kBlock = "  ```yaml\n  verify:\n    method: bash\n    command: make\n  ```\n";

std::string invariants(const std::string& items) { return "# T\n\n## 3. Global Invariants\n" + items; }

TEST(ManifestTest, KeepsTitleIntentAndDeliverables) {
  const auto parsed = parse_manifest(
      "# Definition: a page\n\n## 1. Intent & Context\nPeople search.\n- **Goal:** they find\n\n## 6. Deliverables\n"
      "### Deliverable 2: index\n- [AC-2.1] a | Verify: bash\n" +
      std::string(kBlock));
  ASSERT_TRUE(parsed.is_valid()) << parsed.errors.front().what;
  EXPECT_EQ(parsed.manifest.title, "Definition: a page");
  EXPECT_EQ(parsed.manifest.intent, "People search.\n- **Goal:** they find");
  ASSERT_EQ(parsed.manifest.deliverables.size(), 1U);
  EXPECT_EQ(parsed.manifest.deliverables[0].number, 2U);
  EXPECT_EQ(parsed.manifest.criteria[0].deliverable(), 2U);
  EXPECT_EQ(parsed.manifest.find("AC-2.2"), nullptr);
}

TEST(ManifestTest, IdsHaveOneForm) {
  for (const char* id : {"INV-G1", "INV-G9999", "AC-1.1", "AC-12.345"}) EXPECT_TRUE(is_criterion_id(id)) << id;
  for (const char* id : {"", "INV-G", "INV-G0", "INV-G01", "INV-1", "inv-g1", "INV-G1a", "INV-G12345", "AC-", "AC-1",
                         "AC-1.", "AC-1.0", "AC-.1", "AC-1.1.1", "AC-1-1", " AC-1.1", "AC-1.1 "})
    EXPECT_FALSE(is_criterion_id(id)) << id;
}

TEST(ManifestTest, WhatIsTooLargeIsRefused) {
  const auto bytes = parse_manifest(std::string(kManifestMaxBytes + 1, 'x'));
  ASSERT_EQ(bytes.errors.size(), 1U);
  EXPECT_NE(bytes.errors[0].what.find("bytes, the limit is"), std::string::npos);
  const auto lines = parse_manifest("x" + std::string(kManifestLinesMax + 1, '\n'));
  ASSERT_EQ(lines.errors.size(), 1U);
  EXPECT_NE(lines.errors[0].what.find("lines, the limit is"), std::string::npos);
  const auto text = parse_manifest(
      invariants("- [INV-G1] " + std::string(kCriterionTextMaxBytes + 1, 'x') + " | Verify: bash\n" + kBlock));
  ASSERT_EQ(text.errors.size(), 1U);
  EXPECT_NE(text.errors[0].what.find("the text of INV-G1"), std::string::npos);
  const auto command =
      parse_manifest(invariants("- [INV-G1] a | Verify: bash\n  ```yaml\n  verify:\n    method: bash\n"
                                "    command: " +
                                std::string(kCommandMaxBytes + 1, 'x') + "\n  ```\n"));
  ASSERT_EQ(command.errors.size(), 1U);
  EXPECT_EQ(command.errors[0].line, 8U);
}

TEST(ManifestTest, ManyCriteriaAndErrorsAreBounded) {
  std::string many;
  for (std::size_t i = 1; i <= kCriteriaMax + 1; ++i)
    many +=
        fmt::format("- [INV-G{}] a | Verify: {}\n", i, i == 1 ? "bash" : "covered by INV-G1") + (i == 1 ? kBlock : "");
  const auto parsed = parse_manifest(invariants(many));
  EXPECT_EQ(parsed.manifest.criteria.size(), kCriteriaMax);
  ASSERT_EQ(parsed.errors.size(), 1U);
  EXPECT_NE(parsed.errors[0].what.find("split the manifest"), std::string::npos);
  std::string bad;
  for (std::size_t i = 1; i <= kManifestErrorsMax + 7; ++i) bad += fmt::format("- [INV-G{}] a | Verify: bash\n", i);
  const auto refused = parse_manifest(invariants(bad));
  EXPECT_EQ(refused.errors.size(), kManifestErrorsMax);
  EXPECT_EQ(refused.errors_left_out, 7U);
}

// Nothing that a few megabytes can say takes long: no depth, no squares. The time limit of the whole test would tell.
TEST(ManifestTest, HostileTextsEndSoon) {
  std::string chain;
  for (std::size_t i = 1; i < kCriteriaMax; ++i)
    chain += fmt::format("- [INV-G{}] a | Verify: covered by INV-G{}\n", i, i + 1);
  const std::vector<std::string> texts = {
      invariants(chain),
      invariants("- [INV-G1] " + std::string(3'000'000, '|') + "\n"),
      invariants("- [INV-G1] " + std::string(3'000'000, '[') + " | Verify: bash\n"),
      invariants(std::string(2'000'000, '>') + "- [INV-G1] a | Verify: x"),
      std::string(2'000'000, '`'),
      invariants("- [INV-G1] a | Verify: covered by" + std::string(2'000'000, ',')),
      invariants("- [INV-G1] a | Verify: bash\n```yaml\n" + std::string(900'000, '[') + "\n```\n"),
      invariants("- [INV-G1] a | Verify: bash\n```yaml\n" + std::string(900'000, '{') + "\n```\n"),
      std::string(3'000'000, '#'),
      invariants(std::string(1'000'000, '-') + " [INV-G1]")};
  for (const auto& text : texts) EXPECT_FALSE(parse_manifest(text).is_valid());
}

TEST(ManifestTest, TheEndOfTheFileMayComeAnywhere) {
  const std::string good = invariants("- [INV-G1] a | Verify: bash\n" + std::string(kBlock));
  EXPECT_TRUE(parse_manifest(good.substr(0, good.size() - 1)).is_valid()) << "no line break at the end";
  const auto cut = parse_manifest(invariants("- [INV-G1] a | Verify: bash"));
  ASSERT_EQ(cut.errors.size(), 1U);
  EXPECT_NE(cut.errors[0].what.find("has no block"), std::string::npos);
  for (std::size_t bytes = 0; bytes < good.size() - 1; ++bytes)
    EXPECT_FALSE(parse_manifest(good.substr(0, bytes)).is_valid()) << bytes;
  EXPECT_EQ(parse_manifest("\n \n\t\n").errors[0].what, "the manifest is empty");
  std::string old_line_ends = good;
  std::replace(old_line_ends.begin(), old_line_ends.end(), '\n', '\r');
  EXPECT_EQ(parse_manifest(old_line_ends).errors[0].what, "the byte 0x0d is not allowed in a text file");
}

TEST(CriterionLineTest, OnlyAWholeOneEndsAFence) {
  EXPECT_TRUE(is_criterion_line("- [INV-G1] a | Verify: bash"));
  EXPECT_TRUE(is_criterion_line("  * [AC-1.2] a | Verify: covered by INV-G1"));
  EXPECT_FALSE(is_criterion_line("- [INV-G1] a"));
  EXPECT_FALSE(is_criterion_line("[INV-G1] a | Verify: bash"));
  EXPECT_FALSE(is_criterion_line("- INV-G1 a | Verify: bash"));
  EXPECT_FALSE(is_criterion_line(""));
}

}  // namespace
}  // namespace teamster::verify
