// The ladder of a failed turn: from the same words again to the owner, and waiting for the provider.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

TEST(LadderTest, RetryThenAFreshAgentThenTheOwner) {
  RunForTest run(pinned_for_test({agent_phase("build"), agent_phase("test", "builder")}));
  run.start();
  run.failed("build", "crash");
  EXPECT_EQ(run.said("build", "rung"), "retry");
  EXPECT_EQ(run.said("build", "member"), "builder") << "the same agent";
  EXPECT_EQ(run.said("build", "why"), "it broke") << "every rung is in the journal with its reason";
  run.failed("build", "silence");
  EXPECT_EQ(run.decided(), "turn build.3");
  EXPECT_EQ(run.said("build", "rung"), "fresh") << "the second L0 is L2";
  EXPECT_EQ(run.said("build", "member"), "builder-fresh-3");
  EXPECT_TRUE(run.open_fields("build")["temporary"].get<bool>());
  EXPECT_TRUE(run.open_fields("build")["first"].get<bool>()) << "it gets the preamble";
  EXPECT_EQ(run.state.members.count("builder"), 1U) << "the teammate is kept";
  run.failed("build", "crash", "it crashed again");
  EXPECT_EQ(run.decided(), "ask build/stuck.1") << "it is parked, and nothing has ended";
  EXPECT_TRUE(run.state.ending.empty());
  const Json question = run.open_fields("build/stuck");
  EXPECT_EQ(question["to"], "owner");
  EXPECT_EQ(question["text"], "build cannot go on: it crashed again. Tried: said again 1×, given to a fresh agent 1×.");
  EXPECT_EQ(question["options"], Json::parse(R"(["again","abort"])")) << "the fresh agent is gone";
  EXPECT_EQ(question["outcomes"]["abort"], "ends the run as blocked; `teamster resume` can reopen it");
}

TEST(LadderTest, TheOwnerSaysWhatBecomesOfAParkedStep) {
  const auto parked = [] {
    Pinned pinned = pinned_for_test({agent_phase("build")});
    pinned.workflow.ladder.fresh = 0;
    RunForTest run(pinned);
    run.start();
    run.failed("build", "crash");
    run.failed("build", "crash");
    EXPECT_EQ(run.open_fields("build/stuck")["options"], Json::parse(R"(["again","same","abort"])"));
    return run;
  };
  RunForTest again = parked();
  again.done("build/stuck", {{"answer", "again"}, {"by", "kim"}});
  EXPECT_EQ(again.said("build", "member"), "builder-fresh-3");
  RunForTest same = parked();
  same.done("build/stuck", {{"answer", "same"}, {"by", "kim"}});
  EXPECT_EQ(same.said("build", "member"), "builder");
  EXPECT_EQ(same.said("build", "rung"), "retry");
  same.failed("build", "crash");
  EXPECT_EQ(same.decided(), "ask build/stuck.2") << "each time anew";
  RunForTest words = parked();
  words.done("build/stuck", {{"answer", "use clang"}, {"by", "kim"}});
  EXPECT_EQ(words.said("build", "rung"), "fresh");
  EXPECT_NE(words.said("build").find("begins: words of kim]\nuse clang\n["), std::string::npos) << words.said("build");
  RunForTest abort = parked();
  abort.done("build/stuck", {{"answer", "abort"}, {"by", "kim"}});
  EXPECT_EQ(abort.state.ending, status::kBlocked);
  EXPECT_EQ(abort.state.ending_reason, "build cannot go on: it broke. Tried: said again 1×; the owner chose to stop");
}

TEST(LadderTest, AWorkflowMayWantAnEndInstead) {
  for (const auto& [then, status] :
       {std::pair{Ladder::Then::block, status::kBlocked}, {Ladder::Then::fail, status::kFailed}}) {
    Pinned pinned = pinned_for_test({agent_phase("build")});
    pinned.workflow.ladder.then = then;
    RunForTest run(pinned);
    run.start();
    run.failed("build", "unusable");
    run.failed("build", "unusable");
    run.failed("build", "unusable", "no JSON");
    EXPECT_EQ(run.state.ending, status);
    EXPECT_EQ(run.state.ending_reason, "build: no JSON");
  }
}

