// The pipeline, killed: a COMPLEX change is played once to see its journal, then again with its engine killed at each kind
// of event in each phase, several times in one play, and with hub, keeper and members killed in between. Each play must
// come to the same commits, with no step settled twice; what is rebuilt comes from the journal and the permanent task.
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

  // "step.done:plan/1.1", the first of its kind in each phase.
  std::vector<std::string> points() {
    std::vector<std::string> found;
    std::set<std::string> seen;
    for (const auto& event : events()) {
      const std::string kind = event["kind"];
      const Json& body = event["body"];
      if (!body.contains("step") || !body.contains("attempt")) continue;
      const std::string step = body["step"];
      const std::string phase = step.substr(0, step.find('/'));
      // What is done for a task or a merge is another kind of event than an answer.
      const std::string end = step.find('/') == std::string::npos ? "" : step.substr(step.rfind('/') + 1);
      const std::string part = std::any_of(end.begin(), end.end(), [](char c) { return c >= 'a' && c <= 'z'; }) ? end : "";
      if (seen.insert(kind + phase + part).second)
        found.push_back(fmt::format("{}:{}.{}", kind, step, body["attempt"].get<int>()));
    }
    return found;
  }
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
  ASSERT_GT(all.size(), 25U) << "each kind of event in each phase";
  std::size_t at = 0;
  while (at < all.size()) {
    Words faults;
    for (std::size_t i = 0; i < kFaultsAtOnce && at < all.size(); ++i, ++at) {
      faults.push_back("--fault");
      faults.push_back(fmt::format("kill engine@{}:{}", all[at], at % 2 == 0 ? "after" : "before"));
    }
    const Outcome killed = play(kComplexTask, faults);
    ASSERT_EQ(killed.exit, 0) << killed;
    EXPECT_TRUE(killed.json["never_struck"].empty()) << killed;
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
  const Outcome killed = play(
      kComplexTask, {"--fault", "kill hub@step.done:architecture.1:before", "--fault", "kill hub@step.done:research/3.1:after",
                     "--fault", "kill keeper@step.done:plan/2.1:after", "--fault", "crash analyst@review.1", "--fault",
                     "kill hub@step.done:execute/1.1:before", "--fault", "kill engine@run.ended:before"});
  ASSERT_EQ(killed.exit, 0) << killed;
  expect_each_settled_once();
  EXPECT_EQ(permanent_task()["delivery_commit"], git("rev-parse HEAD"));
}

}  // namespace
}  // namespace teamster::e2e
