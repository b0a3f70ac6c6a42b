#include "engine/task_pool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/simulated_hubs.h"

namespace teamster::engine {
namespace {

using workflow::RunCommand;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

class TaskPoolTest : public testing::Test {
 protected:
  TaskPoolTest() { call("team.create", {{"team", "alpha"}, {"members", {"builder"}}}); }

  Json call(const std::string& op, Json args) {
    auto answer = client_.call_and_wait({.op = op, .args = std::move(args)});
    EXPECT_TRUE(answer) << op;
    return answer ? *answer : Json();
  }
  RunEvent make(TaskPool& pool, const RunCommand& command) {
    std::optional<RunEvent> settled;
    pool.make(command, [&](RunEvent event) { settled = std::move(event); });
    world_.run_until([&] { return settled.has_value(); });
    return *settled;
  }
  RunEvent finish_turn(const std::string& team, const std::string& member = "builder") {
    std::optional<RunEvent> settled;
    const RunCommand turn{command::Turn{.member = member, .role = "builder", .team = team}, "build/1", 1};
    const event::Done done{.answer = {{"a", 1}}, .usage = event::TurnUsage{.cost_usd = 1}, .member = member};
    pool_.finish_turn(turn, done, [&](RunEvent event) { settled = std::move(event); });
    world_.run_until([&] { return settled.has_value(); });
    return *settled;
  }
  Json tasks() { return call("task.list", {{"team", "alpha"}})["tasks"]; }

  env::sim::World world_{7};
  hub::SimulatedHubs hubs_{world_};
  hub::Client client_{world_.start("engine").view(), hubs_.home(), hub::Access::operator_of_home()};
  TaskPool pool_{client_, "w-20261116-1a2b"};
  RunCommand command_{command::MakeTasks{"alpha", {{"parser", {{"name", "parser"}}}, {"printer\nand more", "printer"}}},
                      "build/tasks", 1};
  command::MakeTasks& wanted_ = *command_.as<command::MakeTasks>();
};

TEST_F(TaskPoolTest, MakesThemInTheirOrderAndOnce) {
  const RunEvent made = make(pool_, command_);
  EXPECT_EQ(made.kind(), event::Done::kKind);
  EXPECT_EQ(made.step, "build/tasks");
  EXPECT_EQ(workflow::fields_of(made.body)["answer"], Json::parse("[1,2]"));
  ASSERT_EQ(tasks().size(), 2U);
  EXPECT_EQ(tasks()[0]["description"], R"({"name":"parser"})");
  EXPECT_EQ(tasks()[1]["subject"], "printer");

  hubs_.kill();
  TaskPool after_crash(client_, "w-20261116-1a2b");
  EXPECT_EQ(workflow::fields_of(make(after_crash, command_).body)["answer"], Json::parse("[1,2]"));
  EXPECT_EQ(tasks().size(), 2U);

  RunCommand entered_again = command_;
  entered_again.attempt = 2;
  EXPECT_EQ(workflow::fields_of(make(pool_, entered_again).body)["answer"], Json::parse("[3,4]"));
}

TEST_F(TaskPoolTest, NoItemsAreNoTasks) {
  wanted_.tasks.clear();
  EXPECT_EQ(workflow::fields_of(make(pool_, command_).body)["answer"], Json::array());
}

TEST_F(TaskPoolTest, LongSubjectsAreCutBetweenLetters) {
  std::string words;
  for (int i = 0; i < 300; ++i) words += "ü";
  wanted_.tasks[0].subject = "x" + words;
  EXPECT_EQ(make(pool_, command_).kind(), event::Done::kKind);
  const auto subject = tasks()[0]["subject"].get<std::string>();
  EXPECT_LT(subject.size(), 210U);
  EXPECT_EQ(subject.substr(subject.size() - 5), "ü…");
}

TEST_F(TaskPoolTest, ATeamThatIsGoneFailsTheStep) {
  wanted_.team = "beta";
  const RunEvent made = make(pool_, command_);
  EXPECT_EQ(made.kind(), event::Failed::kKind);
  EXPECT_NE(workflow::fields_of(made.body)["error"].get<std::string>().find("beta"), std::string::npos);
}

TEST_F(TaskPoolTest, ATurnTellsWhatIsLeft) {
  make(pool_, command_);
  const Json claim = call("task.claim", {{"team", "alpha"}, {"member", "builder"}})["task"];
  RunEvent turn = finish_turn("alpha");
  EXPECT_EQ(workflow::fields_of(turn.body)["tasks_left"], 2) << "one is under way, one is free";
  EXPECT_EQ(workflow::fields_of(turn.body)["answer"], Json::parse(R"({"a":1})"));
  EXPECT_EQ(workflow::fields_of(finish_turn("alpha", "tester").body)["tasks_left"], 1)
      << "what another works on is not for this one";
  call(
      "task.update",
      {{"team", "alpha"}, {"id", 1}, {"token", claim["token"]}, {"status", "completed"}, {"metadata", {{"files", 3}}}});
  turn = finish_turn("alpha");
  EXPECT_EQ(workflow::fields_of(turn.body)["tasks_left"], 1);
  EXPECT_EQ(workflow::fields_of(turn.body)["tasks"][0], Json::parse(R"({"id":1,"subject":"parser","status":"completed",
      "owner":"builder","metadata":{"files":3}})"));
  call("task.update", {{"team", "alpha"}, {"id", 2}, {"status", "deleted"}});
  EXPECT_EQ(workflow::fields_of(finish_turn("alpha").body)["tasks_left"], 0);
}

TEST_F(TaskPoolTest, WhatWaitsForAnotherTaskIsNotLeftYet) {
  call("task.create", {{"team", "alpha"}, {"subject", "first"}});
  call("task.create", {{"team", "alpha"}, {"subject", "then"}, {"blocked_by", Json::array({1})}});
  const Json claim = call("task.claim", {{"team", "alpha"}, {"member", "builder"}})["task"];
  EXPECT_EQ(workflow::fields_of(finish_turn("alpha", "tester").body)["tasks_left"], 0);
  call("task.update", {{"team", "alpha"}, {"id", 1}, {"token", claim["token"]}, {"status", "completed"}});
  EXPECT_EQ(workflow::fields_of(finish_turn("alpha", "builder").body)["tasks_left"], 1);
}

TEST_F(TaskPoolTest, ATurnWithoutItsListDoesNotCountButCosts) {
  const RunEvent turn = finish_turn("beta");
  EXPECT_EQ(turn.kind(), event::Failed::kKind);
  EXPECT_EQ(workflow::fields_of(turn.body)["usage"]["cost_usd"], 1);
}

}  // namespace
}  // namespace teamster::engine
