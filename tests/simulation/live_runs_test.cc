// Runs that start others, on the simulated machine: the whole of what drives them (LiveRun with its effects, sub-runs,
// preparation and closing), the real hub, a person who approves, and engines that are killed at every point of both
// journals.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/live_run.h"
#include "engine/run_closing.h"
#include "engine/run_preparation.h"
#include "env/sim/sim_world.h"
#include "project/workflow_place.h"
#include "protocol/client/call.h"
#include "protocol/client/run_calls.h"
#include "support/simulated_hubs.h"

namespace teamster::simulation {
namespace {

constexpr const char* kPlace = "/home/user/project";

constexpr const char* kAsking = R"(
name: asking
about: Asks.
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

constexpr const char* kOuter = R"(
name: outer
about: Lets another ask, twice.
phases:
  - id: each
    kind: workflow
    workflow: asking
    items: [first, second]
)";

// One process that drives runs, with the person who sits there.
class Engine {
 public:
  Engine(env::sim::World& world, hub::SimulatedHubs& hubs, std::function<void(const engine::Point&)> on_point)
      : world_(world),
        host_(world.start("engine")),
        hub_(host_.view(), hubs.home(), hub::Access::operator_of_home()),
        parts_{
            .world = host_.view(), .stage = host_.view(), .hub = hub_, .home = hubs.home(), .variable = no_variable} {
    parts_.observer.on_point = std::move(on_point);
    parts_.observer.on_question = [this](const std::string& run, const workflow::RunCommand& question, bool again) {
      if (!again) asked.push_back(fmt::format("{}/{}", run, question.id()));
      if (approves) approve(run, question.id());
    };
  }

  void run() {
    preparation_ = std::make_unique<engine::RunPreparation>(parts_.world, hub_, no_variable);
    const cli::WorkflowPlaces places(parts_.world.files, no_variable, kPlace);
    engine::RunRequest request{.found = *places.find("outer")};
    request.setup.project = kPlace;
    // The same name each time, as of a workflow with a key; what an engine has begun is taken up.
    request.run = "outer-20261116-1a2b";
    hub::ask(hub_, hub::GetRun{request.run},
             [this, request](const Result<hub::GetRun::Answer>& found) { found ? take_up(*found) : start(request); });
  }
  void close(const std::string& run) {
    closing_ = std::make_unique<engine::RunClosing>(parts_, run, "kim",
                                                    [this](const Result<std::string>& status) { closed = status; });
    closing_->start();
  }
  void kill() {
    if (host_.is_alive()) world_.kill(host_);
  }
  bool is_over() const { return over.has_value() || closed.has_value() || !host_.is_alive(); }

  bool approves = true;
  bool has_ended_before = false;  // the engine died behind its last write
  std::optional<Result<void>> over;
  std::optional<Result<std::string>> closed;
  std::vector<std::string> asked;
  std::unique_ptr<engine::LiveRun> live;

 private:
  static std::optional<std::string> no_variable(const char*) { return std::nullopt; }
  auto on_over() {
    return [this](const Result<void>& outcome) { over = outcome; };
  }
  void start(const engine::RunRequest& request) {
    preparation_->prepare(request, [this](Result<engine::PreparedRun> prepared) {
      if (!prepared) {
        over = fail(prepared.error());
        return;
      }
      auto& fresh = std::get<engine::RunToStart>(*prepared);
      live = std::make_unique<engine::LiveRun>(parts_, std::move(fresh.pinned), std::move(fresh.setup), on_over());
      CHECK(live->start(fresh.key, std::move(fresh.started)));
    });
  }
  void take_up(const hub::GetRun::Answer& found) {
    if (found.run.has_ended()) {
      has_ended_before = true;
      over = Result<void>();
      return;
    }
    auto read = engine::read_pinned_run(parts_.world.files, parts_.home, found);
    if (!read) {
      over = fail(read.error());
      return;
    }
    live = std::make_unique<engine::LiveRun>(parts_, std::move(read->pinned), std::move(read->setup), on_over());
    live->take_up();
  }
  void approve(const std::string& run, const std::string& question) {
    Json body = {{"question", question}, {"by", "kim"}, {"approved", true}};
    hub_.call({"run.tell", {{"run", run}, {"what", "answer"}, {"body", std::move(body)}}}, [](const Result<Json>&) {});
  }

  env::sim::World& world_;
  env::sim::Host& host_;
  hub::Client hub_;
  engine::LiveRunParts parts_;
  std::unique_ptr<engine::RunPreparation> preparation_;
  std::unique_ptr<engine::RunClosing> closing_;
};

class LiveRuns : public testing::Test {
 protected:
  LiveRuns() {
    auto& host = world_.start("setup");
    for (const auto& [name, text] : std::map<std::string, std::string>{{"asking", kAsking}, {"outer", kOuter}}) {
      const std::string directory = fmt::format("{}/.teamster/workflows/{}", kPlace, name);
      CHECK(host.view().files.make_private_directory(directory));
      CHECK(host.view().files.write_atomically(directory + "/workflow.yaml", text, 0600));
    }
    world_.kill(host);
  }
  // {workflow: statuses}
  std::map<std::string, std::vector<std::string>> statuses() {
    auto& host = world_.start("reader");
    std::map<std::string, std::vector<std::string>> found;
    {
      hub::Client client(host.view(), hubs_.home(), hub::Access::operator_of_home());
      const auto list = client.call_and_wait({"run.list", {{"all", true}}});
      EXPECT_TRUE(list) << list.error().text();
      if (list)
        for (const auto& run : list->at("runs"))
          found[run.at("workflow").get<std::string>()].push_back(run.value("status", "under way"));
    }
    if (host.is_alive()) world_.kill(host);
    return found;
  }
  using Statuses = std::map<std::string, std::vector<std::string>>;

