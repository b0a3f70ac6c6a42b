// Runs that start others, when they are cancelled or killed: real processes, with a person who is asked in the
// middle.
#include <filesystem>
#include <map>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

// Without a key: nothing but the step that started it tells one run of it from another.
constexpr const char* kInner = R"(
name: inner
about: Asks.
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
)";

constexpr const char* kOuter = R"(
name: outer
about: Lets another ask, twice.
phases:
  - id: each
    kind: workflow
    workflow: inner
    each: [first, second]
)";

class SubRuns : public testing::Test {
 protected:
  SubRuns() {
    for (const auto& [name, text] : std::map<std::string, std::string>{{"inner", kInner}, {"outer", kOuter}}) {
      const std::string directory = project_ + "/.teamster/workflows/" + name;
      std::filesystem::create_directories(directory);
      write_file(directory + "/workflow.yaml", text);
    }
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

TEST_F(SubRuns, OneThatIsBlockedIsNamed) {
  Process engine = teamster({"run", "outer", "--json"});
  ASSERT_TRUE(waits(1)) << engine.err();
  const std::string inner = run_of("inner");
  EXPECT_EQ(home_.ok({"reject", inner + "/approve.1", "not like this"})["recorded"], true);
  EXPECT_EQ(engine.wait(), 1) << engine.err();
  const std::string reason = Json::parse(engine.out())["reason"];
  EXPECT_NE(reason.find("run " + inner + " is blocked: approve: not approved"), std::string::npos) << reason;
}

}  // namespace
}  // namespace teamster::e2e
