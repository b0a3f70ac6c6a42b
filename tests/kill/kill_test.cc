// Kill everywhere, with real processes: SIGKILL of engine, hub, keeper and each member at every named point of the
// journal of a run. It goes on and ends with the same files and commits; nothing that is settled is done again, and no
// process is left. `./dev test-kill` does all of it; `./dev test` a sample, chosen by TEAMSTER_SEED.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kill/scene.h"

namespace teamster::kill {
namespace {

using Attempts = std::map<std::string, std::int64_t>;  // by step

// How many times each step was tried.
Attempts attempts_in(const std::vector<Json>& journal) {
  Attempts attempts;
  for (const auto& event : journal) {
    const Json& body = event.at("kind") == "run.started" ? event.at("body").at("body") : event.at("body");
    for (const auto& command : body.value("then", Json::array()))
      if (command.contains("step")) ++attempts[command.at("step").get<std::string>()];
  }
  return attempts;
}

std::int64_t sum_of(const Attempts& attempts) {
  std::int64_t sum = 0;
  for (const auto& [step, count] : attempts) sum += count;
  return sum;
}

void expect_settled_once(const std::vector<Json>& journal) {
  std::set<std::string> settled;
  for (const auto& event : journal) {
    const Json& body = event.at("body");
    if (!body.contains("step") || event.at("kind") == "run.told") continue;
    const std::string id = fmt::format("{}.{}", body.at("step").get<std::string>(), body.value("attempt", 0));
    EXPECT_TRUE(settled.insert(id).second) << id << " was settled twice";
  }
}

struct Baseline {
  std::vector<std::string> points;
  Traces traces;
  Attempts attempts;
};

Baseline play_baseline() {
  Scene scene;
  scene.play();
  EXPECT_EQ(scene.interruptions(), 0) << scene.said();
  const auto journal = scene.journal();
  expect_settled_once(journal);
  Baseline baseline{points_of(journal), scene.traces(), attempts_in(journal)};
  EXPECT_EQ(scene.left_over(), std::vector<pid_t>()) << scene.said();
  return baseline;
}

constexpr std::array kVictims = {"engine", "hub", "keeper", "builder", "tester", "reviewer"};

class KillTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { baseline_ = new Baseline(play_baseline()); }
  static void TearDownTestSuite() { delete baseline_; }

  // Whose death takes an agent's turn with it.
  static bool takes_a_turn(const std::string& victim) { return victim != "engine" && victim != "hub"; }

  void kill_at(const std::string& victim, const std::string& point) {
    SCOPED_TRACE(fmt::format("{} was killed at {}", victim, point));
    Scene scene;
    scene.play(fmt::format("kill {}@{}", victim, point));
    if (HasFatalFailure()) return;
    const bool struck = scene.interruptions() > 0 || scene.said().find("fault: there is no") == std::string::npos;
    ++(struck ? kills_ : absences_);
    const auto journal = scene.journal();
    const Traces traces = scene.traces();
    EXPECT_EQ(traces.files, baseline_->traces.files);
    EXPECT_EQ(traces.commits, baseline_->traces.commits);
    EXPECT_EQ(traces.dirt, "");
    EXPECT_EQ(journal.back().at("body").at("status"), "done");
    expect_settled_once(journal);
    const auto extra = sum_of(attempts_in(journal)) - sum_of(baseline_->attempts);
    EXPECT_GE(extra, 0);
    EXPECT_LE(extra, takes_a_turn(victim) && struck ? 1 : 0) << "a step was tried again without a reason";
    EXPECT_EQ(scene.left_over(), std::vector<pid_t>());
    if (HasFailure()) fmt::print("{}\n", scene.said());
  }

  static Baseline* baseline_;
  std::size_t kills_ = 0;
  std::size_t absences_ = 0;
};

Baseline* KillTest::baseline_ = nullptr;

class KillEverywhere : public KillTest, public testing::WithParamInterface<const char*> {};

TEST_P(KillEverywhere, ItEndsTheSame) {
  const std::string victim = GetParam();
  const auto& points = baseline_->points;
  ASSERT_GT(points.size(), 30U);
  for (const auto& point : points) {
    kill_at(victim, point);
    if (HasFailure()) return;
  }
  fmt::print("{}: {} points, killed at {}, not there yet or any more at {}\n", victim, points.size(), kills_,
             absences_);
  EXPECT_EQ(kills_ + absences_, points.size());
  if (!takes_a_turn(victim)) {
    EXPECT_EQ(kills_, points.size());
  }
  EXPECT_GT(kills_, points.size() / 4);
}

INSTANTIATE_TEST_SUITE_P(Victims, KillEverywhere, testing::ValuesIn(kVictims),
                         [](const auto& param) { return std::string(param.param); });

class KillSample : public KillTest {};

// Whom and where the seed says; a member that is not there at its point does not count.
TEST_F(KillSample, ItEndsTheSame) {
  constexpr std::size_t kKills = 12;
  const char* given = std::getenv("TEAMSTER_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  std::mt19937_64 random(seed);
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* victim : kVictims)
    for (const auto& point : baseline_->points) all.emplace_back(victim, point);
  std::shuffle(all.begin(), all.end(), random);
  for (const auto& [victim, point] : all) {
    kill_at(victim, point);
    if (HasFailure()) {
      fmt::print("again: TEAMSTER_SEED={}\n", seed);
      return;
    }
    if (kills_ == kKills) break;
  }
  EXPECT_EQ(kills_, kKills);
}

// What was pinned at the start is what the run uses, whatever becomes of the files.
TEST(Pinned, AnEditedWorkflowDoesNotChangeARunInFlight) {
  Scene scene;
  const std::string workflow = scene.home().scratch() + "/implement-spec";
  std::filesystem::copy(std::string(TEAMSTER_SOURCE_DIR) + "/workflows/implement-spec", workflow,
                        std::filesystem::copy_options::recursive);
  e2e::Words words = scene.run_words();
  words[1] = workflow;
  words.insert(words.end(), {"--fault", "kill engine@step.done:verify.1:after"});
  ASSERT_EQ(scene.teamster(words), 128 + SIGKILL) << scene.said();
  e2e::write_file(workflow + "/phases/unit-tests.md", "EDITED AFTER THE START");
  e2e::write_file(workflow + "/workflow.yaml", "name: implement-spec\nphases: []\n");
  ASSERT_EQ(scene.teamster({"resume"}), 0) << scene.said();
  std::string prompts;
  for (const auto& event : scene.journal())
    for (const auto& command : event.at("body").value("then", Json::array())) prompts += command.value("prompt", "");
  EXPECT_NE(prompts.find("[PHASE 3: "), std::string::npos);
  EXPECT_EQ(prompts.find("EDITED AFTER THE START"), std::string::npos);
  const Json manifest = Json::parse(e2e::read_file(scene.project() + "/progress/spec-01/manifest.json"));
  EXPECT_EQ(manifest["status"], "done");
  EXPECT_EQ(manifest["next_sequence"], 11);
}

}  // namespace
}  // namespace teamster::kill
