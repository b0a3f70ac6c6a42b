#include "team/run.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "team/rules_for_test.h"

namespace teamster::team {
namespace {

constexpr const char* kRun = "spec-20261116-1a2b";

class RunTest : public testing::Test {
 protected:
  ~RunTest() override { EXPECT_TRUE(rules_.store().check(true)->empty()); }

  static Json holder(std::int64_t pid = 4711) { return {{"pid", pid}, {"start", 5}, {"boot", "b"}}; }
  static Json start_args(const std::string& run = kRun) {
    return {{"run", run}, {"workflow", "spec"}, {"holder", holder()}, {"body", {{"bundle", "sha"}}}};
  }
  void start() { ASSERT_TRUE(rules_.call("run.start", start_args())); }
  Result<Json> append(std::int64_t after, const Json& records, std::int64_t lease = 1) {
    return rules_.call("run.append", {{"run", kRun}, {"lease", lease}, {"after", after}, {"records", records}});
  }
  // One record of this kind.
  static Json records(const std::string& kind, const Json& body = Json::object()) {
    Json list = Json::array();
    list.push_back({{"kind", kind}, {"body", body}});
    return list;
  }
  Json events(std::int64_t after = 0) {
    return rules_.call("run.events", {{"run", kRun}, {"after", after}})->at("events");
  }
  Code code_of(const Result<Json>& result) { return result ? Code::internal : result.error().code; }

