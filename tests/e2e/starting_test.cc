// What a run is started with: the state that another program reads leads back to its run, or to the arguments of a new
// one; the same key with other arguments is another thing. Scripted agents are real processes.
#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kKept = R"(
name: kept
args:
  task: { about: what is done }
  kind: { choices: [fast, slow], default: fast }
key: kept
roles:
  worker: {}
state:
  file: '.state-of-kept.json'
  fields: { what/task: '{{args/task}}', kind: 'kinds/{{args/kind}}', phase: '{{run/phase}}' }
phases:
  - { id: work, role: worker, template: work.md, returns: done.json }
  - { id: good, kind: gate, question: { to: owner, text: 'Good?' }, on: [ { when: { approved: false }, block: 'no' } ] }
)";

class Starting : public OwnWorkflow {
 protected:
  Starting() {
    workflow("kept", kKept, {{"work.md", "Work."}, {"done.json", R"({"type": "object"})"}});
    script("worker", R"({"turns": [], "otherwise": [{"report": {}}, {"say": "done"}]})");
  }
  Outcome run(Words words) {
    words.emplace_back("--json");
    Process process(start_of(words));
    return outcome_of(process);
  }
  Outcome begin(const std::string& task, const Words& more = {}) {
    Words words = run_words("kept");
    words.insert(words.end(), {"--no-wait", task});
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  Outcome resume(const Words& more = {}) {
    Words words = {"resume", "--no-wait", "--state", state_, "--driver", "script", "--scripts", scripts_};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::size_t runs() const { return home_.ok({"status", "--all"})["runs"].size(); }
  const std::string state_ = ".state-of-kept.json";
};

TEST_F(Starting, TheFileOfTheStateLeadsToTheRunUnderWay) {
  const Outcome begun = begin("first");
  ASSERT_EQ(begun.exit, 4) << begun;
  const Outcome resumed = resume();
  EXPECT_EQ(resumed.exit, 4) << resumed;
  EXPECT_EQ(resumed.json["run"], begun.json["run"]) << resumed;
  EXPECT_EQ(runs(), 1U);
}

TEST_F(Starting, WithoutARunTheFileSaysWithWhatToBegin) {
  project_file(state_, R"({"what": {"task": "a / b"}, "kind": "kinds/slow", "other": 1})");
  const Outcome begun = resume();
  ASSERT_EQ(begun.exit, 4) << begun;
  const Json args = events(last_run())[0]["body"]["body"]["args"];
  EXPECT_EQ(args, Json::parse(R"({"task": "a / b", "kind": "slow"})"));
  ASSERT_EQ(home_.run({"approve", begun.json["run"].get<std::string>()}).exit, 0);
  ASSERT_EQ(run({"resume", begun.json["run"].get<std::string>()}).exit, 0);
  const Outcome again = resume();
  EXPECT_EQ(again.exit, 3) << "that one has ended, and says so: " << again;
  EXPECT_NE(again.what().find("already complete"), std::string::npos) << again;
  EXPECT_NE(again.next().find("teamster run kept"), std::string::npos) << again;
  EXPECT_EQ(runs(), 1U);
}

TEST_F(Starting, AFileThatSaysTooLittleIsRefused) {
  project_file(state_, "{ torn");
  Outcome refused = resume();
  EXPECT_EQ(refused.exit, 2) << refused;
  EXPECT_NE(refused.what().find("kept keeps its state, is no JSON object"), std::string::npos) << refused;
  project_file(state_, R"({"kind": "kinds/slow"})");
  refused = resume();
  EXPECT_EQ(refused.exit, 2) << refused;
  EXPECT_NE(refused.what().find("does not say task"), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("teamster run kept TASK"), std::string::npos) << refused;
  std::filesystem::remove(project_ + "/" + state_);
  refused = resume();
  EXPECT_EQ(refused.code(), "not_found") << refused;
  workflow("twin", std::string(kKept).replace(std::string(kKept).find("name: kept"), 10, "name: twin"),
           {{"work.md", "Work."}, {"done.json", R"({"type": "object"})"}});
  project_file(state_, R"({"what": {"task": "a"}})");
  refused = resume();
  EXPECT_EQ(refused.exit, 2) << refused;
  EXPECT_NE(refused.what().find("kept, twin"), std::string::npos) << refused;
}

TEST_F(Starting, TheSameKeyWithOtherArgumentsIsRefusedAndNamesBoth) {
  const Outcome begun = begin("first");
  ASSERT_EQ(begun.exit, 4) << begun;
  const std::string name = begun.json["run"];
  const Outcome refused = begin("second", {"slow"});
  EXPECT_EQ(refused.exit, 3) << refused;
  EXPECT_NE(refused.what().find("task='first' kind='fast'"), std::string::npos) << refused;
  EXPECT_NE(refused.what().find("task='second' kind='slow'"), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("teamster resume " + name), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("teamster cancel " + name), std::string::npos) << refused;
  const Outcome same = begin("first", {"fast"});
  EXPECT_EQ(same.exit, 4) << same;
  EXPECT_EQ(same.json["run"], name) << "the same thing goes on";
  ASSERT_EQ(home_.run({"cancel", name}).exit, 0);
  EXPECT_EQ(begin("second", {"slow"}).exit, 4) << "nothing is in its way any more";
}

}  // namespace
}  // namespace teamster::e2e