TEST(LadderTest, TheTeammateTakesTheNextStepAfterAFreshAgent) {
  RunForTest run(pinned_for_test({agent_phase("build"), agent_phase("test", "builder")}));
  run.start();
  run.failed("build", "unusable", "no field status");
  EXPECT_EQ(run.said("build", "rung"), "mend");
  EXPECT_EQ(run.said("build", "member"), "builder") << "the same agent, told what is missing";
  EXPECT_EQ(run.said("build").find("Do build."), std::string::npos) << "it knows its prompt";
  EXPECT_NE(run.said("build").find("no field status"), std::string::npos);
  run.failed("build", "unusable");
  EXPECT_EQ(run.said("build", "rung"), "fresh");
  EXPECT_NE(run.said("build").find("Another agent began this"), std::string::npos) << run.said("build");
  run.done("build");
  EXPECT_EQ(run.state.members.count("builder-fresh-3"), 0U) << "it was there for one step";
  EXPECT_EQ(run.said("test", "member"), "builder");
  EXPECT_FALSE(run.open_fields("test")["first"].get<bool>()) << "it has had the preamble";
  EXPECT_NE(run.said("test").find("another agent did this in your place:\nbuild:\n"), std::string::npos)
      << "who missed a phase is told: " << run.said("test");
  run.failed("test", "crash");
  EXPECT_EQ(run.said("test", "rung"), "retry") << "each phase has its own ladder";
  EXPECT_EQ(run.said("test").find("in your place"), std::string::npos) << "it is told once";
}

TEST(LadderTest, FirstRungByFault) {
  struct Row {
    const char* fault;
    const char* decided;
    const char* rung;
  };
  const std::vector<Row> rows = {
      {"crash", "turn build.2", "retry"},     {"time", "turn build.2", "retry"},
      {"protocol", "turn build.2", "mend"},   {"unusable", "turn build.2", "mend"},
      {"incomplete", "turn build.2", "mend"}, {"writes", "turn build.2", "mend"},
      {"context", "turn build.2", "fresh"},   {"scope", "turn build.2", "fresh"},
      {"rate_limit", "wait build.2", ""},     {"overloaded", "wait build.2", ""},
      {"provider", "wait build.2", ""},       {"login", "ask build/stuck.1", ""},
      {"credit", "ask build/stuck.1", ""},    {"model", "ask build/stuck.1", ""},
      {"program", "ask build/stuck.1", ""},   {"script", "end_team end-w-20261116-1a2b.1", ""},
      {"", "turn build.2", "retry"},
  };
  for (const auto& row : rows) {
    RunForTest run(pinned_for_test({agent_phase("build")}));
    run.start();
    run.failed("build", row.fault);
    EXPECT_EQ(run.decided(), row.decided) << row.fault;
    EXPECT_EQ(run.open_fields("build").value("rung", ""), row.rung) << row.fault;
  }
}

TEST(LadderTest, WhatIsMendedOutsideIsForTheSameAgent) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.failed("build", "login", "not logged in");
  EXPECT_EQ(run.open_fields("build/stuck")["options"], Json::parse(R"(["same","again","abort"])"));
  run.done("build/stuck", {{"answer", "same"}});
  EXPECT_EQ(run.said("build", "member"), "builder");
}

