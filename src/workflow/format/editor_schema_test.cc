// workflows/workflow.schema.json, which editors use, accepts what the program accepts: both are run over all good and
// all broken workflows of this source tree. What a JSON Schema cannot say is listed by name, with the reason.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schema/pointer.h"
#include "schema/schema.h"
#include "workflow/format/bundled_workflows_for_test.h"
#include "workflow/format/faults.h"
#include "workflow/format/load.h"
#include "workflow/format/source.h"
#include "workflow/format/used_keys_for_test.h"
#include "yaml/document.h"

namespace teamster::workflow {
namespace {

// The reason by the name of each broken workflow that the schema accepts.
std::map<std::string, std::string> beyond_a_schema() {
  std::istringstream lines(file_contents(source_directory() / "tests/broken_workflows/beyond_a_schema.txt"));
  std::map<std::string, std::string> reasons;
  std::string reason;
  for (std::string line; std::getline(lines, line);) {
    const bool is_reason = line.starts_with("# ");
    if (is_reason) reason = line.substr(2);
    if (is_reason || line.empty() || reason.empty()) continue;
    EXPECT_TRUE(reasons.emplace(line, reason).second) << line << " is listed twice";
  }
  return reasons;
}

Json schema_document() {
  const auto document = parse_json(file_contents(source_directory() / "workflows/workflow.schema.json"));
  EXPECT_TRUE(document);
  return document ? *document : Json();
}

schema::Schema editor_schema() {
  auto compiled = schema::Schema::compile(schema_document());
  EXPECT_TRUE(compiled) << compiled.error().text();
  return *std::move(compiled);
}

// Nothing when it is no YAML that could be read.
std::optional<Json> json_of(const std::string& yaml) {
  Problems problems;
  const auto document = parse_document("workflow.yaml", yaml, problems);
  return document ? std::optional(to_json(document->root)) : std::nullopt;
}

TEST(EditorSchema, AcceptsEveryGoodWorkflow) {
  const auto schema = editor_schema();
  const auto all = good_workflows();
  EXPECT_GE(all.size(), 10U);
  for (const auto& [path, bundle] : all) {
    const auto loaded = load_workflow(bundle);
    for (const auto& problem : loaded.problems) ADD_FAILURE() << path << ": " << problem.text();
    const auto json = json_of(bundle.at(kWorkflowFile));
    ASSERT_TRUE(json) << path;
    EXPECT_EQ(join(schema.check(*json), "\n"), "") << path;
  }
}

TEST(EditorSchema, RefusesEveryBrokenWorkflowThatASchemaCanRefuse) {
  const auto schema = editor_schema();
  auto reasons = beyond_a_schema();
  const auto all = broken_workflows();
  for (const auto& [name, reason] : reasons) EXPECT_TRUE(all.contains(name)) << name << " is not there";
  for (const auto& [name, text] : all) {
    const auto json = json_of(text);
    const bool is_refused = !json || !schema.check(*json).empty();
    if (reasons.contains(name))
      EXPECT_FALSE(is_refused) << name << " is refused, so it need not be listed as beyond a schema: " << reasons[name];
    else
      EXPECT_TRUE(is_refused) << name << " is accepted";
  }
}

TEST(EditorSchema, HasNoKeyThatNoGoodWorkflowUses) {
  const Json document = schema_document();
  UsedKeys used(document);
  for (const auto& [path, bundle] : good_workflows()) used.look_at(json_of(bundle.at(kWorkflowFile)).value_or(Json()));
  EXPECT_EQ(join(used.unused(), "\n"), "");
}

TEST(EditorSchema, KnowsTheFaultsAndFacts) {
  const Json document = schema_document();
  const Json* faults = schema::find_by_pointer(document, "/$defs/ladder/properties/faults/properties");
  ASSERT_NE(faults, nullptr);
  std::vector<std::string> names;
  for (const auto& [name, rung] : faults->items()) names.push_back(name);
  auto settable = settable_faults();
  std::sort(settable.begin(), settable.end());
  EXPECT_EQ(names, settable);
  EXPECT_EQ(document["$defs"]["rung"]["enum"], Json(settable_rungs()));
  const std::string facts = join(run_facts(), "|");
  EXPECT_NE(dump_json(document["$defs"]["source"]).find("run/(" + facts + ")"), std::string::npos) << facts;
}

}  // namespace
}  // namespace teamster::workflow
