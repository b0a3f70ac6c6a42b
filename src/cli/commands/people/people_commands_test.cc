// The people's side: inbox, answer, approve, reject.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/framework/runs_for_test.h"

namespace teamster::cli {
namespace {

namespace event = workflow::event;
using workflow::RunForTest;

constexpr const char* kOther = "small-20261116-ffff";

class PeopleCommandsTest : public RunsForTest {
 protected:
  RunForTest at_the_question(const std::string& name = kRun) {
    RunForTest run = at_the_gate(name);
    run.done("approve", {{"approved", true}, {"by", "kim"}});
    return run;
  }
  // Records what the engine would, when it hears the answer.
  void hears(RunForTest& run, const std::string& step, const Json& answer, std::int64_t told) {
    after_call_ = [&run, this, step, answer, told](const hub::Request& request) {
      if (request.op != "run.tell") return;
      run.done(step, answer, {{"told", told}});
      record(run, true);
    };
  }
  Json told() {
    const Json events = rules_.call("run.events", {{"run", kRun}})->at("events");
    for (const auto& each : events)
      if (each["kind"] == "run.told") return each["body"];
    return {};
  }
};

TEST_F(PeopleCommandsTest, AnEmptyInbox) {
  EXPECT_EQ(outside_.run({"inbox"}), 1);
  EXPECT_EQ(outside_.err.captured, "nobody waits for you\n");
  EXPECT_EQ(outside_.run({"inbox", "--json"}), 1);
  EXPECT_EQ(outside_.document(), Json::parse(R"({"questions":[]})"));
}

TEST_F(PeopleCommandsTest, TheInboxShowsWhatIsAskedAndHowToAnswer) {
  record(at_the_gate(), true);
  record(at_the_question(kOther), false, kOther);
  outside_.now.unix_ms += 60'000;
  EXPECT_EQ(outside_.run({"inbox"}), 0);
  EXPECT_EQ(outside_.out.captured,
            "approve.1  gate to kim, 60 s ago, 119 m left\n"
            "  Is the parser right?\n"
            "  teamster approve approve.1\n"
            "  teamster reject approve.1 TEXT\n"
            "\n"
            "which.1  question to owner, 60 s ago\n"
            "  Which way?\n"
            "  1) left\n"
            "  2) right\n"
            "  teamster answer which.1 NUMBER\n");
  EXPECT_EQ(outside_.run({"inbox", "--json", "--to", "kim"}), 0);
  const Json questions = outside_.document()["questions"];
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions[0]["id"], "small-20261116-1a2b/approve.1");
  EXPECT_EQ(questions[0]["short_id"], "approve.1");
  EXPECT_EQ(questions[0]["gate"], true);
  EXPECT_EQ(questions[0]["deadline"], to_iso8601(WallTime{rules_.now.unix_ms + 7'200'000}));
}

TEST_F(PeopleCommandsTest, ShortIdsFitOneAlone) {
  record(at_the_gate(), true);
  record(at_the_gate(kOther), true, kOther);
  outside_.run({"inbox", "--json"});
  EXPECT_EQ(outside_.document()["questions"][0]["short_id"], "1a2b/approve.1");
  EXPECT_EQ(outside_.run({"approve", "approve.1"}), 2);
  EXPECT_TRUE(says(outside_.err, "fits 2 questions: small-20261116-1a2b/approve.1, small-20261116-ffff/approve.1"))
      << outside_.err.captured;
  for (const char* form : {"1a2b/approve.1", "small-20261116-1a2b/approve", "1a2b"}) {
    EXPECT_EQ(outside_.run({"answer", form, "x"}), 2) << form;
    EXPECT_TRUE(says(outside_.err, "small-20261116-1a2b/approve.1 is a gate")) << outside_.err.captured;
  }
}

TEST_F(PeopleCommandsTest, AnApprovalIsRecordedByTheEngine) {
  RunForTest run = at_the_gate();
  record(run, true);
  hears(run, "approve", {{"approved", true}, {"by", "kim"}}, 4);
  EXPECT_EQ(outside_.run({"approve", "approve.1", "--note", "as discussed"}), 0) << outside_.err.captured;
  EXPECT_EQ(outside_.out.captured, "small-20261116-1a2b has your answer\n");
  EXPECT_EQ(told(), Json::parse(R"({"what":"answer","body":{"question":"approve.1","approved":true,"by":"kim",
      "how":"terminal","note":"as discussed"}})"));
  EXPECT_EQ(run.state.phase, "which");
}

