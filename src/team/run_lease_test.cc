#include "team/run_lease.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "protocol/words/process_record.h"
#include "team/rules_for_test.h"

namespace teamster::team {
namespace {

constexpr const char* kLeasedRun = "spec-20261116-1a2b";

// A run held by one process, and another process that wants it.
class RunLeaseTest : public testing::Test {
 protected:
  RunLeaseTest() : first_(rules_.world().start("first")), second_(rules_.world().start("second")) {
    EXPECT_TRUE(rules_.call("run.start",
                            {{"run", kLeasedRun}, {"workflow", "spec"}, {"holder", holder(first_)}, {"seconds", 60}}));
  }
  ~RunLeaseTest() override { EXPECT_TRUE(rules_.store().check(true)->empty()); }

  static Json holder(env::sim::Host& host) {
    const auto self = host.view().processes.self();
    return holder_argument(self);
  }
  Result<Json> lease(env::sim::Host& host, std::int64_t seconds = 60) {
    return rules_.call("run.lease", {{"run", kLeasedRun}, {"holder", holder(host)}, {"seconds", seconds}});
  }
  Result<Json> append(std::int64_t lease, std::int64_t after) {
    return rules_.call("run.append", {{"run", kLeasedRun},
                                      {"lease", lease},
                                      {"after", after},
                                      {"records", Json::parse(R"([{"kind":"step.done","body":{}}])")}});
  }
  std::int64_t last() { return rules_.call("run.get", {{"run", kLeasedRun}})->at("n").get<std::int64_t>(); }

