// Kill everywhere: a run of implement-spec in the simulator, with the real effects and scripted agents, whose engine,
// hub or keeper is killed at every point of its journal, before and after the commit and in between. It always ends
// with the same state, the same files and the same commits, and nothing that is settled is done again.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "simulation/engine_stage.h"

namespace teamster::simulation {
namespace {

enum class Victim { nobody, engine, engine_soon, hub, keeper };

std::string_view to_string(Victim victim) {
  switch (victim) {
    case Victim::nobody:
      return "nobody";
    case Victim::engine:
      return "the engine";
    case Victim::engine_soon:
      return "the engine, a little later";
    case Victim::hub:
      return "the hub";
    case Victim::keeper:
      break;
  }
  return "the keeper";
}

struct Ending {
  std::string state;  // without how long it took
  std::map<std::string, std::string> ledger;
  std::vector<std::string> commits;
  std::vector<std::string> points;   // as they were passed
  std::vector<std::string> settled;  // records of the engines, in order: "step.done verify.1"
  int kills = 0;
  int processes = 0;
  std::vector<std::string> problems;
};

class Play {
 public:
  Play(std::uint64_t seed, const Scene& scene, Victim victim, std::string where)
      : stage_(seed, scene), victim_(victim), where_(std::move(where)) {}

  Ending run() {
    while (true) {
      auto engine = stage_.start_engine([this](EngineProcess& process, const engine::Point& point) {
        ending_.points.push_back(point.text());
        if (point.text() == where_) strike(process);
      });
      stage_.world().run_until([&] { return !engine->is_alive() || engine->outcome(); });
      stage_.hubs().bury();
      if (engine->has_finished()) return finish(engine->state());
      if (engine->is_alive() && engine->outcome()) {
        if (const auto ended = stage_.ended_state()) return finish(*ended);
        // Who was killed while it started the run may have succeeded after all.
        if (engine->outcome()->error().code == Code::refused && ++refusals_ < 5) continue;
        stage_.witness().accuse("an engine gave up: " + engine->outcome()->error().text());
        return finish(engine->state());
      }
      if (stage_.world().loop().is_out_of_steps()) return finish(engine->state());
    }
  }

 private:
  void strike(EngineProcess& engine) {
    if (ending_.kills > 0) return;
    ++ending_.kills;
    if (victim_ == Victim::engine) engine.kill();
    if (victim_ == Victim::hub) stage_.hubs().kill();
    if (victim_ == Victim::keeper) stage_.world().kill_children(engine.host());
    if (victim_ != Victim::engine_soon) return;
    // By somebody else, while what it has sent is on its way.
    auto& killer = stage_.world().start("killer");
    later_ = killer.view().loop.after(std::chrono::microseconds(stage_.world().random().next() % 8000),
                                      [&engine] { engine.kill(); });
  }

  Ending finish(const workflow::RunState& state) {
    later_.reset();
    stage_.check(state);
    if (state.status != workflow::status::kDone)
      stage_.witness().accuse(fmt::format("it ended as {}: {}", state.status, state.reason));
    workflow::RunState compared = state;
    compared.worked_ms.clear();
    ending_.state = workflow::to_json(compared).dump();
    ending_.ledger = stage_.ledger();
    ending_.commits = stage_.commits();
    for (const auto& event : stage_.journal()) {
      const std::string kind = event.at("kind");
      if (kind == "run.leased" || kind == "run.renewed") continue;
      ending_.settled.push_back(fmt::format("{} {}.{}", kind, event.at("body").value("step", ""),
                                            event.at("body").value("attempt", std::int64_t{0})));
    }
    ending_.processes = stage_.witness().processes();
    ending_.problems = stage_.witness().problems();
    return ending_;
  }

  EngineStage stage_;
  const Victim victim_;
  const std::string where_;
  Ending ending_;
  env::Timer later_;
  int refusals_ = 0;
};

class EngineKill : public testing::Test {
 protected:
  Ending play(std::uint64_t seed, Victim victim = Victim::nobody, const std::string& where = {}) {
    return Play(seed, scene_, victim, where).run();
  }
  void expect_same(const Ending& ending, const Ending& baseline) {
    EXPECT_EQ(ending.problems, std::vector<std::string>());
    EXPECT_EQ(ending.state, baseline.state);
    EXPECT_EQ(ending.ledger, baseline.ledger);
    EXPECT_EQ(ending.commits, baseline.commits) << "each once, and no other";
    EXPECT_EQ(ending.settled, baseline.settled) << "the same records, each once";
  }

  const Scene scene_ = implement_spec();
};

TEST_F(EngineKill, TheBaselineIsTheRunOfTheDemo) {
  const Ending baseline = play(1);
  EXPECT_EQ(baseline.problems, std::vector<std::string>());
  std::vector<std::string> names;
  for (const auto& [name, content] : baseline.ledger) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"001-p01-implement.json", "002-p02-verify.json", "003-p03-unit-tests.json",
                                             "004-p04-e2e-tests.json", "005-p05-run-tests.json", "006-p06-fix.json",
                                             "007-p05-run-tests.json", "008-p07-screenshots.json",
                                             "009-p08-code-review.json", "010-p09-commit.json", "manifest.json"}));
  const Json manifest = Json::parse(baseline.ledger.at("manifest.json"));
  EXPECT_EQ(manifest["status"], "done");
  EXPECT_EQ(manifest["current_phase"], 10);
  EXPECT_EQ(manifest["next_sequence"], 11);
  EXPECT_EQ(manifest["iterations"], Json::parse(R"({"verify": 0, "test_fix": 1, "refactor": 0})"));
}

TEST_F(EngineKill, AtEveryPointOfTheJournalItEndsTheSame) {
  const Ending baseline = play(1);
  ASSERT_EQ(baseline.problems, std::vector<std::string>());
  std::map<Victim, int> kills;
  std::uint64_t seed = 1;
  for (const auto& point : baseline.points) {
    for (const Victim victim : {Victim::engine, Victim::engine_soon, Victim::hub, Victim::keeper}) {
      SCOPED_TRACE(fmt::format("{} was killed at {}, seed {}", to_string(victim), point, ++seed));
      const Ending ending = play(seed, victim, point);
      EXPECT_EQ(ending.kills, 1) << "the point was passed";
      if (victim == Victim::engine) {
        EXPECT_EQ(ending.processes, 2) << "it really died";
      }
      expect_same(ending, baseline);
      kills[victim] += ending.kills;
      if (HasFailure()) return;
    }
  }
  fmt::print("{} points: the engine was killed at {}, a little later at {}, the hub at {}, the keeper at {}\n",
             baseline.points.size(), kills[Victim::engine], kills[Victim::engine_soon], kills[Victim::hub],
             kills[Victim::keeper]);
  EXPECT_GT(baseline.points.size(), 30U);
  for (const auto& [victim, count] : kills) EXPECT_EQ(count, baseline.points.size()) << to_string(victim);
}

}  // namespace
}  // namespace teamster::simulation