TEST_F(PeopleCommandsTest, ARejectionNeedsWords) {
  RunForTest run = at_the_gate();
  record(run, true);
  EXPECT_EQ(outside_.run({"reject", "approve.1", "  "}), 2);
  outside_.input = "smaller steps\n";
  EXPECT_EQ(outside_.run({"reject", "approve", "-", "--as", "mia", "--json"}), 0);
  EXPECT_EQ(outside_.document(), Json::parse(R"({"id":"small-20261116-1a2b/approve.1","run":"small-20261116-1a2b",
      "told":4,"recorded":false})"))
      << "nobody recorded it in time";
  EXPECT_EQ(told()["body"], Json::parse(R"({"question":"approve.1","approved":false,"feedback":"smaller steps\n",
      "by":"mia","how":"terminal"})"));
}

TEST_F(PeopleCommandsTest, AQuestionWithOptionsTakesOneOfThem) {
  struct Row {
    const char* typed;
    int code;
    const char* answer;
  };
  const std::vector<Row> rows = {{"left", 0, "left"}, {"2", 0, "right"}, {"0", 2, ""},   {"3", 2, ""},
                                 {"Left", 2, ""},     {"", 2, ""},       {"both", 2, ""}};
  for (const auto& row : rows) {
    std::string sent;
    after_call_ = [&](const hub::Request& request) {
      if (request.op == "run.tell") sent = request.args["body"]["answer"];
    };
    const std::string name = "small-20261116-000" + std::to_string(&row - rows.data());
    record(at_the_question(name), true, name);
    EXPECT_EQ(outside_.run({"answer", name + "/which.1", row.typed}), row.code) << row.typed;
    EXPECT_EQ(sent, row.answer) << row.typed;
    EXPECT_EQ(says(outside_.err, "left, right"), row.code == 2) << outside_.err.captured;
  }
}

TEST_F(PeopleCommandsTest, AnAnswerToARunThatNobodyDrivesIsKept) {
  record(at_the_question(), false);
  EXPECT_EQ(outside_.run({"answer", "which", "left"}), 0);
  EXPECT_EQ(outside_.out.captured,
            "kept for small-20261116-1a2b/which.1, which no process drives; go on with: teamster resume "
            "small-20261116-1a2b\n");
  EXPECT_EQ(outside_.run({"answer", "which", "right"}), 3) << "the first counts";
  EXPECT_TRUE(says(outside_.err, "kim has answered small-20261116-1a2b/which.1 already")) << outside_.err.captured;
  EXPECT_EQ(outside_.run({"inbox"}), 0);
  EXPECT_TRUE(says(outside_.out, "answered by kim; the run hears it with: teamster resume small-20261116-1a2b"));
  EXPECT_EQ(outside_.run({"status", kRun}), 0) << "nobody is waited for any more";
}

TEST_F(PeopleCommandsTest, SomebodyElseMayBeFirst) {
  RunForTest run = at_the_question();
  record(run, true);
  hears(run, "which", {{"answer", "left"}, {"by", "mia"}}, 0);
  EXPECT_EQ(outside_.run({"answer", "which.1", "right"}), 3);
  EXPECT_TRUE(says(outside_.err, "mia answered small-20261116-1a2b/which.1 first")) << outside_.err.captured;
}

TEST_F(PeopleCommandsTest, WhatIsNotOpenCannotBeAnswered) {
  record(at_the_question(), true);
  EXPECT_EQ(outside_.run({"approve", "approve.1"}), 3);
  EXPECT_TRUE(says(outside_.err, "small-20261116-1a2b/approve.1 is not open any more: kim answered it"))
      << outside_.err.captured;
  EXPECT_EQ(outside_.run({"answer", "whihc.1", "left"}), 1);
  EXPECT_TRUE(says(outside_.err, "Did you mean which.1?")) << outside_.err.captured;
  EXPECT_EQ(outside_.run({"answer", "", "left"}), 1);
  EXPECT_EQ(outside_.run({"approve", "which.1"}), 2);
  EXPECT_TRUE(says(outside_.err, "is a question: there is nothing to approve"));
  EXPECT_EQ(outside_.run({"reject", "which.1", "no"}), 2);
  EXPECT_EQ(outside_.run({"answer", "which.1"}), 2) << "without an answer";
}

TEST_F(PeopleCommandsTest, AnyPartThatFitsOneAloneIsEnough) {
  record(at_the_question(), true);
  const auto asks_for = [&](const std::string& typed) {
    return outside_.run({"answer", typed, "left", "--timeout", "0s"});
  };
  EXPECT_EQ(asks_for("hich"), 0) << outside_.err.captured;
  EXPECT_EQ(told()["body"]["question"], "which.1");
  EXPECT_EQ(asks_for("1a2b/wh"), 0) << outside_.err.captured;
  EXPECT_EQ(asks_for("approve.1"), 3) << "the whole name of one that was answered is no part of another";
  EXPECT_EQ(asks_for("left"), 1) << outside_.err.captured;
}

