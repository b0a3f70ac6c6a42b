// The skills of the pipeline as they are in the program: their names, their form, and whether a task finds the one that
// it is for by its description alone.
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "builtin/files.h"
#include "skills/catalogue.h"
#include "skills/channels.h"
#include "skills/level_one.h"
#include "skills/places.h"
#include "skills/routing.h"
#include "skills/validation.h"

namespace teamster::skills {
namespace {

const std::set<std::string> kNames = {"pre-design-brainstorm",
                                      "pre-design-validate",
                                      "pre-design-feasibility",
                                      "design-architecture",
                                      "design-interface",
                                      "design-risk",
                                      "research-codebase",
                                      "research-external",
                                      "research-cc-verify",
                                      "evaluation-criteria",
                                      "audit-static",
                                      "audit-behavioral",
                                      "audit-relational",
                                      "audit-impact",
                                      "research-coordinator",
                                      "plan-static",
                                      "plan-behavioral",
                                      "plan-relational",
                                      "plan-impact",
                                      "plan-verify-static",
                                      "plan-verify-behavioral",
                                      "plan-verify-relational",
                                      "plan-verify-impact",
                                      "plan-verify-coordinator",
                                      "orchestrate-static",
                                      "orchestrate-behavioral",
                                      "orchestrate-relational",
                                      "orchestrate-impact",
                                      "orchestrate-coordinator",
                                      "execution-code",
                                      "execution-infra",
                                      "execution-impact",
                                      "execution-review",
                                      "execution-cascade",
                                      "verify-structural-content",
                                      "verify-consistency",
                                      "verify-quality",
                                      "verify-cc-feasibility",
                                      "delivery-pipeline",
                                      "self-diagnose",
                                      "self-implement",
                                      "manage-infra",
                                      "manage-codebase",
                                      "rsil",
                                      "pipeline-resume",
                                      "task-management"};

std::unique_ptr<Source> pipeline_source() {
  return make_workflow_source(builtin::files_below("workflows/pipeline"), "workflows/pipeline");
}

Catalogue pipeline_catalogue() {
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(pipeline_source());
  return Catalogue(std::move(sources));
}

TEST(PipelineSkills, AreThose46AndNothingIsWrongWithThem) {
  const auto source = pipeline_source();
  const auto names = source->names();
  ASSERT_TRUE(names);
  EXPECT_EQ(std::set<std::string>(names->begin(), names->end()), kNames);
  for (const auto& name : *names) {
    const auto validated = validate_skill(*source, name);
    for (const auto& problem : validated.problems) ADD_FAILURE() << problem.text();
    EXPECT_TRUE(validated.advice.empty()) << name;
    EXPECT_NE(source->read(name, kSkillFile, 1 << 20).value_or("").find("\n  channels: four\n"), std::string::npos)
        << name;
  }
}

TEST(PipelineSkills, ATaskFindsItsSkillWithoutTheWordsOfItsName) {
  std::vector<Head> heads;
  const Catalogue catalogue = pipeline_catalogue();
  for (const auto& skill : catalogue.skills()) heads.push_back(skill.head);
  const Router router(heads);
  std::ifstream file(std::string(TEAMSTER_SOURCE_DIR) + "/tests/skills/routing.tsv");
  std::set<std::string> meant;
  std::vector<std::string> misses;
  int count = 0;
  int of_none = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    const std::string task = line.substr(0, tab);
    const std::string wanted = line.substr(tab + 1);
    ++count;
    of_none += wanted == "none" ? 1 : 0;
    meant.insert(wanted);
    const auto ranked = router.rank(task);
    const std::string found = ranked.empty() || !ranked.front().fits() ? "none" : ranked.front().name;
    if (found != wanted) misses.push_back(fmt::format("{}: found {} for: {}", wanted, found, task));
  }
  meant.erase("none");
  EXPECT_EQ(count, 60);
  EXPECT_EQ(of_none, 10);
  EXPECT_EQ(meant, kNames) << "each skill at least once";
  EXPECT_LE(misses.size(), 6U) << join(misses, "\n");
  for (const auto& miss : misses) RecordProperty("miss", miss);
}

TEST(PipelineSkills, FitIntoLevelOneUntilThereAreAHundred) {
  const Catalogue catalogue = pipeline_catalogue();
  auto skills = catalogue.skills();
  EXPECT_TRUE(level_one(skills, level_one_budget(0)).left_out.empty()) << "all 46 are known to every member";
  while (skills.size() < 100)
    skills.push_back({{fmt::format("other-{:02}", skills.size()), std::string(250, 'd')}, "project", "p"});
  const LevelOne level = level_one(skills, level_one_budget(0));
  EXPECT_LE(level.characters, 16'000U);
  EXPECT_FALSE(level.left_out.empty());
  for (const auto& name : level.left_out) EXPECT_FALSE(kNames.contains(name)) << "those of the workflow come first";
}

TEST(Channels, AreShownEachInItsForm) {
  const auto problems = [](const std::string& channels, const std::string& said = "four") {
    SkillText skill;
    skill.head.metadata["channels"] = said;
    skill.body = "# x\n\n" + channels;
    return problems_of_channels(skill);
  };
  const std::string good =
      "## Channels\nIn order.\n1. PT signal: `PASS|gaps:0`\n2. Output file: `tasks/{team}/p2-x.md`\n"
      "3. Micro-signal to `lead`:\n   `PASS|gaps:0|ref:tasks/{team}/p2-x.md`\n"
      "4. To each: `READY|path:tasks/{team}/p2-x.md|fields:a,b`\n\nMore.\n";
  EXPECT_TRUE(problems(good).empty()) << problems(good).front();
  EXPECT_EQ(problems("").size(), 1U);
  EXPECT_EQ(problems(good, "three").size(), 1U);
  EXPECT_EQ(problems("## Channels\n1. PT signal: `DONE`\n").size(), 4U);
  std::string is_long = good;
  is_long.replace(is_long.find("gaps:0"), 6, "what:" + std::string(200, 'x'));
  ASSERT_EQ(problems(is_long).size(), 1U);
  EXPECT_NE(problems(is_long).front().find("the limit is 200"), std::string::npos);
}

}  // namespace
}  // namespace teamster::skills
