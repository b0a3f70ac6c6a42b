#include "workflow/format/configuration.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

using namespace std::chrono_literals;

Workflow with_questions() {
  Workflow workflow;
  workflow.name = "w";
  workflow.roles["builder"].ladder.patience = 1h;
  workflow.roles["lead"].is_native = true;
  workflow.phases.resize(3);
  workflow.phases[0].id = "build";
  workflow.phases[1].id = "good";
  workflow.phases[1].kind = Phase::Kind::gate;
  workflow.phases[1].question.emplace();
  workflow.phases[1].question->remind = 1h;
  workflow.phases[1].question->deadline = 4h;
  workflow.phases[2].id = "told";
  workflow.phases[2].kind = Phase::Kind::notify;
  workflow.phases[2].text = "told";
  return workflow;
}

std::string problem(const Configuration& configuration) {
  const auto problems = problems_of(configuration, with_questions());
  return problems.empty() ? "" : problems.front().first + ": " + problems.front().second;
}

TEST(ConfigurationTest, NamesWhatTheWorkflowHas) {
  EXPECT_EQ(configurable_names(with_questions()),
            (std::vector<std::string>{"roles.builder.driver", "roles.builder.model", "roles.builder.effort",
                                      "phases.build.limit", "phases.good.remind", "phases.good.deadline",
                                      "questions.remind", "questions.deadline", "ladder.patience"}));
}

TEST(ConfigurationTest, ChangesNothingButThat) {
  Workflow workflow = with_questions();
  configure(workflow, {{"roles.builder.driver", "codex"},
                       {"roles.builder.model", "opus"},
                       {"roles.builder.effort", "high"},
                       {"phases.build.limit", "10m"},
                       {"phases.good.remind", "2h"},
                       {"phases.good.deadline", "8h"},
                       {"questions.remind", "5m"},
                       {"questions.deadline", "6h"},
                       {"ladder.patience", "3h"},
                       {"roles.other.model", "none"}});
  const Role& builder = workflow.roles.at("builder");
  EXPECT_EQ(builder.driver + builder.model + builder.effort, "codexopushigh");
  EXPECT_EQ(workflow.phases[0].limit, 10min);
  EXPECT_EQ(workflow.phases[1].question->remind, 2h);
  EXPECT_EQ(workflow.phases[1].question->deadline, 8h);
  EXPECT_EQ(workflow.questions.remind, 5min);
  EXPECT_EQ(workflow.questions.deadline, 6h);
  EXPECT_EQ(workflow.ladder.patience, 3h);
  EXPECT_FALSE(builder.ladder.patience) << "it is for all steps";
  EXPECT_EQ(workflow.roles.size(), 2U);
}

TEST(ConfigurationTest, SaysWhatIsWrong) {
  EXPECT_EQ(problem({{"roles.builder.model", "opus"}, {"phases.build.limit", "90s"}}), "");
  EXPECT_NE(problem({{"roles.bilder.model", "opus"}}).find("did you mean roles.builder.model?"), std::string::npos);
  EXPECT_NE(problem({{"roles.lead.model", "opus"}}).find("has nothing of this name"), std::string::npos);
  EXPECT_NE(problem({{"phases.build.limit", "soon"}}).find("a length of time"), std::string::npos);
  EXPECT_NE(problem({{"phases.build.limit", "0s"}}).find("a length of time"), std::string::npos);
  EXPECT_NE(problem({{"roles.builder.model", ""}}).find("empty"), std::string::npos);
  EXPECT_EQ(problem({{"phases.good.deadline", "30m"}}),
            "phases.good.deadline: the reminder would come later than the deadline");
}

}  // namespace
}  // namespace teamster::workflow
