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

// What each broken workflow is about that the schema accepts.
const std::map<std::string, std::vector<std::string>>& beyond_a_schema() {
  static const std::map<std::string, std::vector<std::string>> kReasons = {
      {"the spelling in YAML, which is gone in JSON",
       {"019-number-as-name", "020-yes-as-text", "081-condition-with-yes"}},
      {"regular expressions and what they match",
       {"027-bad-pattern", "028-back-reference-in-pattern", "117-match-without-group"}},
      {"an order or comparison of values",
       {"029-default-not-a-choice", "030-argument-without-default-after-one", "051-reminder-after-deadline",
        "182-count-with-impossible-bounds", "229-questions-reminded-too-late", "256-default-that-its-pattern-refuses"}},
      {"names of other parts of the workflow",
       {"042-duplicate-phase-id",
        "047-gate-with-role-of-an-agent",
        "065-goto-nowhere",
        "068-way-never-tried",
        "069-unknown-loop",
        "070-unused-loop",
        "074-loop-counts-unknown-phase",
        "086-unknown-argument",
        "087-unknown-value",
        "088-unknown-phase-in-source",
        "100-sender-that-leads-elsewhere",
        "101-sender-without-source",
        "111-unknown-role",
        "112-unused-role",
        "113-native-role-in-agent-phase",
        "118-value-before-it-is-found",
        "128-series-with-unknown-argument",
        "131-preamble-that-is-no-value",
        "157-advisor-that-is-no-role",
        "158-advisor-that-is-native",
        "187-changed-since-unknown-phase",
        "199-items-from-a-value-that-is-no-list",
        "211-findings-of-unknown-phase",
        "213-loop-that-goes-nowhere",
        "218-loop-reset-by-unknown-phase",
        "246-team-from-unknown-phase"}},
      {"what the workflow as a whole says",
       {"083-only-outside-choices", "093-item-outside-of-items", "096-input-for-all-of-an-answer",
        "134-report-input-without-default", "140-check-without-way-for-failure", "159-advisor-without-items",
        "160-advisor-of-a-role-without-items", "161-advise-at-without-advisor", "163-restructure-without-advisor",
        "222-gate-without-way-for-no", "223-gate-with-way-for-some-noes", "224-gate-whose-loop-accepts",
        "225-gate-whose-loop-accepts-always", "226-gate-whose-spent-loop-leads-behind-it",
        "227-gate-whose-no-leads-where-yes-does", "231-files-of-a-role-that-writes-nothing",
        "232-files-of-a-role-without-writing-tools", "233-check-that-its-role-cannot-mend"}},
      {"where a run can go",
       {"071-way-back-without-loop", "072-way-to-itself", "073-loop-counts-a-phase-elsewhere", "076-unreachable-phase",
        "084-only-of-a-later-phase", "094-answer-of-later-phase-without-default", "095-own-answer-without-default",
        "189-changed-since-itself", "190-changed-since-a-later-phase", "210-findings-of-a-phase-that-never-leads-back",
        "216-loop-that-leads-back-when-spent", "217-loop-reset-on-its-own-circle",
        "219-loop-reset-by-a-phase-before-it", "220-loop-counted-and-reset-on-one-circle"}},
      {"the schema of an answer",
       {"060-items-that-are-no-list",
        "063-condition-on-a-list",
        "078-always-with-unknown-field",
        "079-condition-on-unknown-field",
        "080-condition-of-wrong-type",
        "082-condition-outside-enum",
        "089-unknown-field-in-source",
        "097-where-on-a-text",
        "098-where-with-unknown-field",
        "124-check-with-unknown-field",
        "125-check-with-impossible-field",
        "166-pass-with-unknown-field",
        "167-pass-that-can-never-hold",
        "177-test-on-what-is-no-list",
        "178-test-with-unknown-field",
        "179-test-that-can-never-hold",
        "180-test-of-entries-that-can-never-hold",
        "188-changed-since-unknown-field",
        "191-changed-since-in-always",
        "196-items-with-unknown-field",
        "197-items-asked-where-there-are-none",
        "208-findings-that-are-no-list",
        "209-findings-with-unknown-field"}},
      {"templates and other files",
       {"102-unused-input", "103-unused-input-for-all", "104-unknown-name-in-template", "105-spaces-in-placeholder",
        "106-control-character-in-template", "107-missing-template", "108-missing-schema", "109-schema-that-is-no-json",
        "110-schema-that-is-none", "132-message-without-prompt", "243-item-words-in-an-agent-phase",
        "244-item-words-in-a-merge"}},
      {"placeholders in short texts",
       {"120-answer-in-key", "121-malformed-placeholder-in-team", "123-answer-in-command", "137-argument-in-command",
        "138-file-in-command", "139-argument-in-command-of-before", "141-unknown-argument-in-tag"}},
  };
  return kReasons;
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
  std::map<std::string, std::string> reasons;
  for (const auto& [reason, names] : beyond_a_schema())
    for (const auto& name : names) EXPECT_TRUE(reasons.emplace(name, reason).second) << name << " is listed twice";
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