  Rules rules_;
};

TEST_F(RunTest, StartsAndIsListed) {
  EXPECT_EQ(*rules_.call("run.start", start_args()), Json::parse(R"({"run":"spec-20261116-1a2b","lease":1,"n":1})"));
  const Json run = *rules_.call("run.get", {{"run", kRun}});
  EXPECT_EQ(run["workflow"], "spec");
  EXPECT_EQ(run["key"], nullptr);
  EXPECT_EQ(run["n"], 1);
  EXPECT_EQ(run["holder"]["pid"], 4711);
  EXPECT_EQ(run["holder"]["alive"], false);
  EXPECT_EQ(run["body"], Json::parse(R"({"bundle":"sha"})"));
  EXPECT_FALSE(run.contains("status"));
  EXPECT_EQ(rules_.call("run.list", Json::object())->at("runs").size(), 1U);
  const Json first = events()[0];
  EXPECT_EQ(first["kind"], "run.started");
  EXPECT_EQ(first["n"], 1);
  EXPECT_EQ(first["body"]["body"]["bundle"], "sha");
}

TEST_F(RunTest, StartRefusesWhatIsWrong) {
  const auto with = [&](const char* field, const Json& value) {
    Json args = start_args();
    args[field] = value;
    return rules_.call("run.start", args);
  };
  EXPECT_EQ(code_of(with("run", "spec")), Code::invalid);
  EXPECT_EQ(code_of(with("run", "../spec-20261116-1a2b")), Code::invalid);
  EXPECT_EQ(code_of(with("workflow", "other")), Code::invalid);
  EXPECT_EQ(code_of(with("key", "")), Code::invalid);
  EXPECT_EQ(code_of(with("key", std::string(129, 'k'))), Code::invalid);
  EXPECT_EQ(code_of(with("holder", 5)), Code::invalid);
  EXPECT_EQ(code_of(with("holder", {{"pid", 0}, {"start", 1}, {"boot", "b"}})), Code::invalid);
  EXPECT_EQ(code_of(with("holder", {{"pid", 1}, {"start", UINT64_MAX}, {"boot", "b"}})), Code::invalid);
  EXPECT_EQ(code_of(with("holder", {{"pid", 1}, {"start", 1}, {"boot", std::string(1000, 'b')}})), Code::invalid);
  EXPECT_EQ(code_of(with("body", "text")), Code::invalid);
  EXPECT_EQ(code_of(with("body", {{"text", std::string(limits::kRunRecordMaxBytes, 'x')}})), Code::invalid);
  EXPECT_EQ(code_of(with("seconds", 0)), Code::invalid);
  EXPECT_EQ(code_of(with("seconds", 1'000'000)), Code::invalid);
  EXPECT_TRUE(rules_.call("run.list", {{"all", true}})->at("runs").empty());
  start();
  EXPECT_EQ(code_of(rules_.call("run.start", start_args())), Code::refused) << "the name is taken";
}

TEST_F(RunTest, OneRunOfAWorkflowAndKeyAtATime) {
  Json args = start_args();
  args["key"] = "01";
  ASSERT_TRUE(rules_.call("run.start", args));
  args["run"] = "spec-20261116-ffff";
  const auto refused = rules_.call("run.start", args);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  EXPECT_NE(refused.error().what.find(kRun), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().next.find("teamster resume spec-20261116-1a2b"), std::string::npos);
  args["key"] = "02";
  EXPECT_TRUE(rules_.call("run.start", args)) << "another key does not matter";
  ASSERT_TRUE(append(1, records("run.ended", {{"status", "done"}})));
  args["run"] = "spec-20261116-eeee";
  args["key"] = "01";
  EXPECT_TRUE(rules_.call("run.start", args)) << "it has ended";
}

TEST_F(RunTest, AppendsInOrder) {
  start();
  Json three = Json::array();
  for (int i = 0; i < 3; ++i) three.push_back({{"kind", "step.done"}, {"body", {{"i", i}}}});
  EXPECT_EQ(append(1, three)->at("n"), 4);
  EXPECT_EQ(append(4, Json::parse(R"([{"kind":"timer.fired_late"}])"))->at("n"), 5);
  const Json read = events(1);
  ASSERT_EQ(read.size(), 4U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read[static_cast<std::size_t>(i)]["body"]["i"], i);
  EXPECT_EQ(read[3]["body"], Json::object());
  EXPECT_EQ(read[3]["n"], 5);
}

TEST_F(RunTest, AppendRefusesAWriterThatMissedSomething) {
  start();
  ASSERT_TRUE(append(1, records("step.done")));
  const auto behind = append(1, records("step.done"));
  ASSERT_FALSE(behind);
  EXPECT_EQ(behind.error().code, Code::refused);
  EXPECT_EQ(behind.error().what, "run spec-20261116-1a2b goes on after record 1, up to 2");
  EXPECT_EQ(code_of(append(3, records("step.done"))), Code::refused);
  EXPECT_EQ(code_of(append(-1, records("step.done"))), Code::refused);
  EXPECT_EQ(events().size(), 2U);
}

TEST_F(RunTest, WhatIsToldLiesBetweenRecords) {
  start();
  EXPECT_EQ(rules_.call("run.tell", {{"run", kRun}, {"what", "cancel"}, {"body", {{"by", "me"}}}})->at("n"), 2);
  EXPECT_EQ(append(1, records("step.done"))->at("n"), 3) << "the writer has not read it yet";
  EXPECT_EQ(append(3, records("step.done"))->at("n"), 4);
  EXPECT_EQ(code_of(append(2, records("step.done"))), Code::refused) << "own records may not be missed";
  EXPECT_EQ(events(1)[0]["body"], Json::parse(R"({"what":"cancel","body":{"by":"me"}})"));
  for (const Json& what : {Json(""), Json("Cancel"), Json("can cel"), Json(std::string(65, 'x')), Json(1)})
    EXPECT_EQ(code_of(rules_.call("run.tell", {{"run", kRun}, {"what", what}})), Code::invalid) << what;
  EXPECT_EQ(code_of(rules_.call("run.tell", {{"run", kRun}, {"what", "answer"}, {"body", 7}})), Code::invalid);
}

TEST_F(RunTest, KindsAreTheEnginesOwn) {
  start();
  for (const char* kind : {"", "step", "step.", ".done", "step..done", "Step.done", "st_ep.done", "step.done2",
                           "step.done ", "step.d\n", "\xff.x"})
    EXPECT_EQ(code_of(append(1, records(kind))), Code::invalid) << kind;
  for (const char* kind : {"run.started", "run.leased", "run.renewed", "run.released", "run.told", "message.sent",
                           "task.anything", "team.deleted", "member.left", "history.removed", "stale.refused"})
    EXPECT_EQ(code_of(append(1, records(kind))), Code::invalid) << kind;
  EXPECT_EQ(code_of(append(1, records("a." + std::string(63, 'b')))), Code::invalid);
  EXPECT_TRUE(append(1, records("a." + std::string(62, 'b'))));
  EXPECT_TRUE(append(2, records("run.paused.for_a_person")));
}

TEST_F(RunTest, AnAppendIsAllOrNothing) {
  start();
  EXPECT_EQ(code_of(append(1, Json::parse(R"([{"kind":"step.done"},{"kind":"BAD"}])"))), Code::invalid);
  EXPECT_EQ(code_of(append(1, Json::parse(R"([{"kind":"step.done"},7])"))), Code::invalid);
  EXPECT_EQ(code_of(append(1, Json::parse(R"([{"kind":"step.done","body":[]}])"))), Code::invalid);
  EXPECT_EQ(code_of(append(1, Json::array())), Code::invalid);
  EXPECT_EQ(code_of(append(1, Json::object())), Code::invalid);
  Json many = Json::array();
  for (int i = 0; i < 10'000; ++i) many.push_back({{"kind", "step.done"}});
  EXPECT_EQ(code_of(append(1, many)), Code::invalid);
  EXPECT_EQ(code_of(append(1, records("step.done", {{"text", std::string(limits::kRunRecordMaxBytes, 'x')}}))),
            Code::invalid);
  EXPECT_EQ(events().size(), 1U);
  many.erase(many.begin() + limits::kRunRecordsPerAppendMax, many.end());
  EXPECT_EQ(append(1, many)->at("n"), 1 + limits::kRunRecordsPerAppendMax);
}

TEST_F(RunTest, EndsWithAStatus) {
  start();
  for (const Json& body :
       {Json::object(), Json({{"status", 1}}), Json({{"status", ""}}), Json({{"status", std::string(65, 's')}})})
    EXPECT_EQ(code_of(append(1, records("run.ended", body))), Code::invalid) << body;
  EXPECT_EQ(code_of(append(1, Json::parse(R"([{"kind":"run.ended","body":{"status":"x"}},{"kind":"step.done"}])"))),
            Code::invalid);
  ASSERT_TRUE(append(1, records("run.ended", {{"status", "done"}, {"phases", 3}})));
  const Json run = *rules_.call("run.get", {{"run", kRun}});
  EXPECT_EQ(run["status"], "done");
  EXPECT_EQ(run["holder"], nullptr);
  EXPECT_TRUE(run.contains("ended"));
  EXPECT_EQ(events(1)[0]["body"]["phases"], 3) << "the record is kept whole";
  EXPECT_TRUE(rules_.call("run.list", Json::object())->at("runs").empty());
  EXPECT_EQ(rules_.call("run.list", {{"all", true}})->at("runs")[0]["status"], "done");
  const auto refused = append(2, records("step.done"));
  EXPECT_EQ(code_of(refused), Code::refused);
  EXPECT_EQ(refused.error().what, "run spec-20261116-1a2b has ended: done");
  EXPECT_EQ(code_of(rules_.call("run.tell", {{"run", kRun}, {"what", "cancel"}})), Code::refused);
}

TEST_F(RunTest, ReadingWaitsOnlyWhileTheRunGoesOn) {
  start();
  ASSERT_TRUE(rules_.call("run.events", {{"run", kRun}, {"after", 1}}));
  EXPECT_TRUE(rules_.would_wait);
  ASSERT_TRUE(append(1, records("run.ended", {{"status", "done"}})));
  const Json read = *rules_.call("run.events", {{"run", kRun}, {"after", 1}});
  EXPECT_FALSE(rules_.would_wait);
  EXPECT_EQ(read["ended"], true);
  EXPECT_EQ(read["more"], false);
  ASSERT_TRUE(rules_.call("run.events", {{"run", kRun}, {"after", 2}}));
  EXPECT_FALSE(rules_.would_wait) << "nothing will come any more";
}

TEST_F(RunTest, ReadsInPagesOfRowsAndBytes) {
  start();
  for (int i = 1; i <= 5; ++i) ASSERT_TRUE(append(i, records("step.done", {{"text", std::string(600'000, 'x')}})));
  Json read = *rules_.call("run.events", {{"run", kRun}, {"limit", 2}});
  EXPECT_EQ(read["events"].size(), 2U);
  EXPECT_EQ(read["more"], true);
  read = *rules_.call("run.events", {{"run", kRun}});
  EXPECT_EQ(read["events"].size(), 3U);
  EXPECT_EQ(read["more"], true);
  read = *rules_.call("run.events", {{"run", kRun}, {"after", 4}});
  EXPECT_EQ(read["events"].size(), 2U);
  EXPECT_EQ(read["more"], false);
  EXPECT_EQ(code_of(rules_.call("run.events", {{"run", kRun}, {"after", "x"}})), Code::invalid);
}

TEST_F(RunTest, AnUnknownRunNamesTheNearest) {
  for (const char* op : {"run.get", "run.events", "run.append", "run.tell", "run.lease", "run.renew", "run.release"}) {
    const auto unknown = rules_.call(op, {{"run", std::string(5000, 'x')}});
    EXPECT_EQ(code_of(unknown), Code::not_found) << op;
    EXPECT_LT(unknown.error().what.size(), 200U);
    EXPECT_EQ(code_of(rules_.call(op, {{"run", 7}})), Code::invalid) << op;
  }
  start();
  EXPECT_EQ(rules_.call("run.get", {{"run", "spec"}}).error().next, "Did you mean spec-20261116-1a2b?");
  EXPECT_EQ(rules_.call("run.get", {{"run", "spec-20261116-1a2c"}}).error().next, "Did you mean spec-20261116-1a2b?");
  EXPECT_EQ(rules_.call("run.get", {{"run", "other-20261116-0000"}}).error().next, "See `teamster status`");
}

TEST_F(RunTest, ListIsPaged) {
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(rules_.call("run.start", start_args("spec-20261116-000" + std::to_string(i))));
  const Json first = *rules_.call("run.list", {{"limit", 3}});
  EXPECT_EQ(first["runs"].size(), 3U);
  const Json rest = *rules_.call("run.list", {{"limit", 3}, {"after", first["next"]}});
  EXPECT_EQ(rest["runs"].size(), 2U);
  EXPECT_EQ(rest["runs"][1]["run"], "spec-20261116-0004");
  EXPECT_EQ(rest["next"], nullptr);
}

TEST_F(RunTest, GarbageCollectionTakesEndedRuns) {
  start();
  ASSERT_TRUE(append(1, records("run.ended", {{"status", "done"}})));
  ASSERT_TRUE(rules_.call("run.start", start_args("spec-20261116-ffff")));
  ASSERT_TRUE(rules_.call("team.create", {{"team", "alpha"}, {"members", Json::array()}}));
  ASSERT_TRUE(rules_.call("team.delete", {{"team", "alpha"}}));
  rules_.pass(1000);
  EXPECT_TRUE(rules_.call("gc", {{"older_than_ms", 2000}})->at("runs").empty());
  const Json dry = *rules_.call("gc", {{"older_than_ms", 500}, {"dry_run", true}});
  EXPECT_EQ(dry["runs"], Json::parse(R"(["spec-20261116-1a2b"])"));
  const Json first = *rules_.call("gc", {{"older_than_ms", 500}});
  EXPECT_EQ(first["teams"], Json::parse(R"(["alpha"])"));
  EXPECT_EQ(first["done"], false);
  const Json second = *rules_.call("gc", {{"older_than_ms", 500}});
  EXPECT_EQ(second["runs"], Json::parse(R"(["spec-20261116-1a2b"])"));
  EXPECT_EQ(second["events"], 2);
  EXPECT_EQ(second["done"], true);
  EXPECT_EQ(code_of(rules_.call("run.get", {{"run", kRun}})), Code::not_found);
  EXPECT_TRUE(rules_.call("run.get", {{"run", "spec-20261116-ffff"}}));
}

TEST_F(RunTest, IsForTheOperatorAlone) {
  ASSERT_TRUE(rules_.call("team.create", {{"team", "alpha"}, {"members", {"a"}}}));
  start();
  for (const char* op : {"run.start", "run.get", "run.list", "run.events", "run.append", "run.tell", "run.lease",
                         "run.renew", "run.release"})
    EXPECT_EQ(code_of(rules_.call_as(rules_.member("alpha", "a"), op, {{"run", kRun}})), Code::refused) << op;
}

}  // namespace
}  // namespace teamster::team
