#include "engine/run_effects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "env/clock.h"
#include "support/simulated_hubs.h"
#include "workflow/core/run_for_test.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::Phase;
using workflow::RunCommand;
using workflow::RunEvent;

class RunEffectsTest : public testing::Test {
 protected:
  RunEffectsTest() { restart(); }
  ~RunEffectsTest() override { effects_.reset(); }

  // As another engine would begin.
  void restart() {
    RunEffectsOptions options{.project = "/project",
                              .crew = {.pinned = pinned_, .member_options = {}, .on_note = {}, .on_turn = {}}};
    options.on_question = [this](const Effect& question) {
      asked_ += question.command.id() + (question.again ? " again " : " ");
    };
    effects_ = std::make_unique<RunEffects>(world_.start("engine").view(), client_, hubs_.home(), std::move(options));
  }
  WallTime now() { return world_.clock().wall_now(); }
  Effect question(workflow::command::Ask asks) { return {{std::move(asks), "approve", 1}, now(), false}; }
  void begin(const Effect& effect) {
    effects_->begin(effect, {}, [this](const RunEvent& event) {
      const auto* due = event.as<workflow::event::Due>();
      told_ += fmt::format("{} {} {}. ", event.kind(), event.step, due == nullptr ? "" : due->what);
    });
  }
  std::string told_after(Duration span) {
    told_.clear();
    world_.run_for(span);
    return told_;
  }

  env::sim::World world_{3};
  hub::SimulatedHubs hubs_{world_};
  hub::Client client_{world_.start("client").view(), hubs_.home(), hub::Access::operator_of_home()};
  workflow::Pinned pinned_ = workflow::pinned_for_test({workflow::phase_for_test(Phase::Kind::gate, "approve")});
  std::unique_ptr<RunEffects> effects_;
  std::string asked_;
  std::string told_;
};

TEST_F(RunEffectsTest, AQuestionIsDueOnceForEach) {
  begin(question({.text = "Right?", .remind_ms = 60'000, .deadline_ms = 3'600'000}));
  EXPECT_EQ(asked_, "approve.1 ");
  EXPECT_EQ(told_after(59s), "");
  EXPECT_EQ(told_after(2s), "step.due approve remind. ");
  EXPECT_EQ(told_after(58min), "");
  EXPECT_EQ(told_after(1min), "step.due approve deadline. ");
  EXPECT_EQ(told_after(48h), "");
}

TEST_F(RunEffectsTest, WithoutTimesNothingIsEverDue) {
  begin(question({.text = "Right?"}));
  EXPECT_EQ(told_after(24h * 30), "");
}

TEST_F(RunEffectsTest, TimeGoesOnWhileNoEngineIsThere) {
  Effect effect = question({.text = "Right?", .remind_ms = 60'000, .deadline_ms = 3'600'000});
  begin(effect);
  world_.run_for(10s);
  effects_.reset();
  world_.run_for(30min);
  restart();
  effect.again = true;
  begin(effect);
  EXPECT_EQ(told_after(1s), "step.due approve remind. ") << "it was due while nobody was there";
  EXPECT_EQ(told_after(29min), "");
  EXPECT_EQ(told_after(1min), "step.due approve deadline. ");
}

TEST_F(RunEffectsTest, WhatIsInTheStateIsNotToldAgain) {
  Effect effect = question({.text = "Right?", .remind_ms = 60'000, .deadline_ms = 120'000, .reminded = true});
  effect.again = true;
  begin(effect);
  EXPECT_EQ(told_after(1h), "step.due approve deadline. ");
  effects_->drop("approve.1");
  effect.command.as<workflow::command::Ask>()->late = true;
  begin(effect);
  EXPECT_EQ(told_after(1h), "");
}

TEST_F(RunEffectsTest, AnAnsweredQuestionIsNotDue) {
  begin(question({.text = "Right?", .remind_ms = 60'000}));
  effects_->drop("approve.1");
  EXPECT_EQ(told_after(1h), "");
}

TEST_F(RunEffectsTest, AClockThatWasSetBackDoesNotMakeItLater) {
  Effect effect = question({.text = "Right?", .deadline_ms = 60'000});
  effect.since.unix_ms += 3'600'000;
  begin(effect);
  EXPECT_EQ(told_after(61s), "step.due approve deadline. ");
}

}  // namespace
}  // namespace teamster::engine
