#include "project/preconditions.h"

#include <gtest/gtest.h>

#include "project/ledger.h"
#include "project/project_for_test.h"
#include "project/workflow_for_test.h"

namespace teamster::engine {
namespace {

using Kind = workflow::Precondition::Kind;

class PreconditionsTest : public ProjectTest {
 protected:
  Result<std::vector<Skill>> check() {
    Preconditions preconditions(view_, {path(),
                                        workflow_,
                                        {.arguments = {{"spec", "08"}}},
                                        {{"preamble", preamble_}},
                                        "",
                                        "",
                                        open_git_program,
                                        bundle_});
    return wait<Result<std::vector<Skill>>>([&](auto done) { preconditions.check(done); });
  }
  std::string complaint() {
    const auto checked = check();
    return checked ? "" : checked.error().text();
  }
  void want(Kind kind, const std::string& what, const std::string& otherwise) {
    workflow::Precondition condition;
    condition.kind = kind;
    condition.what = what;
    condition.otherwise = otherwise;
    workflow_.preconditions.push_back(condition);
  }
  void ledger(const std::string& spec, LedgerStatus status) {
    LedgerState state;
    state.status = status;
    ASSERT_TRUE(save_ledger(view_.files, {path(), "progress/spec-" + spec, "manifest.json"}, state));
  }

  void write_skill(const std::string& place, const std::string& name, const std::string& body) {
    write(place + "/" + name + "/SKILL.md",
          "---\nname: " + name + "\ndescription: For " + name + ".\n---\n" + body + "\n");
  }