TEST(LadderTest, TheProviderIsWaitedForWithoutEnd) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  std::vector<std::int64_t> pauses;
  const auto wait = [&] {
    run.failed("build", "rate_limit", "429");
    ASSERT_TRUE(run.commands.at(0).is<command::Wait>());
    pauses.push_back(run.commands[0].as<command::Wait>()->ms);
    run.settle(event::Due{"retry"}, "build");
    ASSERT_TRUE(run.commands.at(0).is<command::Turn>());
    EXPECT_EQ(run.said("build", "member"), "builder");
    EXPECT_EQ(run.said("build", "rung"), "waited");
    EXPECT_EQ(run.said("build"), "Do build.") << "the same words";
  };
  for (int round = 0; round < 7; ++round) wait();
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{10'000, 20'000, 40'000, 80'000, 160'000, 300'000, 300'000}));
  EXPECT_EQ(run.find_open("build/weather"), nullptr) << "half an hour has not passed";
  for (int round = 0; round < 4; ++round) wait();
  const Json question = run.open_fields("build/weather");
  EXPECT_EQ(question["options"], Json::parse(R"(["wait","abort"])"));
  EXPECT_EQ(question["to"], "owner");
  run.done("build/weather", {{"answer", "wait"}});
  EXPECT_TRUE(run.commands.empty());
  for (int round = 0; round < 20; ++round) wait();
  EXPECT_EQ(run.find_open("build/weather"), nullptr) << "the owner knows";
  EXPECT_EQ(run.state.tries.at("build").retries, 0) << "bad weather is no try of the ladder";
  run.failed("build", "crash");
  EXPECT_EQ(run.said("build", "rung"), "retry");
}

TEST(LadderTest, AQuestionAboutTheWeatherIsTakenBackWhenItPasses) {
  Pinned pinned = pinned_for_test({agent_phase("build"), agent_phase("test", "builder")});
  pinned.workflow.phases[0].ladder.patience = std::chrono::seconds(10);
  for (const bool fails : {false, true}) {
    RunForTest run(pinned);
    run.start();
    run.failed("build", "overloaded");
    run.settle(event::Due{"retry"}, "build");
    run.failed("build", "overloaded");
    EXPECT_EQ(run.decided(), "wait build.4 · ask build/weather.1");
    run.settle(event::Due{"retry"}, "build");
    if (fails) {
      run.failed("build", "crash");
      EXPECT_EQ(run.decided(), "withdraw build/weather.1 · turn build.6");
    } else {
      run.done("build");
      EXPECT_EQ(run.decided(), "withdraw build/weather.1 · settle build · enter test · turn test.1");
    }
  }
  RunForTest run(pinned);
  run.start();
  run.failed("build", "overloaded");
  run.settle(event::Due{"retry"}, "build");
  run.failed("build", "overloaded");
  run.done("build/weather", {{"answer", "abort"}});
  EXPECT_EQ(run.state.ending, status::kBlocked);
}

TEST(LadderTest, WhoIsWaitedForIsToldTheSameAsBefore) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.failed("build", "unusable", "no field status");
  const std::string mended = run.said("build");
  run.failed("build", "overloaded");
  run.settle(event::Due{"retry"}, "build");
  EXPECT_EQ(run.said("build"), mended) << "what is missing is not lost in the wait";
  run.failed("build", "overloaded");
  run.happens({event::MemberLost{"builder", "crash"}});
  run.settle(event::Due{"retry"}, "build");
  EXPECT_EQ(run.said("build"), "Do build.") << "who knows nothing any more gets the whole of it";
  EXPECT_TRUE(run.open_fields("build")["first"].get<bool>());
}

TEST(LadderTest, AFreshAgentThatWaitsForTheProviderStaysTemporary) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.failed("build", "context");
  const std::string told = run.said("build");
  run.failed("build", "overloaded");
  run.settle(event::Due{"retry"}, "build");
  EXPECT_EQ(run.said("build", "member"), "builder-fresh-2");
  EXPECT_EQ(run.said("build"), told);
  EXPECT_TRUE(run.open_fields("build").value("temporary", false));
  run.done("build");
  EXPECT_EQ(run.state.members.count("builder-fresh-2"), 0U);
}

