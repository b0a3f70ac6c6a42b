#include "rehearsal/plan.h"

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

using workflow::Bundle;

Result<Plan> read(const std::string& text) { return Plan::read("w", Bundle{{kPlanFile, text}}); }

TEST(PlanTest, NamesAProjectAndArguments) {
  const auto plan = read(R"({"project": "./example/", "arguments": ["01", "fast"]})");
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->project, "example");
  EXPECT_EQ(plan->arguments, (std::vector<std::string>{"01", "fast"}));
  EXPECT_TRUE(read(R"({"project": "notes"})")->arguments.empty());
}

TEST(PlanTest, MistakesAreTold) {
  for (const char* text : {"", "[]", "{}", R"({"project": 1})", R"({"project": "a", "argument": []})",
                           R"({"project": "a", "arguments": "01"})", R"({"project": "a", "arguments": [1]})"})
    EXPECT_FALSE(read(text)) << text;
  const auto none = Plan::read("w", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::not_found);
  EXPECT_NE(none.error().next.find("--project"), std::string::npos) << none.error().next;
}

TEST(PlanTest, TheWorkflowsOwnDirectoryGoesBeforeAnExample) {
  const Bundle bundle = {{"workflow.yaml", "x"},
                         {"notes/a.txt", "a"},
                         {"notes/rehearsal/builder.json", "{}"},
                         {"notes/rehearsal/people.json", "{}"},
                         {"notes-too/b.txt", "b"}};
  const auto own = planned_files({"notes", {}}, bundle);
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_EQ(own->project, (FileContents{{"a.txt", "a"}}));
  EXPECT_EQ(own->scripts, (FileContents{{"builder.json", "{}"}, {"people.json", "{}"}}));
  const auto example = planned_files({"notes", {}}, {});
  ASSERT_TRUE(example) << example.error().text();
  EXPECT_EQ(example->project.count("README.md"), 1U);
  EXPECT_EQ(example->scripts.count("builder.json"), 1U);
}

TEST(PlanTest, AWorkflowMayHaveItsOwnScripts) {
  const Bundle bundle = {{"workflow.yaml", "x"},
                         {"rehearsal/builder.json", "{}"},
                         {"rehearsal/stakeholders.yaml", "owner: kim"},
                         {"rehearsal/project/src/a.txt", "a"}};
  const auto plan = Plan::read("w", bundle);
  ASSERT_TRUE(plan) << plan.error().text();
  const auto files = planned_files(*plan, bundle);
  ASSERT_TRUE(files) << files.error().text();
  EXPECT_EQ(files->project, (FileContents{{"src/a.txt", "a"}}));
  EXPECT_EQ(files->scripts, (FileContents{{"builder.json", "{}"}, {"stakeholders.yaml", "owner: kim"}}));
  Bundle with_words = bundle;
  with_words[kPlanFile] = R"({"arguments": ["start", "--no-team"]})";
  const auto words = Plan::read("w", with_words);
  ASSERT_TRUE(words) << words.error().text();
  EXPECT_EQ(words->arguments, (std::vector<std::string>{"start", "--no-team"}));
}

TEST(PlanTest, AProjectThatIsNotThereIsNamed) {
  const auto typo = planned_files({"noets", {}}, {});
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().next, "Did you mean notes?");
  EXPECT_FALSE(planned_files({"../secret", {}}, {{"workflow.yaml", "x"}}));
  EXPECT_FALSE(planned_files({"", {}}, {{"workflow.yaml", "x"}}));
}

}  // namespace
}  // namespace teamster::cli