TEST_F(PeopleCommandsTest, AMemberCannotAnswerForAPerson) {
  record(at_the_question(), true);
  EXPECT_EQ(outside_.run({"answer", "which.1", "left", "--token-file", "/t"}), 3);
  EXPECT_TRUE(says(outside_.err, "a member cannot answer for a person"));
  EXPECT_EQ(outside_.run({"cancel", kRun, "--token-file", "/t"}), 3);
}

TEST_F(PeopleCommandsTest, QuestionsOfBudgetsAreAnsweredAlike) {
  workflow::Pinned pinned = small_workflow();
  pinned.workflow.budget.turns = 0;
  RunForTest run(pinned);
  run.start({{"args", {{"what", "x"}}}});
  run.settle(event::Failed{.fault = "crash", .error = "x", .usage = event::TurnUsage{.input_tokens = 1}}, "build");
  record(run, true);
  EXPECT_EQ(outside_.run({"answer", "build/budget", "1"}), 0) << outside_.err.captured;
  EXPECT_EQ(told()["body"]["answer"], "raise");
}

// The operator is asked by members of teams that no run has made.
class TeamQuestionsTest : public PeopleCommandsTest {
 protected:
  TeamQuestionsTest() {
    EXPECT_TRUE(rules_.call("team.create", {{"team", "demo"}}));
    EXPECT_TRUE(rules_.call("team.join", {{"team", "demo"}, {"member", "builder"}}));
  }
  std::string ask(const std::string& body) {
    const auto sent = rules_.call(
        "message.send",
        {{"team", "demo"}, {"from", "builder"}, {"to", "operator"}, {"kind", "question"}, {"body", body}});
    EXPECT_TRUE(sent) << sent.error().text();
    return fmt::format("demo/{}", sent->at("id").get<std::int64_t>());
  }
  Json mail_of_builder() {
    return rules_.call("message.inbox", {{"team", "demo"}, {"member", "builder"}, {"peek", true}})->at("messages");
  }
};

TEST_F(TeamQuestionsTest, AreInTheOneInboxAndAnsweredOnce) {
  record(at_the_gate(), true);
  const std::string id = ask(R"({"question":"Which port?","options":["80","8080"],"expertise":"network"})");
  EXPECT_EQ(outside_.run({"inbox"}), 0);
  EXPECT_TRUE(says(outside_.out, "approve.1  gate to kim"));
  EXPECT_TRUE(says(outside_.out, id + "  question of builder to you, 0 s ago\n  Which port?\n  1) 80\n  2) 8080\n  " +
                                     "teamster answer " + id + " NUMBER|TEXT\n"))
      << outside_.out.captured;
  EXPECT_EQ(outside_.run({"answer", id, "2"}), 0) << outside_.err.captured;
  EXPECT_EQ(outside_.out.captured, "builder has your answer\n");
  const Json mail = mail_of_builder();
  ASSERT_EQ(mail.size(), 1U);
  EXPECT_EQ(mail[0]["kind"], "answer");
  EXPECT_EQ(mail[0]["body"], "8080");
  EXPECT_EQ(mail[0]["from"], "operator");
  EXPECT_EQ(outside_.run({"answer", id, "1"}), 1) << "it is not open any more";
  EXPECT_EQ(mail_of_builder().size(), 1U);
}

TEST_F(TeamQuestionsTest, AreFoundByTheirNumberAndShownWithStableKeys) {
  const std::string id = ask("plain words, \x1b[31mred");
  EXPECT_EQ(outside_.run({"inbox", "--json", "--to", "kim"}), 1) << "kim is not the operator";
  EXPECT_EQ(outside_.run({"inbox", "--json"}), 0);
  const Json question = outside_.document()["questions"][0];
  EXPECT_EQ(question["id"], id);
  EXPECT_EQ(question["team"], "demo");
  EXPECT_EQ(question["from"], "builder");
  EXPECT_EQ(question["run"], Json());
  EXPECT_EQ(question["text"], "plain words, \x1b[31mred");
  EXPECT_EQ(outside_.run({"inbox"}), 0);
  EXPECT_FALSE(says(outside_.out, "\x1b[31m")) << "what a member writes never reaches the terminal as it is";
  EXPECT_EQ(outside_.run({"answer", id.substr(id.find('/') + 1), ""}), 2) << "an empty answer is none";
  EXPECT_EQ(outside_.run({"answer", id.substr(id.find('/') + 1), "yes, do"}), 0) << outside_.err.captured;
  EXPECT_EQ(mail_of_builder()[0]["body"], "yes, do");
  EXPECT_EQ(outside_.run({"inbox"}), 1);
}

}  // namespace
}  // namespace teamster::cli
