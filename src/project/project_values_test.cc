#include "project/project_values.h"

#include <gtest/gtest.h>

#include "project/ledger_place.h"
#include "project/project_for_test.h"
#include "project/workflow_for_test.h"

namespace teamster::engine {
namespace {

using Words = std::vector<std::string>;

TEST(Arguments, AreCheckedInTheirOrder) {
  const auto workflow = workflow_for_test();
  EXPECT_EQ(resolve_words(workflow, Words{"08"})->arguments, (Arguments{{"spec", "08"}}));
  const auto complaint = [&](const Words& words) { return resolve_words(workflow, words).error().text(); };
  EXPECT_EQ(complaint({}), "spec (number of the spec) is missing. Usage: teamster run specs SPEC");
  EXPECT_EQ(complaint({"8"}),
            "spec (number of the spec) cannot be '8', it has the form [0-9]{2}. Usage: teamster run specs SPEC");
  EXPECT_EQ(complaint({"08", "x"}), "'x' is one word too many for specs. Usage: teamster run specs SPEC");
  EXPECT_NE(complaint({"\xff"}).find("UTF-8"), std::string::npos);
  EXPECT_NE(complaint({"../../etc"}).find("cannot be"), std::string::npos);
}

TEST(Arguments, HaveChoicesAndDefaults) {
  workflow::Workflow workflow;
  workflow.name = "collab";
  workflow.args = {{"action", "", "", {"plan", "research"}, std::nullopt}, {"depth", "", "[0-9]+", {}, "2"}};
  EXPECT_EQ(resolve_words(workflow, Words{"plan"})->arguments, (Arguments{{"action", "plan"}, {"depth", "2"}}));
  EXPECT_EQ(resolve_words(workflow, Words{"plan", "3"})->arguments, (Arguments{{"action", "plan"}, {"depth", "3"}}));
  EXPECT_NE(resolve_words(workflow, Words{"paln"}).error().what.find("did you mean plan?"), std::string::npos);
  EXPECT_NE(resolve_words(workflow, Words{"zzzzzz"}).error().what.find("only plan, research"), std::string::npos);
}

workflow::Workflow with_entries() {
  workflow::Workflow workflow;
  workflow.name = "ralph";
  workflow.entries = {{.name = "research", .about = "look around"}, {.name = "design"}, {.name = "list"}};
  workflow.entries[2].args.emplace();
  workflow.args = {{"spec", "", "[a-z]+", {}, "any"}, {"depth", "", "", {}, "2"}};
  workflow.entries[0].args = {"spec"};
  workflow.phases.resize(1);
  return workflow;
}

TEST(Entries, AreTheFirstWord) {
  const auto given = resolve_words(with_entries(), Words{"design", "login", "3"});
  ASSERT_TRUE(given) << given.error().text();
  EXPECT_EQ(given->entry, "design");
  EXPECT_EQ(given->arguments, (Arguments{{"spec", "login"}, {"depth", "3"}}));
}

TEST(Entries, TakeTheirArgumentsAndTheRestIsItsDefault) {
  EXPECT_EQ(resolve_words(with_entries(), Words{"research", "login"})->arguments,
            (Arguments{{"spec", "login"}, {"depth", "2"}}));
  EXPECT_EQ(resolve_words(with_entries(), Words{"list"})->arguments, (Arguments{{"spec", "any"}, {"depth", "2"}}));
}

TEST(Entries, AWrongOneSaysWhichThereAre) {
  const auto complaint = [](const Words& words) { return resolve_words(with_entries(), words).error().text(); };
  EXPECT_EQ(complaint({}),
            "ralph needs to know for what: research (look around), design, list. Usage: teamster run ralph "
            "research|design|list …");
  EXPECT_EQ(complaint({"desing"}),
            "'desing' is no entry of ralph, did you mean design?. Usage: teamster run ralph research|design|list …");
  EXPECT_NE(complaint({"zzzzzzzz"}).find("there are research (look around), design, list"), std::string::npos);
  EXPECT_EQ(complaint({"research", "a", "b"}),
            "'b' is one word too many for ralph research. Usage: teamster run ralph research [SPEC]");
}

class ValuesTest : public ProjectTest {
 protected:
  ValuesTest() {
    write("specs/08-log-in.md", "# Log in\r\nPage:  /login\r\n");
    write("specs/PREAMBLE.md", "Read me");
  }
  Result<Values> resolve(const std::string& spec = "08") {
    const Surroundings around{
        [](const std::string& name) {
          return name == "checks.test" ? std::optional<std::string>("make test") : std::nullopt;
        },
        [this](const char* name) { return std::string_view(name) == "WHO" ? std::optional(who_) : std::nullopt; }};
    return resolve_values({view_.files, path()}, workflow_, {.arguments = {{"spec", spec}}}, around);
  }
  std::string complaint(const std::string& spec = "08") {
    const auto values = resolve(spec);
    return values ? "" : values.error().text();
  }

