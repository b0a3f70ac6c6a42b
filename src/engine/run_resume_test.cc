#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/run.h"
#include "engine/run_setup.h"
#include "support/simulated_hubs.h"
#include "workflow/format/load.h"

namespace teamster::engine {
namespace {

constexpr const char* kResumedRun = "endless-20261116-1a2b";
constexpr const char* kWorkflow = R"(name: endless
about: Two checks that go round for ever.
loops: { again: { max: 1000, then: fail } }
phases:
  - { id: first, kind: check, command: 'true', on: [ { when: { passed: false }, fail: 'it failed' } ] }
  - id: second
    kind: check
    command: 'true'
    on: [ { when: { passed: true }, goto: first, loop: again }, { fail: 'it failed' } ]
)";

// Settles each check at once, with as much output as it is told, until it has settled enough.
class Checks : public Effects {
 public:
  Checks(env::Loop& loop, std::size_t output, int count) : loop_(loop), output_(output), left_(count) {}

  void begin(const Effect& effect, const workflow::RunState&, Settle settle) override {
    begun_.push_back(effect);
    if (left_-- <= 0) return;
    Json answer = {{"passed", true}, {"exit", 0}, {"output", std::string(output_, 'x')}};
    workflow::RunEvent done = event_about(effect.command, workflow::event::Done{.answer = std::move(answer)});
    loop_.post([settle = std::move(settle), done] { settle(done); });
  }
  void drop(const std::string&) override {}
  Result<void> follow(const workflow::RunState&) override { return {}; }
  bool has_more_than_enough() const { return left_ < 0; }
  const std::vector<Effect>& begun() const { return begun_; }

 private:
  env::Loop& loop_;
  const std::size_t output_;
  int left_;
  std::vector<Effect> begun_;
};

class RunResumeTest : public testing::Test {
 protected:
  RunResumeTest() {
    pinned_.run = kResumedRun;
    pinned_.bundle = {{workflow::kWorkflowFile, kWorkflow}};
    pinned_.workflow = *workflow::load_workflow(pinned_.bundle).workflow;
    EXPECT_TRUE(save_bundle(host_.view().files, hubs_.home(), kResumedRun, pinned_.bundle));
  }

  std::unique_ptr<engine::Run> make(Effects& effects, std::int64_t snapshot_every) {
    RunHandlers handlers;
    handlers.on_over = [this](const Result<void>& outcome) { over_ = outcome; };
    SnapshotFile file(host_.view().files, hubs_.home(), kResumedRun, workflow::digest(pinned_.bundle));
    return std::make_unique<engine::Run>(host_.view(), client_, pinned_, effects, std::move(handlers),
                                         RunSnapshots{std::move(file), snapshot_every});
  }
  // Does as many checks, and gives back the state it was left in.
  workflow::RunState drive(std::size_t output, int checks, std::int64_t snapshot_every) {
    Checks effects(host_.view().loop, output, checks);
    const auto run = make(effects, snapshot_every);
    run->start("", {workflow::event::Started{}}, Json::object());
    world_.run_until([&] { return effects.has_more_than_enough() || over_; });
    const workflow::RunState state = run->state();
    run->let_go();
    world_.run_until([&] { return over_.has_value(); });
    over_.reset();
    return state;
  }
  // Takes it up and expects that state, with its one check open.
  void expect_taken_up(
      const workflow::RunState& state, const std::function<void()>& meanwhile = [] {}) {
    Checks effects(host_.view().loop, 0, 0);
    const auto run = make(effects, 1000);
    run->resume();
    meanwhile();
    world_.run_until([&] { return effects.has_more_than_enough() || over_; });
    ASSERT_FALSE(over_) << (*over_ ? "it ended" : over_->error().text());
    EXPECT_EQ(workflow::to_json(run->state()), workflow::to_json(state));
    ASSERT_EQ(effects.begun().size(), 1U);
    EXPECT_TRUE(effects.begun()[0].again);
    EXPECT_EQ(effects.begun()[0].command.id(), state.open.begin()->first);
    EXPECT_NE(effects.begun()[0].since, WallTime{});
    run->let_go();
    world_.run_until([&] { return over_.has_value(); });
    over_.reset();
  }

  env::sim::World world_{7};
  hub::SimulatedHubs hubs_{world_};
  env::sim::Host& host_ = world_.start("engine");
  hub::Client client_{host_.view(), hubs_.home(), hub::Access::operator_of_home()};
  workflow::Pinned pinned_;
  std::optional<Result<void>> over_;
};

TEST_F(RunResumeTest, ReadsAJournalOfManyPages) {
  const auto state = drive(0, 1100, 100'000);
  expect_taken_up(state);
  expect_taken_up(state);
}

TEST_F(RunResumeTest, ReadsPagesThatAreCutShortByTheirSize) { expect_taken_up(drive(100'000, 60, 100'000)); }

TEST_F(RunResumeTest, ReadsWhatFollowsASnapshot) { expect_taken_up(drive(10, 500, 30)); }

TEST_F(RunResumeTest, GoesOnWhenTheHubDiesMeanwhile) {
  const auto state = drive(1000, 700, 100'000);
  for (int moment = 1; moment < 40; moment += 3)
    expect_taken_up(state, [&] {
      int steps = 0;
      world_.run_until([&] { return ++steps > 10 * moment; });
      hubs_.kill();
    });
}

TEST_F(RunResumeTest, HearsWhatOthersSayMeanwhile) {
  const auto state = drive(1000, 700, 100'000);
  hub::Client other(world_.start("other").view(), hubs_.home(), hub::Access::operator_of_home());
  Checks effects(host_.view().loop, 0, 0);
  const auto run = make(effects, 1000);
  run->resume();
  for (int i = 0; i < 400; ++i)
    other.call({"run.tell", {{"run", kResumedRun}, {"what", "nothing"}, {"body", {{"i", i}}}}},
               [](const Result<Json>&) {});
  world_.run_until([&] { return effects.has_more_than_enough() || over_; });
  ASSERT_FALSE(over_);
  EXPECT_EQ(workflow::to_json(run->state())["open"], workflow::to_json(state)["open"]);
}

}  // namespace
}  // namespace teamster::engine