  env::sim::World world_{7};
  hub::SimulatedHubs hubs_{world_};
};

TEST_F(LiveRuns, ASubRunLivesInTheProcessOfItsParent) {
  Engine engine(world_, hubs_, [](const engine::Point&) {});
  engine.run();
  ASSERT_TRUE(world_.run_until([&] { return engine.is_over(); }));
  ASSERT_TRUE(*engine.over) << engine.over->error().text();
  EXPECT_EQ(engine.live->state().status, "done");
  EXPECT_EQ(statuses(), (Statuses{{"asking", {"done", "done"}}, {"outer", {"done"}}}));
  EXPECT_EQ(engine.asked.size(), 2U);
}

TEST_F(LiveRuns, KilledAtEveryPointOfBothItGoesOn) {
  int points = 0;
  for (int at = 0;; ++at) {
    env::sim::World world(static_cast<std::uint64_t>(at) + 1);
    hub::SimulatedHubs hubs(world);
    auto& host = world.start("setup");
    for (const auto& [name, text] : std::map<std::string, std::string>{{"asking", kAsking}, {"outer", kOuter}}) {
      const std::string directory = fmt::format("{}/.teamster/workflows/{}", kPlace, name);
      CHECK(host.view().files.make_private_directory(directory));
      CHECK(host.view().files.write_atomically(directory + "/workflow.yaml", text, 0600));
    }
    world.kill(host);
    int seen = 0;
    std::unique_ptr<Engine> first;
    first = std::make_unique<Engine>(world, hubs, [&](const engine::Point&) {
      if (seen++ == at) first->kill();
    });
    first->run();
    ASSERT_TRUE(world.run_until([&] { return first->is_over(); })) << "point " << at;
    points = seen;
    const bool was_killed = seen > at;
    std::size_t asked = first->asked.size();
    Engine second(world, hubs, [](const engine::Point&) {});
    second.run();
    ASSERT_TRUE(world.run_until([&] { return second.is_over(); })) << "point " << at;
    ASSERT_TRUE(*second.over) << "point " << at << ": " << second.over->error().text();
    if (!second.has_ended_before) {
      EXPECT_EQ(second.live->state().status, "done") << "point " << at << ": " << second.live->state().reason;
    }
    asked += second.asked.size();
    EXPECT_LE(asked, 2U) << "point " << at << ": a question was asked anew";
    if (!was_killed) break;
  }
  EXPECT_GT(points, 15);
}

TEST_F(LiveRuns, ClosingAParentThatNobodyDrivesClosesWhatItStarted) {
  Engine engine(world_, hubs_, [](const engine::Point&) {});
  engine.approves = false;
  engine.run();
  ASSERT_TRUE(world_.run_until([&] { return !engine.asked.empty(); }));
  engine.kill();
  Engine closer(world_, hubs_, [](const engine::Point&) {});
  closer.close("outer-20261116-1a2b");
  ASSERT_TRUE(world_.run_until([&] { return closer.is_over(); }));
  ASSERT_TRUE(*closer.closed) << closer.closed->error().text();
  EXPECT_EQ(**closer.closed, "cancelled");
  EXPECT_EQ(statuses(), (Statuses{{"asking", {"cancelled"}}, {"outer", {"cancelled"}}}));
}

TEST_F(LiveRuns, CancellingOneThatLivesCancelsWhatItStartedFirst) {
  Engine engine(world_, hubs_, [](const engine::Point&) {});
  engine.approves = false;
  engine.run();
  ASSERT_TRUE(world_.run_until([&] { return !engine.asked.empty(); }));
  engine.live->cancel("kim", "terminal");
  ASSERT_TRUE(world_.run_until([&] { return engine.is_over(); }));
  EXPECT_EQ(engine.live->state().status, "cancelled");
  EXPECT_EQ(statuses(), (Statuses{{"asking", {"cancelled"}}, {"outer", {"cancelled"}}}));
}

TEST_F(LiveRuns, OneThatWasLetGoIsTakenUpByAnother) {
  auto engine = std::make_unique<Engine>(world_, hubs_, [](const engine::Point&) {});
  engine->approves = false;
  engine->run();
  ASSERT_TRUE(world_.run_until([&] { return !engine->asked.empty(); }));
  engine->live->let_go();
  ASSERT_TRUE(world_.run_until([&] { return engine->is_over(); }));
  EXPECT_TRUE(*engine->over);
  Engine next(world_, hubs_, [](const engine::Point&) {});
  next.run();
  ASSERT_TRUE(world_.run_until([&] { return next.is_over(); }));
  ASSERT_TRUE(*next.over) << next.over->error().text();
  EXPECT_EQ(next.live->state().status, "done") << next.live->state().reason;
}

}  // namespace
}  // namespace teamster::simulation