  workflow::Workflow workflow_ = workflow_for_test();
  std::string who_ = "kim";
};

TEST_F(ValuesTest, AVariableOfTheEnvironmentIsThereUnlessItIsEmpty) {
  workflow::Value who;
  who.name = "who";
  who.kind = workflow::Value::Kind::env;
  who.of = "WHO";
  who.otherwise = "say who you are";
  workflow_.values.push_back(who);
  EXPECT_EQ(resolve()->at("who"), "kim");
  who_ = "";
  EXPECT_EQ(complaint(), "say who you are");
  workflow_.values.back().fallback = "nobody";
  EXPECT_EQ(resolve()->at("who"), "nobody");
}

TEST_F(ValuesTest, AreFoundInTheProject) {
  write("docs/b.md", "");
  write("docs/a.md", "");
  write("docs/.hidden.md", "");
  const auto values = resolve();
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_EQ(values->at("spec_path"), "specs/08-log-in.md");
  EXPECT_EQ(values->at("spec_name"), "log-in");
  EXPECT_EQ(values->at("page_url"), "/login");
  EXPECT_EQ(values->at("preamble"), "Read me");
  EXPECT_EQ(values->at("test"), "make test");
  EXPECT_EQ(values->at("docs"), Json::parse(R"(["docs/a.md", "docs/b.md"])"));
}

TEST_F(ValuesTest, DefaultsAndWhatMayBeMissing) {
  write("specs/08-log-in.md", "# No page here\n");
  workflow_.values[4].of = "checks.other";
  const auto values = resolve();
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_EQ(values->at("page_url"), "");
  EXPECT_EQ(values->at("test"), "true");
  EXPECT_EQ(values->at("docs"), Json::array());
}

TEST_F(ValuesTest, WhatIsMissingIsToldInTheWorkflowsWords) {
  EXPECT_EQ(complaint("09"), "There is no spec 09");
  std::filesystem::remove(path("specs/PREAMBLE.md"));
  EXPECT_EQ(complaint(), "specs/PREAMBLE.md is missing");
  workflow_.values[3].otherwise = "";
  EXPECT_NE(complaint().find("the value preamble"), std::string::npos);
}

TEST_F(ValuesTest, TwoFilesForOneAreBothNamed) {
  write("specs/08-again.md", "");
  const std::string said = complaint();
  EXPECT_NE(said.find("specs/08-again.md and specs/08-log-in.md"), std::string::npos) << said;
}

TEST_F(ValuesTest, DirectoriesAreNoFiles) {
  std::filesystem::create_directories(path("specs/09-directory.md"));
  EXPECT_EQ(complaint("09"), "There is no spec 09");
}

TEST_F(ValuesTest, HostileFilesAreErrors) {
  write("specs/PREAMBLE.md", std::string(limits::kProjectFileMaxBytes + 1, 'x'));
  EXPECT_NE(complaint().find("the value preamble: "), std::string::npos);
  EXPECT_NE(complaint().find("larger than"), std::string::npos);
  write("specs/PREAMBLE.md", "\xff\xfe");
  EXPECT_NE(complaint().find("not UTF-8"), std::string::npos);
  std::filesystem::remove(path("specs/PREAMBLE.md"));
  std::filesystem::create_symlink("/etc/hostname", path("specs/PREAMBLE.md"));
  EXPECT_NE(complaint().find("leads out of"), std::string::npos);
  workflow_.values[3].of = "../outside.md";
  EXPECT_NE(complaint().find("leads out of the project"), std::string::npos);
  EXPECT_NE(complaint("../x").find("leads out of the project"), std::string::npos);
}

TEST_F(ValuesTest, AreSourcesOfTexts) {
  const auto sources =
      sources_of({.arguments = {{"spec", "08"}}}, {{"name", "log-in"}, {"docs", Json::parse(R"(["a", "b"])")}});
  EXPECT_EQ(*render_short_text("{{args/spec}}-{{values/name}}", sources), "08-log-in");
  EXPECT_EQ(*render_short_text("{{values/docs}}", sources), "- a\n- b");
  EXPECT_FALSE(render_short_text("{{args/name}}", sources));
  EXPECT_FALSE(render_short_text("{{spec}}", sources));
}

TEST(LedgerFields, AreFilledAndEmptyOnesAreNull) {
  workflow::Ledger ledger;
  ledger.directory = "progress/spec-{{args/spec}}";
  ledger.index = "manifest.json";
  ledger.fields = {{"number", "{{args/spec}}"}, {"page", "{{values/page}}"}, {"version", 2}};
  const auto sources = sources_of({.arguments = {{"spec", "08"}}}, {{"page", ""}});
  const auto fields = ledger_fields(ledger, sources);
  ASSERT_TRUE(fields);
  EXPECT_EQ(*fields, (std::vector<std::pair<std::string, Json>>{{"number", "08"}, {"page", nullptr}, {"version", 2}}));
  EXPECT_EQ(ledger_place(ledger, "/project", sources)->index_path(), "progress/spec-08/manifest.json");
  EXPECT_FALSE(ledger_place(ledger, "/project", sources_of({}, {})));
}

}  // namespace
}  // namespace teamster::engine