  Rules rules_;
  env::sim::Host& first_;
  env::sim::Host& second_;
};

TEST_F(RunLeaseTest, ALivingHolderKeepsIt) {
  const auto refused = lease(second_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  const std::string pid = std::to_string(first_.view().processes.self().pid);
  EXPECT_NE(refused.error().what.find("is held by process " + pid), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().next.find("end process " + pid), std::string::npos) << refused.error().next;
  EXPECT_TRUE(append(1, 1));
}

TEST_F(RunLeaseTest, ADeadHolderIsTakenOverAtOnce) {
  rules_.world().kill(first_);
  const Json granted = *lease(second_);
  EXPECT_EQ(granted, Json::parse(R"({"lease":2,"n":2})"));
  const auto stale = append(1, 2);
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, Code::refused);
  EXPECT_NE(stale.error().what.find("lease 1 of run spec-20261116-1a2b is over: the newest is 2"), std::string::npos)
      << stale.error().what;
  EXPECT_TRUE(append(2, 2));
  const Json leased = rules_.call("run.events", {{"run", kLeasedRun}, {"after", 1}})->at("events")[0];
  EXPECT_EQ(leased["kind"], "run.leased");
  EXPECT_NE(leased["body"]["why"].get<std::string>().find("is gone"), std::string::npos);
}

TEST_F(RunLeaseTest, AHolderOfAnEarlierBootIsDead) {
  Json earlier = holder(first_);
  earlier["boot"] = "an-earlier-boot";
  const char* other = "spec-20261115-0000";
  ASSERT_TRUE(rules_.call("run.start", {{"run", other}, {"workflow", "spec"}, {"holder", earlier}}));
  EXPECT_TRUE(rules_.call("run.lease", {{"run", other}, {"holder", holder(second_)}}))
      << "whatever process has that pid now";
}

TEST_F(RunLeaseTest, AHolderOfAnotherContainerOrMachineKeepsItForItsTime) {
  const Json of_container = {{"pid_namespace", 4026532000}};
  const Json of_machine = {{"machine", "another"}, {"boot", "its-boot"}};
  int number = 0;
  for (const Json& place : {of_container, of_machine}) {
    const std::string run = "spec-20261115-000" + std::to_string(number++);
    Json elsewhere = holder(first_);
    elsewhere.update(place);
    ASSERT_TRUE(rules_.call("run.start", {{"run", run}, {"workflow", "spec"}, {"holder", elsewhere}, {"seconds", 60}}));
    EXPECT_EQ(rules_.call("run.get", {{"run", run}})->at("holder").at("alive"), true);
    const Json wanted = {{"run", run}, {"holder", holder(second_)}, {"seconds", 60}};
    const auto refused = rules_.call("run.lease", wanted);
    ASSERT_FALSE(refused) << "that it cannot be seen does not make it dead: " << place;
    EXPECT_NE(refused.error().what.find("of another machine or container"), std::string::npos) << refused.error().what;
    EXPECT_NE(refused.error().next.find("wait until its time is up"), std::string::npos) << refused.error().next;
    rules_.pass(60'000);
    EXPECT_EQ(rules_.call("run.get", {{"run", run}})->at("holder").at("alive"), false);
    EXPECT_TRUE(rules_.call("run.lease", wanted));
  }
}

TEST_F(RunLeaseTest, AHolderWithoutASignOfLifeLosesItInTime) {
  rules_.pass(59'999);
  EXPECT_FALSE(lease(second_));
  rules_.pass(1);
  EXPECT_TRUE(append(1, 1)) << "late, but nobody has taken it: and that is a sign of life";
  EXPECT_FALSE(lease(second_));
  rules_.pass(60'000);
  EXPECT_EQ(lease(second_)->at("lease"), 2);
  EXPECT_FALSE(append(1, last()));
  EXPECT_FALSE(lease(first_)) << "the other lives";
}

TEST_F(RunLeaseTest, TheSameProcessMayAskAgain) {
  EXPECT_EQ(lease(first_)->at("lease"), 2);
  EXPECT_FALSE(append(1, last())) << "its own older lease is over, too";
  EXPECT_TRUE(append(2, last()));
}

TEST_F(RunLeaseTest, ReleasedMeansFree) {
  const Json lease_1 = {{"run", kLeasedRun}, {"lease", 1}};
  ASSERT_TRUE(rules_.call("run.release", lease_1));
  EXPECT_EQ(rules_.call("run.get", {{"run", kLeasedRun}})->at("holder"), nullptr);
  EXPECT_EQ(append(1, last()).error().code, Code::refused);
  EXPECT_EQ(rules_.call("run.release", lease_1).error().code, Code::refused);
  EXPECT_EQ(rules_.call("run.renew", lease_1).error().code, Code::refused);
  EXPECT_EQ(lease(second_)->at("lease"), 2);
}

TEST_F(RunLeaseTest, ARenewalIsRecordedOnlyWhenItMatters) {
  const Json args = {{"run", kLeasedRun}, {"lease", 1}, {"seconds", 60}};
  rules_.pass(20'000);
  ASSERT_TRUE(rules_.call("run.renew", args));
  EXPECT_EQ(last(), 1);
  rules_.pass(20'000);
  ASSERT_TRUE(rules_.call("run.renew", args));
  EXPECT_EQ(last(), 2);
  rules_.pass(59'000);
  EXPECT_FALSE(lease(second_));
  EXPECT_TRUE(append(1, 1)) << "a renewal is no record that a writer could miss";
  Json longer = args;
  longer["seconds"] = 6000;
  ASSERT_TRUE(rules_.call("run.renew", longer));
  rules_.pass(5'999'000);
  EXPECT_FALSE(lease(second_));
}

TEST_F(RunLeaseTest, ALeaseThatWasNeverGrantedIsRefused) {
  for (const std::int64_t number : {std::int64_t{2}, std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(append(number, 1).error().code, Code::refused);
    EXPECT_EQ(rules_.call("run.renew", {{"run", kLeasedRun}, {"lease", number}}).error().code, Code::refused);
  }
  EXPECT_EQ(rules_.call("run.renew", {{"run", kLeasedRun}, {"lease", "1"}}).error().code, Code::invalid);
  for (const Json& seconds : {Json(0), Json(-1), Json(86'401), Json("x"), Json(INT64_MAX)})
    EXPECT_EQ(
        rules_.call("run.lease", {{"run", kLeasedRun}, {"holder", holder(first_)}, {"seconds", seconds}}).error().code,
        Code::invalid);
  EXPECT_EQ(last(), 1);
}

TEST_F(RunLeaseTest, AnEndedRunHasNoLease) {
  ASSERT_TRUE(
      rules_.call("run.append", {{"run", kLeasedRun},
                                 {"lease", 1},
                                 {"after", 1},
                                 {"records", Json::parse(R"([{"kind":"run.ended","body":{"status":"done"}}])")}}));
  EXPECT_EQ(lease(first_).error().code, Code::refused);
  EXPECT_EQ(rules_.call("run.renew", {{"run", kLeasedRun}, {"lease", 1}}).error().code, Code::refused);
}

}  // namespace
}  // namespace teamster::team
