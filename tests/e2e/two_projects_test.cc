// Two projects of one home: the same workflow with the same arguments in both at the same time, each with a team of the
// same name, and the name means the one of the directory in which it is typed. Scripted agents are real processes.
#include <filesystem>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kSpec = R"(
name: spec
args: { spec: { pattern: '[0-9]{2}' } }
key: '{{args/spec}}'
team: { name: 'spec-{{args/spec}}' }
roles:
  builder: {}
phases:
  - { id: build, role: builder, template: build.md, returns: done.json }
  - { id: good, kind: gate, question: { to: owner, text: 'Good?' }, on: [ { when: { approved: false }, block: 'no' } ] }
)";

class TwoProjects : public OwnWorkflow {
 protected:
  TwoProjects() {
    workflow("spec", kSpec, {{"build.md", "Build."}, {"done.json", R"({"type": "object"})"}});
    script("builder", R"({"turns": [], "otherwise": [{"run": "pwd >> built"}, {"report": {}}, {"say": "done"}]})");
    std::filesystem::copy(project_, other_, std::filesystem::copy_options::recursive);
  }
  Outcome in(const std::string& directory, const Words& words) const {
    Start start = start_of(words);
    start.command[2] = directory;
    start.command.emplace_back("--json");
    Process process(start);
    return outcome_of(process);
  }
  Outcome begin(const std::string& directory) const {
    Words words = run_words("spec");
    words.insert(words.end(), {"--no-wait", "01"});
    return in(directory, words);
  }

  const std::string other_ = home_.scratch() + "/other";
};

TEST_F(TwoProjects, RunSpecOneSideBySide) {
  const Outcome here = begin(project_);
  ASSERT_EQ(here.exit, 4) << here;
  const Outcome there = begin(other_);
  ASSERT_EQ(there.exit, 4) << there;
  EXPECT_NE(here.json["run"], there.json["run"]);
  const Json teams = home_.ok({"team", "list"})["teams"];
  ASSERT_EQ(teams.size(), 2U) << teams;
  EXPECT_EQ(teams[0]["team"], "spec-01");
  EXPECT_EQ(teams[1]["team"], "spec-01");
  for (const auto& [directory, run] : {std::pair{project_, here.json["run"]}, std::pair{other_, there.json["run"]}}) {
    const Outcome status = in(directory, {"team", "status", "spec-01"});
    ASSERT_EQ(status.exit, 0) << status;
    EXPECT_EQ(status.json["owner"]["run"], run) << directory;
    EXPECT_EQ(status.json["project"], directory);
    EXPECT_EQ(in(directory, {"message", "send", "--team", "spec-01", "--to", "builder", "hello"}).exit, 0);
  }
  const Outcome elsewhere = in(home_.scratch(), {"team", "status", "spec-01"});
  EXPECT_EQ(elsewhere.exit, 3) << elsewhere;
  EXPECT_NE(elsewhere.what().find(project_), std::string::npos) << elsewhere;
  EXPECT_NE(elsewhere.what().find(other_), std::string::npos) << elsewhere;
  EXPECT_EQ(in(home_.scratch(), {"team", "status", teams[0]["ref"]}).exit, 0) << "or by what names one of them";
  for (const Outcome* one : {&here, &there}) {
    ASSERT_EQ(home_.run({"approve", one->json["run"].get<std::string>()}).exit, 0);
    EXPECT_EQ(in(home_.scratch(), {"resume", one->json["run"].get<std::string>()}).exit, 0) << "from anywhere";
  }
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array());
  EXPECT_NE(project_text("built").find("/project\n"), std::string::npos);
}

TEST_F(TwoProjects, TheEndOfOneLeavesTheOtherAlone) {
  const Outcome here = begin(project_);
  const Outcome there = begin(other_);
  ASSERT_EQ(there.exit, 4) << there;
  ASSERT_EQ(home_.run({"cancel", here.json["run"].get<std::string>()}).exit, 0);
  const Json teams = home_.ok({"team", "list"})["teams"];
  ASSERT_EQ(teams.size(), 1U) << teams;
  EXPECT_EQ(teams[0]["project"], other_);
  EXPECT_EQ(in(project_, {"team", "status", "spec-01"}).json["project"], other_) << "there is but one now";
  ASSERT_EQ(home_.run({"cancel", there.json["run"].get<std::string>()}).exit, 0);
}

TEST_F(TwoProjects, ATeamMadeByHandIsAnother) {
  ASSERT_EQ(in(project_, {"team", "create", "spec-01", "--member", "kim"}).exit, 0);
  const Outcome begun = begin(project_);
  ASSERT_EQ(begun.exit, 4) << begun;
  EXPECT_EQ(in(project_, {"team", "status", "spec-01"}).json["project"], project_);
  EXPECT_EQ(in(home_.scratch(), {"team", "status", "spec-01"}).json["project"], Json());
  ASSERT_EQ(home_.run({"cancel", begun.json["run"].get<std::string>()}).exit, 0);
}

}  // namespace
}  // namespace teamster::e2e
