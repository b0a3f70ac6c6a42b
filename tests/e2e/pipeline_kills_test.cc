// The pipeline, killed: a COMPLEX change is played once to see its journal, then again with its engine killed at each
// kind of event in each phase and at a sample of the rest, several times in one play, and with hub, keeper and members
// killed in between. Each play must come to the same commits, with no step settled twice; what is rebuilt comes from
// the journal and the permanent task.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "e2e/pipeline_rehearsal.h"

namespace teamster::e2e {
namespace {

class PipelineKills : public PipelineRehearsal {
 protected:
  static constexpr std::size_t kFaultsAtOnce = 12;

  // "step.done:plan/1.1:after": the first of each kind in each phase, before and after; of the rest every fifth.
  std::vector<std::string> points() {
    std::vector<std::string> found;
    std::set<std::string> seen;
    std::size_t others = 0;
    const std::string run = played_.json["run"];
    for (const auto& event : events()) {
      const std::string kind = event["kind"];
      const Json& body = event["body"];
      if (!body.contains("step") || !body.contains("attempt")) continue;
      std::string step = body["step"];
      if (const std::size_t name = step.find(run); name != std::string::npos) step.replace(name, run.size(), "RUN");
      const std::string phase = step.substr(0, step.find('/'));
      // What is done for a task or a merge is another kind of event than an answer.
      const std::string end = step.find('/') == std::string::npos ? "" : step.substr(step.rfind('/') + 1);
      const std::string part =
          std::any_of(end.begin(), end.end(), [](char c) { return c >= 'a' && c <= 'z'; }) ? end : "";
      const std::string point = fmt::format("{}:{}.{}", kind, step, body["attempt"].get<int>());
      const bool is_first = seen.insert(kind + phase + part).second;
      if (is_first || ++others % 5 == 0) found.push_back(point + ":after");
      if (is_first) found.push_back(point + ":before");
    }
    return found;
  }
  // A member that is not needed any more has the time until the run ends to go.
  static bool may_not_come(const std::string& fault) { return fault.find("/retire.") != std::string::npos; }
  std::string subjects() const { return git("log --format=%s"); }
  // Each attempt of each step ends once.
  void expect_each_settled_once() {
    std::map<std::string, int> ends;
    for (const auto& event : events())
      if (event["kind"] == "step.done" || event["kind"] == "step.failed")
        ++ends[fmt::format("{}.{}", event["body"]["step"].get<std::string>(), event["body"]["attempt"].get<int>())];
    for (const auto& [id, count] : ends) EXPECT_EQ(count, 1) << id;
    EXPECT_EQ(look({"replay", played_.json["run"].get<std::string>()}).exit, 0);
  }
};

TEST_F(PipelineKills, ComesToTheSameEndWhereverItsEngineIsKilled) {
  ASSERT_EQ(play(kComplexTask).exit, 0) << played_;
  const auto all = points();
  ASSERT_GT(all.size(), 100U) << "each kind of event in each phase";
  std::size_t at = 0;
  while (at < all.size()) {
    Words faults;
    for (std::size_t i = 0; i < kFaultsAtOnce && at < all.size(); ++i, ++at) {
      faults.push_back("--fault");
      faults.push_back(fmt::format("kill engine@{}", all[at]));
    }
    const Outcome killed = play(kComplexTask, faults);
    ASSERT_EQ(killed.exit, killed.json["never_struck"].empty() ? 0 : 1) << killed;
    for (const auto& fault : killed.json["never_struck"]) EXPECT_TRUE(may_not_come(fault)) << killed;
    EXPECT_EQ(ask({"status", killed.json["run"]})["status"], "done") << killed;
    expect_each_settled_once();
    const std::string log = subjects();
    for (const char* subject : {"count: characters (T1)", "format: JSON (T2)", "tally: write JSON (T3)",
                                "ci: run the tests (T4)", "deliver: tally"}) {
      const std::size_t first = log.find(subject);
      ASSERT_NE(first, std::string::npos) << subject << "\n" << log;
      EXPECT_EQ(log.find(subject, first + 1), std::string::npos) << "once: " << subject;
    }
    const Json task = permanent_task();
    EXPECT_EQ(task["tier"], "COMPLEX");
    EXPECT_EQ(task["delivery_commit"], git("rev-parse HEAD"));
  }
}

TEST_F(PipelineKills, HubKeeperAndMembersToo) {
  const Outcome killed =
      play(kComplexTask,
           {"--fault", "kill hub@step.done:architecture.1:before", "--fault", "kill hub@step.done:research/3.1:after",
            "--fault", "kill keeper@step.done:plan/2.1:after", "--fault", "crash analyst@review.1", "--fault",
            "kill hub@step.done:execute/1.1:before", "--fault", "kill engine@run.ended:before"});
  ASSERT_EQ(killed.exit, 0) << killed;
  expect_each_settled_once();
  EXPECT_EQ(permanent_task()["delivery_commit"], git("rev-parse HEAD"));
}

}  // namespace
}  // namespace teamster::e2e
