// Members of a crew that are hard to end, on the simulated machine: the crew and its hosted members, with scripted
// agents behind them, and the real hub.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/crew.h"
#include "protocol/words/process_record.h"
#include "simulation/engine_stage.h"
#include "support/simulated_agents.h"
#include "support/simulated_hubs.h"

namespace teamster::simulation {
namespace {

constexpr const char* kScript = "/home/user/scripts/reviewer.json";

class CrewMembers : public testing::Test {
 protected:
  CrewMembers() {
    const Json holder = holder_argument(view_.processes.self());
    call("run.start", {{"run", scene_.pinned.run}, {"workflow", "implement-spec"}, {"holder", holder}});
    call("team.create", {{"team", "spec-01"}, {"run", scene_.pinned.run}});
    CHECK(view_.files.make_private_directory("/home/user/scripts"));
  }
  void call(const std::string& op, Json args) {
    const auto answer = client_.call_and_wait({op, std::move(args)});
    EXPECT_TRUE(answer) << op << ": " << answer.error().text();
  }
  void write_script(const std::string& steps) {
    CHECK(view_.files.write_atomically(kScript, fmt::format(R"({{"turns": [], "otherwise": [{}]}})", steps), 0600));
  }
  static Result<agent::MemberOptions> member_options(const workflow::Role&, const std::string&) {
    agent::MemberOptions options;
    options.driver = TRY(agent::find_driver("script"));
    options.start.script = kScript;
    options.start.directory = "/home/user";
    return options;
  }
  static engine::Effect turn_of(const std::string& member, const std::string& step) {
    workflow::command::Turn turn{.member = member, .role = "reviewer", .team = "spec-01", .prompt = "Look at it"};
    return {{std::move(turn), step, 2}, {}, false};
  }
  static engine::Crew::Settle keep_in(std::string& told) {
    return [&told](const workflow::RunEvent& event) {
      const auto* failed = event.as<workflow::event::Failed>();
      told = std::string(event.kind()) + (failed == nullptr ? "" : failed->error);
    };
  }
  engine::CrewOptions options(int& asked) {
    return {.pinned = scene_.pinned,
            .member_options = member_options,
            .on_note = [](const std::string&, const std::string&) {},
            .on_turn = [&asked](const std::string&, const std::string&, std::int64_t) { ++asked; }};
  }
  // A member for this step alone; what settled it.
  std::string say(const std::string& step) {
    engine::Effect effect = turn_of("reviewer-fresh-2", step);
    effect.command.as<workflow::command::Turn>()->temporary = true;
    std::string told;
    crew_.say(effect, keep_in(told));
    world_.run_until([&] { return !told.empty(); });
    return told;
  }

  env::sim::World world_{3};
  hub::SimulatedHubs hubs_{world_};
  SimulatedAgents agents_{world_};
  const Scene scene_ = implement_spec();
  env::sim::Host& host_ = world_.start("engine");
  const env::World view_ = host_.view();
  hub::Client client_{view_, hubs_.home(), hub::Access::operator_of_home()};
  int asked_ = 0;
  engine::ItemTasks tasks_{client_, scene_.pinned.run};
  engine::Crew crew_{view_, client_, hubs_.home(), tasks_, options(asked_)};
};

TEST_F(CrewMembers, OneForAStepIsThereAgainForTheNextThoughItGoesSlowly) {
  write_script(R"({"deaf": {"eof": true}}, {"say": "fine"})");
  EXPECT_EQ(say("verify"), "step.done");
  EXPECT_EQ(agents_.living().size(), 1U) << "it is deaf, and still there";
  EXPECT_EQ(say("screenshots"), "step.done");
  EXPECT_EQ(agents_.shared_places(), std::vector<std::string>());
}

// Its engine has lost the run and does not know it yet.
TEST_F(CrewMembers, WhatIsAnsweredWhileTheHostOfAnotherIsWaitedForIsNotAskedAgain) {
  using namespace std::chrono_literals;
  write_script(R"({"sleep": "2s"}, {"say": "fine"})");
  std::string told;
  crew_.say(turn_of("reviewer", "verify"), keep_in(told));
  world_.run_for(1s);
  env::sim::Host& other = world_.start("other engine");
  hub::Client client(other.view(), hubs_.home(), hub::Access::operator_of_home());
  int asked = 0;
  engine::ItemTasks tasks(client, scene_.pinned.run);
  engine::Crew crew(other.view(), client, hubs_.home(), tasks, options(asked));
  engine::Effect again = turn_of("reviewer", "verify");
  again.again = true;
  std::string told_again;
  crew.say(again, keep_in(told_again));
  world_.run_until([&] { return !told.empty(); });
  EXPECT_EQ(told, "step.done");
  world_.kill(host_);
  world_.run_until([&] { return !told_again.empty(); });
  EXPECT_EQ(told_again, "step.done");
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(asked, 0) << "the journal has its answer";
}

}  // namespace
}  // namespace teamster::simulation
