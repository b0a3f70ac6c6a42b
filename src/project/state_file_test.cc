#include "project/state_file.h"

#include <map>

#include <gtest/gtest.h>

namespace teamster::engine {
namespace {

workflow::Workflow with_ledger(const std::string& directory) {
  workflow::Workflow workflow;
  workflow.args = {{"spec", "", "", {}, std::nullopt}, {"kind", "", "", {}, "fast"}};
  workflow.ledger = workflow::Ledger{directory, "manifest.json", "{{sequence:03}}.json", {}};
  return workflow;
}

TEST(StateFileTest, ALedgerSaysWithWhichArguments) {
  const auto workflow = with_ledger("progress/spec-{{args/spec}}");
  EXPECT_EQ(owner_by_ledger(workflow, "progress/spec-08/manifest.json", {})->arguments, (Json{{"spec", "08"}}));
  EXPECT_EQ(owner_by_ledger(workflow, "progress/spec-a-b/manifest.json", {})->arguments, (Json{{"spec", "a-b"}}));
}

TEST(StateFileTest, SeveralArguments) {
  const auto workflow = with_ledger("{{args/kind}}/of/{{args/spec}}-{{args/kind}}");
  EXPECT_EQ(owner_by_ledger(workflow, "slow/of/08-slow/manifest.json", {})->arguments,
            (Json{{"spec", "08"}, {"kind", "slow"}}));
  EXPECT_FALSE(owner_by_ledger(workflow, "slow/of/08-fast/manifest.json", {})) << "it is one word";
}

TEST(StateFileTest, AnythingElseIsNone) {
  const auto workflow = with_ledger("progress/spec-{{args/spec}}");
  for (const char* path : {"", "manifest.json", "progress/spec-/manifest.json", "progress/spec-08/manifest.json.bak",
                           "progress/spec-08/x/manifest.json", "../progress/spec-08/manifest.json",
                           "x/progress/spec-08/manifest.json", "progress/spec-08"})
    EXPECT_FALSE(owner_by_ledger(workflow, path, {})) << path;
  EXPECT_FALSE(owner_by_ledger(with_ledger("progress/{{args/kind}}"), "progress/fast/manifest.json", {}))
      << "which spec?";
  EXPECT_FALSE(owner_by_ledger(with_ledger("progress/{{values/name}}"), "progress/08/manifest.json", {}));
  EXPECT_FALSE(owner_by_ledger(with_ledger("progress/{{args/spec"), "progress/08/manifest.json", {}));
  EXPECT_FALSE(owner_by_ledger(workflow::Workflow(), "manifest.json", {})) << "it has no ledger";
}

TEST(StateFileTest, WhichEntryItIsForIsInThePathOrInAField) {
  auto workflow = with_ledger("{{run/entry}}/{{args/spec}}");
  workflow.entries = {{.name = "plan"}, {.name = "build"}};
  EXPECT_EQ(owner_by_ledger(workflow, "plan/08/manifest.json", {})->entry, "plan");
  EXPECT_EQ(owner_by_ledger(workflow, "other/08/manifest.json", {})->lacking,
            (std::vector<std::string>{"for which entry it is"}));
  workflow.ledger->directory = "progress/{{args/spec}}";
  workflow.ledger->fields = {{"of", "{{run/entry}}"}};
  EXPECT_EQ(owner_by_ledger(workflow, "progress/08/manifest.json", {{"of", "build"}})->entry, "build");
  EXPECT_EQ(owner_by_ledger(workflow, "progress/08/manifest.json", {{"of", 7}})->lacking.size(), 1U);
}

workflow::Workflow with_state(const std::string& file, const std::map<std::string, Json>& fields) {
  workflow::Workflow workflow;
  workflow.name = "kept";
  workflow.args = {{"task", "", "", {}, std::nullopt}, {"kind", "", "", {}, "fast"}};
  workflow.state = workflow::State{file, "", fields};
  return workflow;
}

TEST(StateFileTest, TheFileOfAStateSaysItsEntry) {
  auto workflow = with_state(".kept.json", {{"task", "{{args/task}}"}, {"phase", "{{run/entry}}"}});
  workflow.entries = {{.name = "plan"}};
  const auto owner = owner_by_state(workflow, ".kept.json", "/p/.kept.json", {{"task", "a"}, {"phase", "plan"}});
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->entry, "plan");
  EXPECT_TRUE(owner->lacking.empty());
}

TEST(StateFileTest, TheFileOfAStateSaysItsArguments) {
  const auto workflow = with_state(
      ".kept.json",
      {{"what/task", "{{args/task}}"}, {"base", "kinds/{{args/kind}}"}, {"phase", "{{run/phase}}"}, {"fixed", 7}});
  const auto owner = owner_by_state(workflow, ".kept.json", "/p/.kept.json",
                                    Json::parse(R"({"what": {"task": "a task/with more"}, "base": "kinds/slow"})"));
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->workflow, "kept");
  EXPECT_EQ(owner->arguments, (Json{{"task", "a task/with more"}, {"kind", "slow"}}));
  EXPECT_TRUE(owner->lacking.empty());
  EXPECT_EQ(owner->run, "");
  EXPECT_FALSE(owner_by_state(workflow, "x/.kept.json", "/p/x/.kept.json", {}));
}

TEST(StateFileTest, WhatNeitherPathNorFileSaysIsLacking) {
  const auto owner = owner_by_state(with_state("{{args/kind}}.json", {{"task", "{{args/task}}"}}), "slow.json",
                                    "/p/slow.json", Json::parse(R"({"task": null})"));
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->arguments, (Json{{"kind", "slow"}}));
  EXPECT_EQ(owner->lacking, std::vector<std::string>{"task"});
}

TEST(StateFileTest, WhatIsOfTheRunMayBeAnything) {
  const auto workflow = with_state("{{run/temporary}}/state-{{run/id}}.json", {{"task", "{{args/task}}"}});
  const auto owner = owner_by_state(workflow, "../tmp/deep/state-kept-20261116-04d2.json",
                                    "/tmp/deep/state-kept-20261116-04d2.json", Json::parse(R"({"task": "x"})"));
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->run, "kept-20261116-04d2");
  EXPECT_EQ(owner->arguments, (Json{{"task", "x"}}));
  EXPECT_FALSE(owner_by_state(workflow, "state-1.txt", "/tmp/state-1.txt", {}));
  EXPECT_FALSE(owner_by_state(with_state("", {}), "a", "/a", {})) << "its state is in a task";
  EXPECT_FALSE(owner_by_state(workflow::Workflow(), "a", "/a", {}));
}

TEST(StateFileTest, NoTemplateMakesItRunAway) {
  std::string file;
  for (int i = 0; i < 20; ++i) file += "{{args/a" + std::to_string(i) + "}}";
  EXPECT_FALSE(owner_by_state(with_state(file + "!", {}), std::string(300, 'x'), "/x", {}));
}

}  // namespace
}  // namespace teamster::engine