  std::string preamble_;
  workflow::Bundle bundle_;
  workflow::Workflow workflow_ = workflow_for_test();
};

TEST_F(PreconditionsTest, NoneAreMet) { EXPECT_TRUE(check()); }

TEST_F(PreconditionsTest, AFileMustBeThere) {
  want(Kind::file, "specs/{{args/spec}}.md", "Write {{missing}} for {{args/spec}}");
  EXPECT_EQ(complaint(), "Write specs/08.md for 08");
  EXPECT_EQ(check().error().code, Code::not_found);
  std::filesystem::create_directories(path("specs/08.md"));
  EXPECT_EQ(complaint(), "Write specs/08.md for 08") << "a directory is no file";
  std::filesystem::remove(path("specs/08.md"));
  write("specs/08.md", "");
  EXPECT_EQ(complaint(), "");
  workflow_.preconditions[0].what = "../x";
  EXPECT_NE(complaint().find("leads out of the project"), std::string::npos);
}

TEST_F(PreconditionsTest, AReferenceIsMetByBeingThereAndIsNothingToRun) {
  workflow_.series->required = "Acceptance criteria";
  want(Kind::done, "Dependencies", "Not done: {{missing}}");
  write("specs/00-overview.md", "# Overview\n");
  write("specs/07-before.md", "# Before\n\n## Acceptance criteria\n");
  write("specs/08-this.md", "# This\n\n## Dependencies\n\n- 00\n\n## Acceptance Criteria\n");
  EXPECT_EQ(complaint(), "");
  write("specs/08-this.md", "# This\n\n## Dependencies\n\n- 00\n- 07\n\n## Acceptance Criteria\n");
  EXPECT_EQ(complaint(), "Not done: 07");
  write("specs/08-this.md", "# This\n");
  EXPECT_EQ(complaint(),
            "specs/08-this.md has no heading 'Acceptance criteria', so there is nothing to do for it: it is a "
            "reference for others. Write that section, or name another");
}

TEST_F(PreconditionsTest, TheHeadMustBeOnABranch) {
  want(Kind::head, "branch", "HEAD is detached at {{missing}}");
  make_repository();
  EXPECT_EQ(complaint(), "");
  shell("git checkout -q --detach");
  EXPECT_EQ(complaint(), "HEAD is detached at " + shell("git rev-parse --short HEAD"));
  shell("git checkout -q --orphan fresh");
  EXPECT_EQ(complaint(), "") << "a branch before its first commit is one";
}

TEST_F(PreconditionsTest, AreCheckedInTheirOrder) {
  want(Kind::command, "echo first >> ran", "");
  want(Kind::file, "a", "no a");
  want(Kind::command, "echo second >> ran", "");
  want(Kind::file, "b", "no b");
  EXPECT_EQ(complaint(), "no a");
  EXPECT_EQ(read("ran"), "first\n");
  write("a", "");
  EXPECT_EQ(complaint(), "no b");
  EXPECT_EQ(read("ran"), "first\nfirst\nsecond\n");
}

TEST_F(PreconditionsTest, TheTreeMustBeClean) {
  want(Kind::clean, "", "Not committed: {{missing}}");
  workflow_.preconditions[0].except = {"progress/"};
  EXPECT_NE(complaint().find("git init"), std::string::npos) << "not a repository";
  make_repository();
  write("progress/spec-08/manifest.json", "{}");
  EXPECT_EQ(complaint(), "");
  write("README", "edited");
  write("a b", "");
  EXPECT_EQ(complaint(), "Not committed: README, 'a b'");
  EXPECT_EQ(check().error().code, Code::refused);
  for (int i = 0; i < 30; ++i) write("file" + std::to_string(i), "");
  EXPECT_TRUE(complaint().ends_with(" and 12 more")) << complaint();
  EXPECT_EQ(read("README"), "edited") << "nothing is touched";
}

TEST_F(PreconditionsTest, DependenciesMustBeDone) {
  want(Kind::done, "Dependencies", "Spec {{args/spec}} needs {{missing}}, which is not done");
  EXPECT_NE(complaint().find("there is no file for spec 08"), std::string::npos);
  for (const char* name : {"01-a", "02-b", "03-c"}) write(std::string("specs/") + name + ".md", "");
  write("specs/08-h.md", "## Dependencies\n- 01\n- 02\n- 03\n");
  ledger("01", LedgerStatus::done);
  ledger("02", LedgerStatus::in_progress);
  EXPECT_EQ(complaint(), "Spec 08 needs 02, 03, which is not done");
  ledger("02", LedgerStatus::done);
  ledger("03", LedgerStatus::done);
  EXPECT_EQ(complaint(), "");
  write("specs/08-h.md", "## Dependencies\n- 04\n");
  EXPECT_NE(complaint().find("names 04 under Dependencies"), std::string::npos);
}

TEST_F(PreconditionsTest, AnotherFileCanHaveTheHeading) {
  want(Kind::done, "Needs", "needs {{missing}}");
  workflow_.preconditions[0].of = "plan/{{args/spec}}.md";
  write("specs/01-a.md", "");
  EXPECT_EQ(complaint(), "plan/08.md is missing");
  write("plan/08.md", "# Needs\n- 01\n");
  EXPECT_EQ(complaint(), "needs 01");
}

TEST_F(PreconditionsTest, SkillsOfTheItemAreRead) {
  want(Kind::skills, "Skills", "Spec {{args/spec}} needs the skill {{missing}}");
  write("specs/08-h.md", "");
  EXPECT_EQ(complaint(), "") << "no table, no skills";
  preamble_ =
      "## Skills\n\n| skill | specs |\n|---|---|\n| `drawing` | 07-09 |\n| testing, typing | all |\n| cooking | 01, 02 "
      "|\n"
      "| none | 08 |\n";
  EXPECT_EQ(complaint(), "Spec 08 needs the skill drawing, testing, typing");
  write_skill(".claude/skills", "drawing", "Draw.");
  write_skill(".teamster/skills", "testing", "Test.");
  EXPECT_EQ(complaint(), "Spec 08 needs the skill typing");
  write(".teamster/skills/typing/SKILL.md", "Type.");
  EXPECT_NE(complaint().find("typing/SKILL.md:1:1: expected `---` as the first line"), std::string::npos)
      << complaint();
  std::filesystem::remove_all(path(".teamster/skills/typing"));
  bundle_["skills/typing/SKILL.md"] = "---\nname: typing\ndescription: x\n---\nType.";
  const auto skills = check();
  ASSERT_TRUE(skills) << skills.error().text();
  ASSERT_EQ(skills->size(), 3U);
  EXPECT_EQ((*skills)[0].name, "drawing");
  EXPECT_EQ((*skills)[0].text, "Draw.");
  EXPECT_EQ((*skills)[2].text, "Type.");
}

TEST_F(PreconditionsTest, WithoutASeriesTheWholeTableIsNeeded) {
  want(Kind::skills, "Skills", "Missing: {{missing}}");
  workflow_.preconditions[0].of = "TEAM.md";
  workflow_.series.reset();
  write("TEAM.md",
        "## Skills\n\n| skill | for |\n|---|---|\n| drawing | pictures |\n| typing | letters |\n| none | - |\n");
  EXPECT_EQ(complaint(), "Missing: drawing, typing");
  write_skill(".claude/skills", "drawing", "Draw.");
  EXPECT_EQ(complaint(), "Missing: typing");
  write_skill(".claude/skills", "typing", "Type.");
  const auto skills = check();
  ASSERT_TRUE(skills) << skills.error().text();
  EXPECT_EQ(skills->size(), 2U);
  workflow_.preconditions[0].of.clear();
  preamble_ = "# Skills\n| skill |\n|-|\n| cooking |\n";
  EXPECT_EQ(complaint(), "Missing: cooking") << "in the preamble, too";
}

TEST_F(PreconditionsTest, TablesOfSkillsWithMistakesSaySo) {
  want(Kind::skills, "Skills", "");
  const auto with = [&](const std::string& rows) {
    preamble_ = "# Skills\n" + rows;
    return complaint();
  };
  EXPECT_NE(with("| name | specs |\n|-|-|\n| a | 08 |\n").find("no column of skills"), std::string::npos);
  EXPECT_NE(with("| skill | specs |\n|-|-|\n| ../../x | 08 |\n").find("not a valid skill name"), std::string::npos);
  EXPECT_NE(with("| skill | specs |\n|-|-|\n| a | pages |\n").find("names nothing"), std::string::npos);
  EXPECT_EQ(with("| skill | specs |\n|-|-|\n| a | 08 |\n"), "not installed: the skill a");
  EXPECT_EQ(with("| skill |\n|-|\n| a |\n"), "not installed: the skill a") << "without a column of items for all";
  EXPECT_EQ(with("| skill | specs |\n|-|-|\n| ../../x | 07 |\n"), "") << "not ours";
}

TEST_F(PreconditionsTest, ACommandMustSucceed) {
  want(Kind::command, "echo broken; exit 3", "");
  EXPECT_NE(complaint().find("exited with code 3; it said: broken"), std::string::npos) << complaint();
  workflow_.preconditions[0].otherwise = "First: {{missing}}";
  EXPECT_TRUE(complaint().starts_with("First: 'echo broken; exit 3' exited with code 3"));
  workflow_.preconditions[0].what = "true";
  EXPECT_EQ(complaint(), "");
  workflow_.preconditions[0].what = " ";
  EXPECT_EQ(complaint(), "") << "a command that nobody has set is not run";
}

TEST_F(PreconditionsTest, DestroyingItEndsWithoutAnAnswer) {
  want(Kind::command, "sleep 100", "");
  auto preconditions = std::make_unique<Preconditions>(view_, PreconditionOptions{path(), workflow_, {}, {}});
  preconditions->check([](Result<std::vector<Skill>>) { FAIL(); });
  preconditions.reset();
  EXPECT_FALSE(view_.loop.run_until([] { return false; }));
}

}  // namespace
}  // namespace teamster::engine
