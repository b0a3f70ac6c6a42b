// Teams of a run, made and ended on a simulated machine where engines die. Members that work are in the
// end-to-end tests.
#include "engine/crew.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/record.h"
#include "support/simulated_hubs.h"
#include "workflow/core/run_for_test.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::RunEvent;

class CrewTest : public testing::Test {
 protected:
  CrewTest() {
    start_run(pinned_.run, *engine_);
    restart();
  }
  ~CrewTest() override { crew_.reset(); }

  static Json holder(env::sim::Host& host) {
    const auto self = host.view().processes.self();
    return {{"pid", self.pid}, {"start", self.start_ticks}, {"boot", self.boot_id}};
  }
  void start_run(const std::string& run, env::sim::Host& host) {
    call("run.start", {{"run", run}, {"workflow", "w"}, {"holder", holder(host)}});
  }
  Json call(const std::string& op, Json args) {
    std::optional<Result<Json>> answer;
    client_.call({op, std::move(args)}, [&](Result<Json> given) { answer = std::move(given); });
    world_.run_for(5s);
    EXPECT_TRUE(answer && *answer) << op << (answer ? answer->error().text() : " was not answered");
    return answer && *answer ? **answer : Json();
  }
  void restart() {
    CrewOptions options{.pinned = pinned_, .member_options = {}, .on_note = {}, .on_turn = {}};
    crew_ = std::make_unique<Crew>(engine_->view(), client_, hubs_.home(), std::move(options));
  }
  // The engine dies, and another one has the run.
  void kill_engine() {
    crew_.reset();
    world_.kill(*engine_);
    engine_ = &world_.start("engine");
    call("run.lease", {{"run", pinned_.run}, {"holder", holder(*engine_)}});
    restart();
  }
  std::string make_team(bool again, std::int64_t attempt = 1) {
    return outcome_of([&](const Crew::Settle& settle) {
      crew_->make_team({{workflow::command::MakeTeam{"spec-01"}, "team", attempt}, {}, again}, settle);
    });
  }
  std::string end_team() {
    return outcome_of([&](const Crew::Settle& settle) {
      crew_->end_team({{workflow::command::EndTeam{"spec-01"}, "end-spec-01", 1}, {}, false}, settle);
    });
  }
  template <class Do>
  std::string outcome_of(Do act) {
    told_ = "nothing";
    act([this](const RunEvent& event) {
      const auto* failed = event.as<workflow::event::Failed>();
      told_ = std::string(event.kind()) + (failed == nullptr ? "" : failed->error);
    });
    world_.run_for(3s);
    return told_;
  }
  void save_record(const std::string& member, const env::ProcessIdentity& host) {
    agent::Record record;
    record.host = host;
    record.state = "idle";
    const std::string directory = hubs_.home().member_directory("spec-01", member);
    auto& files = engine_->view().files;
    ASSERT_TRUE(files.make_private_directory(directory));
    ASSERT_TRUE(record.save(files, directory, false));
  }

  env::sim::World world_{5};
  hub::SimulatedHubs hubs_{world_};
  hub::Client client_{world_.start("client").view(), hubs_.home(), hub::Access::operator_of_home()};
  workflow::Pinned pinned_ = workflow::pinned_for_test({workflow::agent_phase("build")});
  env::sim::Host* engine_ = &world_.start("engine");
  std::unique_ptr<Crew> crew_;
  std::string told_;
};

TEST_F(CrewTest, ATeamBelongsToItsRun) {
  EXPECT_EQ(make_team(false), "run.team_ready");
  EXPECT_EQ(call("team.status", {{"team", "spec-01"}})["owner"]["run"], pinned_.run);
  kill_engine();
  EXPECT_FALSE(call("team.status", {{"team", "spec-01"}})["orphan"]) << "another engine has the run";
}

TEST_F(CrewTest, AfterACrashTheTeamThatItMadeIsFound) {
  make_team(false);
  const Json made = call("team.status", {{"team", "spec-01"}});
  kill_engine();
  EXPECT_EQ(make_team(true), "run.team_ready");
  EXPECT_EQ(call("team.status", {{"team", "spec-01"}})["created"], made["created"]) << "it is the same";
  EXPECT_EQ(make_team(true, 2), "run.team_ready") << "of this run, though another step made it";
}

TEST_F(CrewTest, AfterACrashTheTeamOfAnotherIsNotOurs) {
  auto& other = world_.start("other");
  start_run("w-20261116-ffff", other);
  call("team.create", {{"team", "spec-01"}, {"run", "w-20261116-ffff"}});
  kill_engine();
  const std::string told = make_team(true);
  EXPECT_NE(told.find("step.failedteam spec-01 belongs to run w-20261116-ffff"), std::string::npos) << told;
  EXPECT_NE(told.find("teamster cancel w-20261116-ffff"), std::string::npos) << told;
  EXPECT_EQ(call("team.status", {{"team", "spec-01"}})["owner"]["run"], "w-20261116-ffff");
}

TEST_F(CrewTest, ATeamMadeByHandIsNotTaken) {
  call("team.create", {{"team", "spec-01"}});
  const std::string told = make_team(true);
  EXPECT_NE(told.find("step.failedteam spec-01 was made by hand"), std::string::npos) << told;
}

TEST_F(CrewTest, ATeamOfALivingProcessIsNotTaken) {
  call("team.create", {{"team", "spec-01"}, {"owner_pid", world_.start("script").pid()}});
  const std::string told = make_team(false);
  EXPECT_NE(told.find("which lives"), std::string::npos) << told;
}

TEST_F(CrewTest, ATeamThatNobodyDrivesIsReplaced) {
  auto& other = world_.start("other");
  start_run("w-20261116-ffff", other);
  call("team.create", {{"team", "spec-01"}, {"run", "w-20261116-ffff"}, {"members", {"stranger"}}});
  world_.kill(other);
  EXPECT_EQ(make_team(false), "run.team_ready");
  const Json team = call("team.status", {{"team", "spec-01"}});
  EXPECT_EQ(team["owner"]["run"], pinned_.run);
  EXPECT_TRUE(team["members"].empty());
}

TEST_F(CrewTest, MembersOfADeadEngineAreNotWaitedFor) {
  make_team(false);
  call("team.join", {{"team", "spec-01"}, {"member", "tester"}});
  save_record("tester", engine_->view().processes.self());
  kill_engine();
  EXPECT_EQ(end_team(), "run.team_gone");
}

TEST_F(CrewTest, AMemberThatMayAnswerIsWaitedFor) {
  make_team(false);
  call("team.join", {{"team", "spec-01"}, {"member", "tester"}});
  save_record("tester", world_.start("host").view().processes.self());
  call("team.join", {{"team", "spec-01"}, {"member", "by-command-line"}});
  kill_engine();
  EXPECT_EQ(end_team(), "nothing") << "they have some seconds";
  world_.run_for(limits::kShutdownAnswerDeadline);
  EXPECT_EQ(told_, "run.team_gone");
}

}  // namespace
}  // namespace teamster::engine
