// workflows/workflow.schema.json, which editors use: it agrees with what the program accepts, and
// catches the plain mistakes.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema/schema.h"
#include "workflow/format/bundled_workflows_for_test.h"
#include "yaml/document.h"

namespace teamster::workflow {
namespace {

schema::Schema editor_schema() {
  const auto path = std::filesystem::path(TEAMSTER_SOURCE_DIR) / "workflows/workflow.schema.json";
  const auto document = parse_json(file_contents(path));
  EXPECT_TRUE(document);
  auto compiled = schema::Schema::compile(*document);
  EXPECT_TRUE(compiled) << compiled.error().text();
  return *std::move(compiled);
}

Json json_of(const std::string& yaml) {
  Problems problems;
  const auto document = parse_document("workflow.yaml", yaml, problems);
  EXPECT_TRUE(document) << (problems.empty() ? "" : problems.sorted()[0].text());
  return document ? to_json(document->root) : Json();
}

TEST(EditorSchema, AcceptsEveryBundledWorkflow) {
  const auto schema = editor_schema();
  for (const auto& [name, bundle] : bundled_workflows())
    EXPECT_EQ(schema.check(json_of(bundle.at(kWorkflowFile))), std::vector<std::string>{}) << name;
}

TEST(EditorSchema, RefusesPlainMistakes) {
  const auto schema = editor_schema();
  const std::string good = "name: x\nphases: [ { id: a, kind: notify, text: done } ]\n";
  EXPECT_EQ(schema.check(json_of(good)), std::vector<std::string>{});
  for (const std::string bad :
       {"phases: [ { id: a } ]\n", "name: X\nphases: [ { id: a } ]\n", "name: x\nphases: []\n",
        "name: x\nphases: [ { id: a, knid: notify } ]\n", "name: x\nphases: [ { id: a, kind: agents } ]\n",
        "name: x\nphases: [ { id: a, limit: 5 minutes } ]\n",
        "name: x\nphases: [ { id: a, on: [ { when: { b: 1 } } ] } ]\n",
        "name: x\nphases: [ { id: a, inputs: { lower: args/b } } ]\n",
        "name: x\nloops: { l: { then: block } }\nphases: [ { id: a } ]\n",
        "name: x\nvalues: { v: { file: a, text: b } }\nphases: [ { id: a } ]\n",
        "name: x\nextra: 1\nphases: [ { id: a } ]\n"})
    EXPECT_NE(schema.check(json_of(bad)), std::vector<std::string>{}) << bad;
}

}  // namespace
}  // namespace teamster::workflow
