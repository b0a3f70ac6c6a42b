// The command verify, as far as it needs no processes: what it lists, refuses and says.
#include <gtest/gtest.h>

#include "cli/framework/outside_for_test.h"
#include "cli/text/verify_text.h"
#include "env/files.h"
#include "env/sim/sim_world.h"

namespace teamster::cli {
namespace {

constexpr const char* kGood =
    "# T\n\n*Supersedes: old.md*\n\n## 3. Global Invariants\n- [INV-G1] it builds | Verify: bash\n```yaml\nverify:\n"
    "  method: bash\n  command: make\n```\n\n## Amendment 1 (historical)\n- [INV-G2] gone | Verify: bash\n";

class VerifyCommandTest : public testing::Test {
 protected:
  VerifyCommandTest() {
    outside_.world = [this] { return host_.view(); };
    outside_.variables["HOME"] = "/home/user";
    EXPECT_TRUE(host_.view().files.make_private_directory("/m/dir"));
  }
  void write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(host_.view().files.write_atomically(path, text, 0600));
  }

  env::sim::World world_{1};
  env::sim::Host& host_ = world_.start("cli");
  FakeOutside outside_;
};

TEST_F(VerifyCommandTest, ListsCriteriaAndWhatElseTheManifestSays) {
  write("/m/a.md", kGood);
  EXPECT_EQ(outside_.run({"verify", "/m/a.md", "--list"}), 0);
  EXPECT_EQ(outside_.out.captured,
            "CRITERION  METHOD  BY    TEXT\n"
            "INV-G1     bash    make  it builds\n"
            "supersedes old.md\n"
            "Amendment 1 (historical): adds no requirement\n");
  EXPECT_EQ(outside_.run({"verify", "/m/a.md", "--list", "--json"}), 0);
  const Json document = outside_.document();
  EXPECT_EQ(document["valid"], true);
  EXPECT_EQ(document["manifest"], "/m/a.md");
  EXPECT_EQ(document["criteria"].size(), 1U);
  EXPECT_EQ(document["criteria"][0]["command"], "make");
  EXPECT_EQ(document["amendments"][0]["historical"], true);
}

TEST_F(VerifyCommandTest, ErrorsHavePlacesAndAnExitCodeOfTheirOwn) {
  write("/m/a.md", "# T\n\n## 3. Global Invariants\n- INV-G1 a | Verify: \x1b]0;x\n");
  EXPECT_EQ(outside_.run({"verify", "/m/a.md"}), 2);
  EXPECT_EQ(outside_.out.captured, "/m/a.md:4: the byte 0x1b is not allowed in a text file\n");
  write("/m/a.md", "# T\n\n## 3. Global Invariants\n- [INV-G1] a | Verify: bash\n");
  EXPECT_EQ(outside_.run({"verify", "/m/a.md", "--json"}), 2);
  EXPECT_EQ(outside_.document()["errors"][0]["line"], 4);
  EXPECT_EQ(outside_.run({"verify", "/m/none.md"}), 2);
  EXPECT_NE(outside_.err.captured.find("there is no manifest /m/none.md"), std::string::npos);
  EXPECT_EQ(outside_.run({"verify", "/m/dir"}), 2);
  EXPECT_EQ(outside_.run({"verify"}), 2);
}

TEST(VerifyText, LongOutputIsShownByItsLastLines) {
  std::string output = std::string(100'000, 'x') + "\n";
  for (int i = 0; i < 100; ++i) output += "line " + std::to_string(i) + "\n";
  const std::string text = result_text(
      {.id = "INV-G1", .text = "it\x1b[31mbuilds"},
      {.id = "INV-G1", .outcome = verify::Outcome::failed, .why = "exit code 1", .output = output}, Palette(false));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("    line 99\n"), std::string::npos);
  EXPECT_EQ(text.find("    line 79\n"), std::string::npos);
  EXPECT_LT(text.size(), 1000U);
  EXPECT_LT(result_text({.id = "INV-G1"},
                        {.id = "INV-G1", .outcome = verify::Outcome::failed, .output = std::string(100'000, 'y')},
                        Palette(false))
                .size(),
            400U);
}

TEST(VerifyText, ProgressFitsALine) {
  VerifyProgress progress{.settled = 3, .total = 9, .failed = 1, .running = {}};
  for (int i = 1; i < 100; ++i) progress.running.push_back("INV-G" + std::to_string(i));
  const std::string line = verify_progress_text(progress, 60);
  EXPECT_TRUE(line.starts_with("3 of 9 checked, 1 failed; running INV-G1, INV-G2")) << line;
  EXPECT_LE(line.size(), 64U);
}

TEST(VerifyText, TheReportSaysWhatHappenedToTheTree) {
  verify::Report report;
  report.results.push_back({.id = "INV-G1", .outcome = verify::Outcome::passed});
  report.disturbances.push_back({{"README"}, {"INV-G1", "INV-G2"}});
  report.not_watched = "no git";
  EXPECT_EQ(report_text(report, Palette(false)),
            "the tree changed while INV-G1, INV-G2 ran, and by none of them when it ran alone: README\n"
            "whether a check changes the tree was not watched: no git\n"
            "1 of 1 passed\n");
}

}  // namespace
}  // namespace teamster::cli
