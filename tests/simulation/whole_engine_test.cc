// Kill everywhere, in a run with all that an engine does besides turns one after the other (scene.h: whole_engine). The
// engine, the hub or the keeper is killed at every point of the journal; the run always ends with the same answers and
// files, and nobody is asked the same twice.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "simulation/engine_stage.h"

namespace teamster::simulation {
namespace {

enum class Struck { nobody, engine, hub, keeper };

struct WholeEnding {
  std::string status;
  Json answers = Json::object();
  std::string tasks;
  std::string state;
  std::string stray;
  std::map<std::string, int> asked;
  std::vector<std::string> points;
  std::vector<std::string> problems;
  int kills = 0;
};

class WholeEngine : public testing::Test {
 protected:
  WholeEnding play(std::uint64_t seed, Struck struck, const std::string& where) {
    EngineStage stage(seed, scene_);
    WholeEnding ending;
    for (int engines = 0; engines < kEnginesMax; ++engines) {
      auto engine = stage.start_engine([&](EngineProcess& process, const engine::Point& point) {
        ending.points.push_back(point.text());
        if (point.text() == where && ending.kills++ == 0) strike(stage, process, struck);
      });
      stage.world().run_until([&] { return !engine->is_alive() || engine->outcome(); });
      stage.hubs().bury();
      if (engine->has_finished()) return finish(stage, engine->state(), ending);
      if (const auto ended = stage.ended_state()) return finish(stage, *ended, ending);
      if (stage.world().loop().is_out_of_steps()) break;
    }
    ending.problems.push_back("it did not end");
    return ending;
  }

  const Scene scene_ = whole_engine();

 private:
  static constexpr int kEnginesMax = 8;

  static void strike(EngineStage& stage, EngineProcess& engine, Struck struck) {
    if (struck == Struck::engine) engine.kill();
    if (struck == Struck::hub) stage.hubs().kill();
    if (struck == Struck::keeper) stage.world().kill_children(engine.host());
  }
  static WholeEnding finish(EngineStage& stage, const workflow::RunState& state, WholeEnding ending) {
    stage.check(state);
    ending.status = state.status + state.reason;
    for (const auto& [phase, answer] : state.answers) ending.answers[phase] = answer.value;
    ending.tasks = stage.text_of("tasks.md");
    ending.state = stage.text_of("state.json");
    ending.stray = stage.text_of("stray.txt");
    ending.asked = stage.asked();
    ending.problems = stage.witness().problems();
    return ending;
  }
};

TEST_F(WholeEngine, AtEveryPointOfTheJournalItEndsTheSame) {
  const WholeEnding baseline = play(1, Struck::nobody, "");
  ASSERT_EQ(baseline.problems, std::vector<std::string>());
  ASSERT_EQ(baseline.status, "done");
  EXPECT_EQ(baseline.tasks, "- [x] one\n- [x] [P] two\n- [x] [P] three\n");
  EXPECT_EQ(baseline.answers["review"], Json::parse(R"({"heard": "left"})"));
  EXPECT_EQ(baseline.answers["work"].size(), 3U);
  EXPECT_EQ(baseline.stray, "") << "a role without writes wrote it";
  EXPECT_EQ(baseline.asked,
            (std::map<std::string, int>{{"approve.1", 1}, {"review/ask-1.1", 1}, {"work/2/stuck.1", 1}}));
  std::uint64_t seed = 1;
  std::size_t kills = 0;
  for (const auto& point : baseline.points)
    for (const Struck struck : {Struck::engine, Struck::hub, Struck::keeper}) {
      SCOPED_TRACE(fmt::format("{} at {}, seed {}", static_cast<int>(struck), point, ++seed));
      const WholeEnding ending = play(seed, struck, point);
      kills += ending.kills > 0 ? 1 : 0;
      EXPECT_EQ(ending.problems, std::vector<std::string>());
      EXPECT_EQ(ending.status, baseline.status);
      EXPECT_EQ(ending.answers, baseline.answers);
      EXPECT_EQ(ending.tasks, baseline.tasks);
      EXPECT_EQ(ending.state, baseline.state);
      EXPECT_EQ(ending.stray, "");
      for (const auto& [question, times] : baseline.asked) EXPECT_TRUE(ending.asked.contains(question)) << question;
      for (const auto& [question, times] : ending.asked) {
        // An agent that dies with its keeper begins its turn anew, and may do so after it was answered.
        EXPECT_TRUE(baseline.asked.contains(question) || struck == Struck::keeper) << question;
        EXPECT_LE(times, 1) << question;
      }
      if (HasFailure()) return;
    }
  fmt::print("{} points, {} kills\n", baseline.points.size(), kills);
  // Items that run at once pass some points in another order, and with another number of attempts.
  EXPECT_GT(kills * 10, baseline.points.size() * 3 * 9);
}

}  // namespace
}  // namespace teamster::simulation
