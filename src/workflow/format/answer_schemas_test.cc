// The answers that the bundled workflows ask for: what the engine or a later prompt uses is needed, and nothing else.
// Real agents leave out what says nothing, and say more than they are asked.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema/schema.h"
#include "workflow/format/bundled_workflows_for_test.h"

namespace teamster::workflow {
namespace {

class AnswerSchemas : public testing::Test {
 protected:
  std::vector<std::string> problems(const std::string& workflow, const std::string& name, const std::string& answer) {
    const auto schema = schema::Schema::compile(*parse_json(all_.at(workflow).at("schemas/" + name + ".json")));
    EXPECT_TRUE(schema) << name;
    return schema->check(*parse_json(answer));
  }
  void accepts(const std::string& workflow, const std::string& name, const std::string& answer) {
    EXPECT_EQ(problems(workflow, name, answer), std::vector<std::string>{}) << workflow << " " << name << " " << answer;
  }
  void refuses(const std::string& workflow, const std::string& name, const std::string& answer) {
    EXPECT_NE(problems(workflow, name, answer), std::vector<std::string>{}) << workflow << " " << name << " " << answer;
  }

  const std::map<std::string, Bundle> all_ = bundled_workflows();
};

TEST_F(AnswerSchemas, AReasonIsNeededWhereACriterionFailed) {
  const std::string begin =
      R"({"status":"SUCCESS","verification_passed":true,"acceptance_criteria":[{"criterion":"c",)";
  accepts("implement-spec", "verify", begin + R"("passed":true}]})");
  accepts("implement-spec", "verify", begin + R"("passed":true,"reason":null,"seen":"yes"}],"missing_files":null})");
  accepts("implement-spec", "verify", begin + R"("passed":false,"reason":"no"}],"issues":["a",{"file":"b"}]})");
  refuses("implement-spec", "verify", begin + R"("passed":false}]})");
  refuses("implement-spec", "verify", begin + R"("passed":false,"reason":null}]})");
  refuses("implement-spec", "verify", R"({"status":"SUCCESS","acceptance_criteria":[]})");
}

TEST_F(AnswerSchemas, OfImplementSpecNeedWhatIsUsed) {
  for (const auto& [name, answer] : std::map<std::string, std::string>{
           {"implement", R"({"status":"SUCCESS","summary":"s","files_created":["a"],"files_modified":null})"},
           {"unit-tests", R"({"status":"SUCCESS","test_files_created":["a"]})"},
           {"e2e-tests", R"({"status":"PARTIAL","e2e_files_created":[],"screenshots_will_capture":null})"},
           {"run-tests", R"({"status":"SUCCESS","summary":"s","all_passed":true,"e2e_tests":null})"},
           {"fix", R"({"status":"SUCCESS","fixes_applied":[{"file":"a"},"b"]})"},
           {"screenshots", R"({"status":"SUCCESS","all_clear":true})"},
           {"code-review", R"({"status":"SUCCESS","code_quality":"PASS"})"},
           {"commit", R"({"status":"SUCCESS","commit_hash":"0123abc"})"}})
    accepts("implement-spec", name, answer);
  refuses("implement-spec", "implement", R"({"status":"SUCCESS","summary":"s"})");
  refuses("implement-spec", "run-tests", R"({"status":"SUCCESS","summary":"s"})");
  refuses("implement-spec", "screenshots", R"({"status":"SUCCESS"})");
  refuses("implement-spec", "code-review", R"({"status":"SUCCESS","issues":[]})");
  refuses("implement-spec", "commit", R"({"status":"SUCCESS","commit_hash":"soon"})");
}

TEST_F(AnswerSchemas, WhoIsBlockedSaysWhyAndNoMore) {
  for (const std::string workflow : {"implement-spec", "collab", "ralph", "pipeline"})
    for (const auto& [file, text] : all_.at(workflow)) {
      if (!file.starts_with("schemas/") || text.find("BLOCKED") == text.npos) continue;
      const std::string name = file.substr(8, file.size() - 8 - 5);
      const std::string why = workflow == "pipeline" ? "signal" : "summary";
      accepts(workflow, name, R"({"status":"BLOCKED",")" + why + R"(":"BLOCKED"})");
      refuses(workflow, name, R"({"status":"BLOCKED"})");
    }
}

TEST_F(AnswerSchemas, OfTheOthersNeedWhatIsUsed) {
  accepts("collab", "judgement", R"({"valid":true,"instructions":"mend it"})");
  accepts("collab", "judgement", R"({"valid":false,"reason":"as it was wanted","criteria":["AC-1.2"]})");
  refuses("collab", "judgement", R"({"valid":true,"reason":"it is"})");
  accepts("collab", "pr", R"({"pr_url":"https://example.org/1"})");
  accepts("ralph", "topics", R"({"topics":[{"topic":"t","role":"analyst"}]})");
  accepts("ralph", "task", R"({"signal":"TASK_COMPLETE","summary":"s","commit":"0123abc","manual_action":false})");
  accepts("ralph", "task", R"({"signal":"TASK_INCOMPLETE","summary":"s","commit":null,"manual_action":true})");
  refuses("ralph", "task", R"({"signal":"TASK_COMPLETE","summary":"s","commit":"0123abc","manual_action":true})");
  accepts("pipeline", "tier", R"({"status":"PASS","signal":"PASS","file":"f","tier":"TRIVIAL","feasible":true})");
  refuses("pipeline", "tier",
          R"({"status":"PASS","signal":"PASS","file":"f","tier":"TRIVIAL","feasible":true,"ambiguous":true})");
  accepts("pipeline", "tasks", R"({"status":"PASS","signal":"PASS","file":"f","tasks":[{"subject":"s"}]})");
}

}  // namespace
}  // namespace teamster::workflow