TEST(LadderTest, AMemberThatLostItsConversationGetsThePreambleAgain) {
  Pinned pinned = pinned_for_test({agent_phase("build"), agent_phase("test", "builder")});
  pinned.workflow.messages.preamble = "preamble";
  RunForTest run(pinned);
  run.start({{"values", {{"preamble", "Be kind."}}}});
  EXPECT_EQ(run.said("build"), "Be kind.\n\nDo build.");
  run.happens({event::MemberLost{"builder", "crash"}});
  EXPECT_TRUE(run.commands.empty());
  run.failed("build", "crash");
  EXPECT_EQ(run.said("build").find("Be kind.\n\nDo build."), 0U) << run.said("build");
  run.done("build");
  EXPECT_EQ(run.said("test"), "Do test.") << "once per conversation";
  run.happens({event::MemberLost{"nobody"}});
}

TEST(LadderTest, ATurnWhoseMemberForgotEverythingIsSaidAnewOnce) {
  Pinned pinned = pinned_for_test({agent_phase("build"), agent_phase("test", "builder")});
  pinned.workflow.messages.preamble = "preamble";
  RunForTest run(pinned);
  run.start({{"values", {{"preamble", "Be kind."}}}});
  run.done("build");
  EXPECT_EQ(run.said("test"), "Do test.");
  run.settle(event::MemberLost{"builder", "no such session"}, "test");
  EXPECT_EQ(run.decided(), "turn test.2");
  EXPECT_EQ(run.said("test").find("Be kind.\n\nDo test.\n\nYou may have begun this before"), 0U) << run.said("test");
  EXPECT_EQ(run.said("test", "member"), "builder");
  EXPECT_EQ(run.said("test", "rung"), "lost");
  EXPECT_TRUE(run.open_fields("test")["first"].get<bool>());
  run.settle(event::MemberLost{"builder", "no such session"}, "test");
  EXPECT_EQ(run.said("test", "rung"), "retry") << "then it is trouble like any other";
  EXPECT_EQ(run.said("test").find("Be kind.\n\nDo test."), 0U) << "and the member knows nothing still";
  run.failed("test", "crashed");
  EXPECT_EQ(run.said("test", "rung"), "fresh");
}

TEST(LadderTest, ATemporaryMemberThatForgotEverythingStaysTemporary) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.failed("build", "context");
  run.settle(event::MemberLost{"builder-fresh-2", "no such session"}, "build");
  EXPECT_EQ(run.said("build", "member"), "builder-fresh-2");
  EXPECT_TRUE(run.open_fields("build").value("temporary", false));
  run.done("build");
  EXPECT_EQ(run.state.members.count("builder-fresh-2"), 0U);
}

TEST(LadderTest, OtherEffectsThatFailAreTheOwnersMatter) {
  Phase check = phase_for_test(Phase::Kind::check, "check");
  check.check = Check{"make", {}, {}, {}, {}};
  Phase commit = phase_for_test(Phase::Kind::commit, "commit");
  commit.commit = Commit{{"src"}, "work", "", ""};
  Phase notify = phase_for_test(Phase::Kind::notify, "notify");
  notify.text = "done";
  for (const auto& phase : {check, commit, notify}) {
    RunForTest run(pinned_for_test({phase}));
    run.start();
    run.failed(phase.id, "", "no such program");
    EXPECT_EQ(run.said(phase.id + "/stuck", "text"), phase.id + " failed: no such program");
    EXPECT_EQ(run.open_fields(phase.id + "/stuck")["options"], Json::parse(R"(["again","skip","abort"])"));
    EXPECT_EQ(run.open_fields(phase.id + "/stuck")["outcomes"]["skip"], "goes on as if it were done");
    run.done(phase.id + "/stuck", {{"answer", "again"}});
    EXPECT_NE(run.find_open(phase.id), nullptr);
    run.failed(phase.id, "", "no such program");
    run.done(phase.id + "/stuck", {{"answer", "skip"}});
    EXPECT_EQ(run.state.ending, status::kDone);
  }
}

}  // namespace
}  // namespace teamster::workflow
