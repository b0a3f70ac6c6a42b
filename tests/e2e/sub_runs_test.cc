// Runs that start others, when they are cancelled or killed: real processes, with a person who is asked in the
// middle.
#include <filesystem>
#include <map>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

// Without a key: nothing but the step that started it tells one run of it from another.
constexpr const char* kInnerRun = R"(
name: inner
about: Asks.
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

constexpr const char* kOuterRun = R"(
name: outer
about: Lets another ask, twice.
phases:
  - id: each
    kind: workflow
    workflow: inner
    items: [first, second]
)";

class SubRuns : public testing::Test {
 protected:
  SubRuns() {
    add("inner", kInnerRun);
    add("outer", kOuterRun);
  }
  void add(const std::string& name, const std::string& text) const {
    const std::string directory = project_ + "/.teamster/workflows/" + name;
    std::filesystem::create_directories(directory);
    write_file(directory + "/workflow.yaml", text);
  }
  static std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  Process teamster(const Words& words) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_, TEAMSTER_BINARY};
    start.command.insert(start.command.end(), words.begin(), words.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
    return Process(start);
  }
  // Status of each, by workflow.
  std::map<std::string, Words> statuses() const {
    std::map<std::string, Words> found;
    const Json runs = home_.ok({"status", "--all"})["runs"];
    for (const auto& run : runs) found[run["workflow"]].push_back(run["status"]);
    return found;
  }
  std::string run_of(const std::string& workflow) const {
    const Json runs = home_.ok({"status", "--all"})["runs"];
    std::string name;
    for (const auto& run : runs)
      if (run["workflow"] == workflow) name = run["run"];
    return name;
  }
  // What the owner of a run that stands is asked; empty while no run does.
  std::string parked_question() const {
    const Outcome inbox = home_.run({"inbox", "--json"});
    if (inbox.exit != 0) return {};
    for (const auto& question : inbox.json["questions"])
      if (question["step"].get<std::string>().ends_with("/stuck")) return question["text"];
    return {};
  }
  std::string why_it_stands(const std::string& workflow) const {
    Process parked = teamster({"run", workflow, "--no-wait"});
    EXPECT_EQ(parked.wait(), 4) << parked.err();
    std::string why = parked_question();
    EXPECT_EQ(home_.ok({"cancel", run_of(workflow)})["status"], "cancelled");
    return why;
  }
  // Until this many sub-runs have been begun, and the last one waits for a person.
  bool waits(std::size_t sub_runs) const {
    return eventually([&] {
      const Outcome inbox = home_.run({"inbox", "--json"});
      if (inbox.exit != 0 || statuses()["inner"].size() != sub_runs) return false;
      return statuses()["inner"].back() == "waiting";
    });
  }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
};

TEST_F(SubRuns, CancellingTheParentCancelsTheOneThatIsUnderWay) {
  Process engine = teamster({"run", "outer"});
  ASSERT_TRUE(waits(1)) << engine.err();
  EXPECT_EQ(home_.ok({"cancel", run_of("outer")})["status"], "cancelled");
  EXPECT_EQ(statuses()["inner"], Words{"cancelled"}) << "and it was waited for";
  EXPECT_EQ(engine.wait(), 1) << engine.err();
}

TEST_F(SubRuns, CancellingAParentThatNobodyDrivesCancelsItToo) {
  Process engine = teamster({"run", "outer"});
  ASSERT_TRUE(waits(1)) << engine.err();
  engine.kill(SIGKILL);
  ASSERT_TRUE(engine.wait());
  ASSERT_TRUE(eventually([&] { return statuses()["inner"] == Words{"interrupted"}; })) << "it went with its parent";
  EXPECT_EQ(home_.ok({"cancel", run_of("outer")})["status"], "cancelled");
  EXPECT_EQ(statuses()["inner"], Words{"cancelled"});
}

