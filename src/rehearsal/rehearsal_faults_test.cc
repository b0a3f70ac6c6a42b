// Faults that wait for their place, over several engines. Whoever is struck here is a number that no process has.
#include "rehearsal/rehearsal_faults.h"

#include <gtest/gtest.h>

#include "env/files.h"
#include "env/sim/sim_world.h"

namespace teamster::cli {
namespace {

// Above all that Linux gives.
constexpr std::int64_t kNobodysPid = 2'000'000'000;

class RehearsalFaultsTest : public testing::Test {
 protected:
  RehearsalFaultsTest() { EXPECT_TRUE(files().make_private_directory("/home/rehearsal")); }
  env::Files& files() { return host_.view().files; }
  FaultRecord record() { return {files(), "/home/rehearsal"}; }
  void save(const std::vector<std::string>& texts) { EXPECT_TRUE(record().save(faults(texts))); }
  static std::vector<StagedFault> faults(const std::vector<std::string>& texts) {
    std::vector<StagedFault> parsed;
    for (const auto& text : texts) parsed.push_back(*StagedFault::parse(text));
    return parsed;
  }
  // Another process than the one before.
  RehearsalFaults engine(const std::vector<std::string>& own = {}) {
    return {faults(own),
            record(),
            host_.view().loop,
            {.pid_of = [this](const std::string&) { return pid_; },
             .say = [this](const std::string& line) { said_ += line + "\n"; }}};
  }
  std::string never_struck() {
    std::string texts;
    for (const auto& fault : record().never_struck()) texts += fault.text() + "\n";
    return texts;
  }

  env::sim::World world_{1};
  env::sim::Host& host_ = world_.start("engine");
  std::int64_t pid_ = kNobodysPid;
  std::string said_;
};

TEST_F(RehearsalFaultsTest, TheRunIsNamedBeforeItHasAName) {
  save({"kill engine@run.team_gone:end-team-RUN.1:after"});
  auto first = engine();
  first.at_point({"run.team_gone", "end-RUN", 1, true, "haiku-20261116-1a2b"});
  first.at_point({"run.team_gone", "end-haiku-20261116-1a2b", 1, true, "haiku-20261116-1a2b"});
  EXPECT_NE(never_struck(), "");
  first.at_point({"run.team_gone", "end-team-haiku-20261116-1a2b", 1, true, "haiku-20261116-1a2b"});
  EXPECT_EQ(never_struck(), "");
}

TEST_F(RehearsalFaultsTest, EachStrikesOnceOverAllEngines) {
  save({"kill engine@step.done:a.1:after", "kill engine@step.done:b.1:after", "crash builder@c"});
  engine().at_point({"step.done", "a", 1, true});
  EXPECT_EQ(said_, "fault: engine is struck at step.done:a.1:after\n");
  EXPECT_EQ(never_struck(), "kill engine@step.done:b.1:after\ncrash builder@c\n");
  auto second = engine();
  second.at_point({"step.done", "a", 1, true});
  second.at_point({"step.done", "b", 1, true});
  second.at_point({"step.done", "b", 1, true});
  second.at_turn("tester", "c.1", pid_);
  second.at_turn("builder", "c.2", pid_);
  EXPECT_EQ(never_struck(), "crash builder@c\n");
  second.at_turn("builder", "c.1", pid_);
  second.at_turn("builder", "c.1", pid_);
  EXPECT_EQ(never_struck(), "");
  EXPECT_EQ(said_,
            "fault: engine is struck at step.done:a.1:after\nfault: engine is struck at step.done:b.1:after\n"
            "fault: builder is struck at c\n");
}

TEST_F(RehearsalFaultsTest, OfTwoEnginesAtOnceOneStrikes) {
  save({"kill hub@run.started:after"});
  auto one = engine();
  auto other = engine();
  one.at_point({"run.started", "", 0, true});
  other.at_point({"run.started", "", 0, true});
  EXPECT_EQ(said_, "fault: hub is struck at run.started:after\n");
}

TEST_F(RehearsalFaultsTest, WhoFindsNobodyHasNotStruck) {
  save({"kill builder@step.done:a.1:after"});
  pid_ = 0;
  auto engine_now = engine();
  engine_now.at_point({"step.done", "a", 1, true});
  EXPECT_EQ(said_, "fault: there is no builder at step.done:a.1:after\n");
  EXPECT_EQ(never_struck(), "kill builder@step.done:a.1:after\n");
}

TEST_F(RehearsalFaultsTest, ThoseOfOneEngineNeedNoRecord) {
  auto alone = engine({"crash builder@fix.1", "crash builder@fix.1"});
  for (int time = 0; time < 3; ++time) alone.at_turn("builder", "fix.1", pid_);
  EXPECT_EQ(said_, "fault: builder is struck at fix.1\nfault: builder is struck at fix.1\n");
  EXPECT_EQ(never_struck(), "");
}

TEST_F(RehearsalFaultsTest, ARecordThatIsNoneHasNoFaults) {
  for (const char* text : {"", "{}", "[1]", "[\"burn\"]", "[\"crash a@b\", 1]"}) {
    ASSERT_TRUE(files().replace("/home/rehearsal/faults.json", text, 0600));
    EXPECT_TRUE(record().load().empty()) << text;
  }
}

}  // namespace
}  // namespace teamster::cli
