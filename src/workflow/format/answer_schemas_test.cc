// The answers that the bundled workflows ask for: what the engine or a later prompt uses is needed, and nothing else.
// Real agents leave out what says nothing, and say more than they are asked.
#include <tuple>

#include <fmt/format.h>
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
      if (file == "schemas/header.json") continue;  // of a file, which says more
      const std::string name = file.substr(8, file.size() - 8 - 5);
      const std::string why = workflow == "pipeline" ? "signal" : "summary";
      accepts(workflow, name, R"({"status":"BLOCKED",")" + why + R"(":"BLOCKED"})");
      refuses(workflow, name, R"({"status":"BLOCKED"})");
    }
}

TEST_F(AnswerSchemas, OfTheOthersNeedWhatIsUsed) {
  accepts("collab", "verdict", R"({"valid":true,"criteria":["AC-1.2"],"instructions":"mend it"})");
  accepts("collab", "verdict", R"({"valid":false,"reason":"as it was wanted","criteria":["AC-1.2"]})");
  refuses("collab", "verdict", R"({"valid":true,"reason":"it is"})");
  refuses("collab", "verdict", R"({"valid":true,"criteria":[],"instructions":"mend it"})");
  accepts("collab", "pr", R"({"pr_url":"https://example.org/1","branch":"greet","base":"main"})");
  accepts("ralph", "topics", R"({"topics":[{"topic":"t","role":"analyst"}]})");
  accepts("ralph", "task", R"({"signal":"TASK_COMPLETE","summary":"s","commit":"0123abc","manual_action":false})");
  accepts("ralph", "task", R"({"signal":"TASK_INCOMPLETE","summary":"s","commit":null,"manual_action":true})");
  refuses("ralph", "task", R"({"signal":"TASK_COMPLETE","summary":"s","commit":"0123abc","manual_action":true})");
}

TEST_F(AnswerSchemas, OfThePipelineKeepSignalsShortAndGraphsWhole) {
  const auto signal = [](const std::string& words) {
    return R"({"status":"PASS","file":"f","signal":")" + words + R"("})";
  };
  accepts("pipeline", "result", signal("PASS|reqs:6|tier:STANDARD|gaps:0"));
  for (const char* wrong : {"DONE|reqs:6", "PASS | reqs: 6", "FAIL|gaps:1", "PASS|reqs", "PASS|a:b\\nmore"})
    refuses("pipeline", "result", signal(wrong));
  accepts("pipeline", "result", signal("PASS|what:" + std::string(190, 'x')));
  refuses("pipeline", "result", signal("PASS|what:" + std::string(191, 'x')));
  refuses("pipeline", "verdict", R"({"status":"FAIL","file":"f","signal":"FAIL"})");
  accepts("pipeline", "verdict", R"({"status":"FAIL","file":"f","signal":"FAIL","gaps":[{"what":"w","task":"T1"}]})");
  const auto task = [](const std::string& fields) {
    return R"({"status":"PASS","file":"f","signal":"PASS","tier":"COMPLEX","tasks":[{"id":"T1","subject":"s")" +
           fields + "}]}";
  };
  accepts("pipeline", "graph", task(R"(,"kind":"code","role":"implementer","files":["a"])"));
  refuses("pipeline", "graph", task(R"(,"kind":"infra","role":"implementer","files":["a"])"));
  refuses("pipeline", "graph", task(R"(,"kind":"code","role":"implementer","files":[])"));
  refuses("pipeline", "commit", R"({"status":"PASS","file":"f","signal":"PASS"})");
  accepts("pipeline", "header", R"({"domain":"research","skill":"codebase","phase":"p2","status":"PASS","iteration":1,
                                    "gaps":0,"inputs":[]})");
  refuses("pipeline", "header", R"({"domain":"research","skill":"codebase","phase":"p9","status":"PASS","iteration":1,
                                    "gaps":0,"inputs":[]})");
}

// Files and modules are rated apart, and the higher tier counts.
TEST_F(AnswerSchemas, TheTierOfAPipelineFollowsFromTheCounts) {
  const auto answer = [](int files, int modules, const std::string& tier) {
    const auto names = [](int count) {
      std::string list;
      for (int i = 0; i < count; ++i) list += fmt::format("{}\"{}\"", i == 0 ? "" : ",", i);
      return list;
    };
    return fmt::format(R"({{"status":"PASS","signal":"PASS","file":"f","feasible":true,"tier":"{}","files":[{}],)"
                       R"("modules":[{}],"tasks":[{{"id":"T1","subject":"s","kind":"code","role":"implementer",)"
                       R"("files":["a"]}}]}})",
                       tier, names(files), names(modules));
  };
  const std::vector<std::tuple<int, int, std::string>> rule = {
      {1, 1, "TRIVIAL"},  {2, 1, "TRIVIAL"}, {2, 2, "STANDARD"}, {3, 1, "STANDARD"}, {3, 2, "STANDARD"},
      {1, 2, "STANDARD"}, {4, 1, "COMPLEX"}, {3, 3, "COMPLEX"},  {2, 3, "COMPLEX"},  {9, 4, "COMPLEX"}};
  for (const auto& [files, modules, tier] : rule)
    for (const std::string other : {"TRIVIAL", "STANDARD", "COMPLEX"})
      if (other == tier)
        accepts("pipeline", "tier", answer(files, modules, other));
      else
        refuses("pipeline", "tier", answer(files, modules, other));
  refuses("pipeline", "tier",
          R"({"status":"PASS","signal":"PASS","file":"f","tier":"STANDARD","feasible":true,"ambiguous":true,
              "files":["a","b","c"],"modules":["m"]})");
}

}  // namespace
}  // namespace teamster::workflow
