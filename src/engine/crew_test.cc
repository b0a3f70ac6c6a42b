// Teams of a run, made and ended on a simulated machine where engines die, and turns of members whose agents the
// test plays: what became of one is known whatever died.
#include "engine/crew.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/hosted_member_for_test.h"
#include "agent/record.h"
#include "support/simulated_hubs.h"
#include "workflow/core/run_for_test.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::RunEvent;
namespace event = workflow::event;

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
    options.member_options = [this](const workflow::Role&, const std::string&) -> Result<agent::MemberOptions> {
      agent::MemberOptions member;
      member.driver = &driver_;
      member.start.directory = "/src";
      return member;
    };
    options.on_note = [](const std::string&, const std::string&) {};
    options.on_turn = [](const std::string&, const std::string&, std::int64_t) {};
    crew_ = std::make_unique<Crew>(engine_->view(), client_, hubs_.home(), tasks_, std::move(options));
    crew_->on_news([this](const RunEvent& event) { news_.push_back(event); });
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
  std::string end_team(Duration settles_in = {}) {
    return outcome_of([&](const Crew::Settle& settle) {
      crew_->end_team({{workflow::command::EndTeam{"spec-01"}, "end-spec-01", 1}, {}, false}, settle,
                      [=] { return settles_in; });
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

  bool within(Duration span, const std::function<bool()>& condition) {
    for (Duration passed{}; passed <= span && !condition(); passed += 10ms) world_.run_for(10ms);
    return condition();
  }

  // Says something to the builder; what comes of it is in settled_.
  void say(const std::string& prompt, bool first, bool again = false, std::int64_t attempt = 1) {
    workflow::command::Turn turn{
        .member = "builder", .role = "builder", .team = "spec-01", .prompt = prompt, .first = first};
    settled_.reset();
    crew_->say({{std::move(turn), "build", attempt}, {}, again}, [this](const RunEvent& event) { settled_ = event; });
  }
  agent::FakeSession& agent() { return *driver_.current; }
  bool is_said(const std::string& text) {
    return within(30s, [&] {
      return driver_.current != nullptr && !agent().inputs.empty() && agent().inputs.back().text.starts_with(text);
    });
  }
  bool is_settled() {
    return within(5s, [&] { return settled_.has_value(); });
  }

  env::sim::World world_{5};
  hub::SimulatedHubs hubs_{world_};
  hub::Client client_{world_.start("client").view(), hubs_.home(), hub::Access::operator_of_home()};
  workflow::Pinned pinned_ = workflow::pinned_for_test({workflow::agent_phase("build")});
  env::sim::Host* engine_ = &world_.start("engine");
  agent::FakeDriver driver_;
  ItemTasks tasks_{client_, pinned_.run};
  std::unique_ptr<Crew> crew_;
  std::string told_;
  std::optional<RunEvent> settled_;
  std::vector<RunEvent> news_;
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

TEST_F(CrewTest, ATeamIsReplacedWhenItsRunIsOver) {
  auto& other = world_.start("other");
  start_run("w-20261116-ffff", other);
  call("team.create", {{"team", "spec-01"}, {"run", "w-20261116-ffff"}, {"members", {"stranger"}}});
  world_.kill(other);
  const std::string told = make_team(false);
  EXPECT_NE(told.find("teamster resume w-20261116-ffff"), std::string::npos) << "it can be taken up: " << told;
  const Json lease = call("run.lease", {{"run", "w-20261116-ffff"}, {"holder", holder(*engine_)}});
  const Json ended = Json::parse(R"([{"kind":"run.ended","body":{"status":"done"}}])");
  call("run.append", {{"run", "w-20261116-ffff"}, {"lease", lease["lease"]}, {"after", 2}, {"records", ended}});
  EXPECT_EQ(make_team(false, 2), "run.team_ready");
  const Json team = call("team.status", {{"team", "spec-01"}});
  EXPECT_EQ(team["owner"]["run"], pinned_.run);
  EXPECT_TRUE(team["members"].empty());
}

TEST_F(CrewTest, OfTwoThatMakeATeamAtOnceTheFirstHasIt) {
  const std::string other = "w-20261116-ffff";
  start_run(other, world_.start("other"));
  call("team.create", {{"team", "spec-00"}, {"run", other}});
  EXPECT_EQ(make_team(false), "run.team_ready") << "where the workflow does not ask for one at a time both have theirs";
  ASSERT_EQ(end_team(), "run.team_gone");
  workflow::Precondition alone;
  alone.kind = workflow::Precondition::Kind::idle;
  pinned_.workflow.preconditions = {alone};
  restart();
  const std::string told = make_team(false, 2);
  EXPECT_NE(told.find("team spec-00 was made first"), std::string::npos) << told;
  EXPECT_EQ(call("team.list", Json::object())["teams"].size(), 1U) << "nothing is left of the second";
  call("team.delete", {{"team", "spec-00"}, {"force", true}});
  EXPECT_EQ(make_team(false, 3), "run.team_ready");
}

TEST_F(CrewTest, IsDeletedWhenWhatNamesItHasSettled) {
  make_team(false);
  EXPECT_EQ(end_team(4s), "nothing");
  EXPECT_EQ(call("team.list", Json::object())["teams"].size(), 1U) << "what names it may be read until then";
  EXPECT_EQ(told_, "run.team_gone") << "after the five seconds of this call";
  EXPECT_EQ(call("team.list", Json::object())["teams"].size(), 0U);
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

TEST_F(CrewTest, ATurnThatEndedBeforeTheEngineDiedIsSettledFromTheJournal) {
  make_team(false);
  say("Do it.", true);
  ASSERT_TRUE(is_said("Do it."));
  agent().answer("built", {.input_tokens = 7, .cost_usd = 0.5});
  ASSERT_TRUE(is_settled());
  const RunEvent lived = *settled_;  // of which the engine that dies records nothing
  kill_engine();
  ASSERT_TRUE(engine_->view().files.remove_tree(hubs_.home().member_directory("spec-01", "builder")))
      << "transcript too";
  const int starts = driver_.starts;
  say("Do it.", true, true);
  ASSERT_TRUE(is_settled());
  ASSERT_TRUE(settled_->is<event::Done>());
  EXPECT_EQ(workflow::fields_of(settled_->body), workflow::fields_of(lived.body)) << "whoever tells it";
  EXPECT_EQ(settled_->as<event::Done>()->answer, Json::parse(R"({"text":"built"})"));
  EXPECT_EQ(settled_->as<event::Done>()->usage->input_tokens, 7);
  world_.run_for(10s);
  EXPECT_EQ(driver_.starts, starts) << "nobody is asked again";
}

TEST_F(CrewTest, ATurnThatFailedBeforeTheEngineDiedIsNotDone) {
  make_team(false);
  say("Do it.", true);
  ASSERT_TRUE(is_said("Do it."));
  agent().take();
  agent().fail_turn(agent::Fault::rate_limit, "429");
  ASSERT_TRUE(is_settled());
  kill_engine();
  say("Do it.", true, true);
  ASSERT_TRUE(is_settled());
  const auto* failed = settled_->as<event::Failed>();
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->fault, "rate_limit");
  EXPECT_EQ(failed->error, "429");
}

TEST_F(CrewTest, ATurnThatDidNotEndIsSaidAgain) {
  make_team(false);
  say("Do it.", true);
  ASSERT_TRUE(is_said("Do it."));
  agent().resumable("conversation-1");
  agent().take();
  agent().speak("I begin");
  kill_engine();
  driver_.current = nullptr;
  say("Do it.", true, true);
  ASSERT_TRUE(is_said("Do it."));
  EXPECT_NE(agent().inputs.back().text.find("You may have begun this before"), std::string::npos);
  agent().answer("built");
  ASSERT_TRUE(is_settled());
  EXPECT_TRUE(settled_->is<event::Done>());
}

TEST_F(CrewTest, AsLongAsTheHubIsAwayNobodyIsAskedAgain) {
  make_team(false);
  say("Do it.", true);
  ASSERT_TRUE(is_said("Do it."));
  agent().answer("built");
  ASSERT_TRUE(is_settled());
  kill_engine();
  const int starts = driver_.starts;
  hubs_.keep_away(true);
  say("Do it.", true, true);
  world_.run_for(3 * limits::kClientGiveUpAfter);
  EXPECT_FALSE(settled_);
  hubs_.keep_away(false);
  ASSERT_TRUE(within(30s, [&] { return settled_.has_value(); }));
  EXPECT_TRUE(settled_->is<event::Done>());
  EXPECT_EQ(driver_.starts, starts);
}

TEST_F(CrewTest, AMemberThatComesBackWithoutItsConversationIsLost) {
  make_team(false);
  say("Do it.", true);
  ASSERT_TRUE(is_said("Do it."));
  agent().answer("built");  // and never says under which name the conversation can be taken up
  ASSERT_TRUE(is_settled());
  kill_engine();
  say("Go on.", false, false, 2);
  ASSERT_TRUE(is_settled());
  ASSERT_TRUE(settled_->is<event::MemberLost>());
  EXPECT_EQ(settled_->step, "build");
  EXPECT_EQ(settled_->attempt, 2);
  EXPECT_EQ(settled_->as<event::MemberLost>()->member, "builder");
  EXPECT_TRUE(agent().inputs.empty()) << "it would not understand it";
  say("All of it.", true, false, 3);
  ASSERT_TRUE(is_said("All of it."));
  agent().answer("built");
  ASSERT_TRUE(is_settled());
  say("Go on.", false, false, 4);
  ASSERT_TRUE(is_said("Go on.")) << "now it knows";
}

TEST_F(CrewTest, AConversationThatIsLostInATurnIsAnEventOfThatTurn) {
  make_team(false);
  say("Do it.", true);
  ASSERT_TRUE(is_said("Do it."));
  agent().resumable("conversation-1");
  agent().answer("built");
  ASSERT_TRUE(is_settled());
  say("Go on.", false, false, 2);
  ASSERT_TRUE(is_said("Go on."));
  agent().take();
  agent().die("exited with code 1: no conversation found", true);
  ASSERT_TRUE(is_settled());
  ASSERT_TRUE(settled_->is<event::MemberLost>());
  EXPECT_EQ(settled_->attempt, 2);
  EXPECT_EQ(settled_->as<event::MemberLost>()->why, "exited with code 1: no conversation found");
  EXPECT_TRUE(news_.empty());
}

TEST_F(CrewTest, AConversationThatIsLostBetweenTurnsIsNews) {
  make_team(false);
  say("Do it.", true);
  ASSERT_TRUE(is_said("Do it."));
  agent().resumable("conversation-1");
  agent().answer("built");
  ASSERT_TRUE(is_settled());
  agent().die("was killed by signal 9");
  ASSERT_TRUE(within(5s, [&] { return driver_.starts == 2; }));
  agent().die("exited with code 1: no conversation found", true);
  ASSERT_TRUE(within(5s, [&] { return !news_.empty(); }));
  ASSERT_EQ(news_.size(), 1U);
  ASSERT_TRUE(news_[0].is<event::MemberLost>());
  EXPECT_EQ(news_[0].step, "");
  EXPECT_EQ(news_[0].as<event::MemberLost>()->member, "builder");
}

}  // namespace
}  // namespace teamster::engine