TEST_F(SubRuns, OneWithoutAKeyIsTakenUpAfterACrashAndNotStartedAnew) {
  Process engine = teamster({"run", "outer"});
  ASSERT_TRUE(waits(1)) << engine.err();
  const std::string first = run_of("inner");
  engine.kill(SIGKILL);
  ASSERT_TRUE(engine.wait());
  ASSERT_TRUE(eventually([&] { return statuses()["inner"] == Words{"interrupted"}; }));
  Process resumed = teamster({"resume", run_of("outer")});
  ASSERT_TRUE(waits(1)) << resumed.err();
  EXPECT_EQ(run_of("inner"), first);
  EXPECT_EQ(home_.ok({"approve", first + "/approve.1"})["recorded"], true);
  ASSERT_TRUE(waits(2)) << "the next item has one of its own";
  EXPECT_EQ(home_.ok({"approve", run_of("inner") + "/approve.1"})["recorded"], true);
  EXPECT_EQ(resumed.wait(), 0) << resumed.err();
  EXPECT_EQ(statuses()["inner"], (Words{"done", "done"}));
}

constexpr const char* kHostileWords = "x; touch stolen $(touch stolen)";

// A run whose first step has an answer in words that a shell would obey, and hands them to another.
constexpr const char* kHanding = R"(
name: handing
about: Hands on what it was told.
phases:
  - id: look
    kind: check
    command: 'cat words'
    on: [ { when: { passed: false }, fail: 'there are no words' } ]
  - { id: hand, kind: workflow, workflow: taking, with: { name: '{{look/output}}' } }
)";

constexpr const char* kTaking = R"(
name: taking
args:
  name: { about: whatever }
phases:
  - id: write
    kind: check
    command: 'printf %s "$NAME" > got'
    inputs: { NAME: args/name }
    on: [ { when: { passed: false }, fail: 'it cannot be written' } ]
)";

TEST_F(SubRuns, WordsOfOneRunAreNoCommandOfAnother) {
  add("handing", kHanding);
  add("taking", kTaking);
  write_file(project_ + "/words", kHostileWords);
  Process handed = teamster({"run", "handing"});
  EXPECT_EQ(handed.wait(), 0) << handed.err();
  EXPECT_EQ(read_file(project_ + "/got"), kHostileWords) << "as they are, and as nothing else";
  EXPECT_FALSE(std::filesystem::exists(project_ + "/stolen"));

  add("taking", changed(kTaking, "'printf %s \"$NAME\" > got'", "'echo {{args/name}} > got'"));
  EXPECT_NE(why_it_stands("handing").find("args/name can hold syntax of a shell"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(project_ + "/stolen"));
}

TEST_F(SubRuns, WordsThatAreHandedOnMustFitThePattern) {
  add("handing", kHanding);
  std::string taking = changed(kTaking, "{ about: whatever }", "{ pattern: '[a-z]+' }");
  taking = changed(taking, "'printf %s \"$NAME\" > got'", "'echo {{args/name}} > got'");
  add("taking", changed(taking, "    inputs: { NAME: args/name }\n", ""));
  write_file(project_ + "/words", "fine");
  Process handed = teamster({"run", "handing"});
  EXPECT_EQ(handed.wait(), 0) << handed.err();
  EXPECT_EQ(read_file(project_ + "/got"), "fine\n");
  for (const std::string words : {kHostileWords, "fine\ntouch stolen"}) {
    write_file(project_ + "/words", words);
    EXPECT_NE(why_it_stands("handing").find("name cannot be"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(project_ + "/stolen"));
  }
}

TEST_F(SubRuns, OneThatIsBlockedIsNamed) {
  Process engine = teamster({"run", "outer", "--json"});
  ASSERT_TRUE(waits(1)) << engine.err();
  const std::string inner = run_of("inner");
  EXPECT_EQ(home_.ok({"reject", inner + "/approve.1", "not like this"})["recorded"], true);
  std::string asked;
  ASSERT_TRUE(eventually([&] {
    asked = parked_question();
    return !asked.empty();
  }));
  EXPECT_NE(asked.find("run " + inner + " is blocked: approve: no"), std::string::npos) << asked;
  EXPECT_EQ(home_.ok({"answer", run_of("outer") + "/each/1/stuck.1", "abort"})["recorded"], true);
  EXPECT_EQ(engine.wait(), 1) << engine.err();
}

}  // namespace
}  // namespace teamster::e2e
