#include "workflow/core/run_answers.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

TEST(RunAnswers, OneSignalForMany) {
  EXPECT_EQ(joined_signal({}), "");
  EXPECT_EQ(joined_signal({"PASS|gaps:0|tier:COMPLEX"}), "PASS|gaps:0|tier:COMPLEX");
  EXPECT_EQ(joined_signal({"PASS|gaps:0|tier:A", "PASS|gaps:2|tier:A"}), "PASS|parts:2|gaps:2|tier:A");
  EXPECT_EQ(joined_signal({"PASS|gaps:0|tier:A", "FAIL|gaps:2|tier:B", "PASS"}), "FAIL|parts:3|gaps:2");
  EXPECT_EQ(joined_signal({"PASS", "BLOCKED|tool:x", "FAIL"}), "BLOCKED|parts:3") << "the worst of them";
  std::vector<std::string> many(50, "PASS|" + std::string(120, 'a') + ":1|" + std::string(120, 'b') + ":1");
  EXPECT_LE(joined_signal(many).size(), 200U);
}

Pinned pinned_stages() {
  Phase first = agent_phase("plan", "planner");
  first.stage = "P0";
  Phase second = agent_phase("look", "planner");
  second.stage = "P0";
  Way back;
  back.target = "plan";
  second.on = {back};
  Phase third = fanout({"a", "b"}, 0);
  third.stage = "P1";
  return pinned_items({first, second, third});
}

TEST(RunAnswers, TheLatestOfAStageCounts) {
  Pinned pinned = pinned_stages();
  pinned.workflow.phases[1].on.clear();
  RunForTest run(pinned);
  run.start();
  EXPECT_TRUE(signals_of(pinned, run.state).is_null());
  EXPECT_TRUE(insights_of(pinned, run.state).is_null());
  run.done("plan", Json::parse(R"({"signal":"PASS|reqs:2","insights":["it is small"],"claims":["C1","C2"]})"));
  EXPECT_EQ(signals_of(pinned, run.state), Json::parse(R"({"p0":"PASS|reqs:2"})"));
  run.done("look", Json::parse(R"({"signal":"FAIL|gaps:1","insights":["it is small","it is old"]})"));
  EXPECT_EQ(signals_of(pinned, run.state), Json::parse(R"({"p0":"FAIL|gaps:1"})"));
  run.serve();
  run.done("research/1", Json::parse(R"({"signal":"PASS|gaps:0","insights":["a"],"verdicts":["C1"]})"));
  EXPECT_EQ(signals_of(pinned, run.state)["p1"], "PASS|gaps:0") << "while the other works";
  EXPECT_EQ(insights_of(pinned, run.state), Json::parse(R"({"p0":["it is small","it is old"],"p1":["a"]})"));
  using Claims = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(unchecked_claims(pinned, run.state), (Claims{{"C2", "plan"}}));
  run.done("research/2", Json::parse(R"({"signal":"PASS|gaps:1"})"));
  run.serve();
  EXPECT_EQ(signals_of(pinned, run.state)["p1"], "PASS|parts:2|gaps:1");
}

TEST(RunAnswers, AnEarlierPhaseThatIsDoneAgainIsTheLatest) {
  Pinned pinned = pinned_stages();
  RunForTest run(pinned);
  run.start();
  run.done("plan", Json::parse(R"({"signal":"PASS|round:1"})"));
  run.done("look", Json::parse(R"({"signal":"FAIL"})"));
  run.done("plan", Json::parse(R"({"signal":"PASS|round:2"})"));
  EXPECT_EQ(signals_of(pinned, run.state), Json::parse(R"({"p0":"PASS|round:2"})"));
}

}  // namespace
}  // namespace teamster::workflow
