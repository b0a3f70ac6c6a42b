#include "simulation/rehearsed_project.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "builtin/files.h"
#include "support/simulated_agents.h"
#include "support/simulated_git.h"

namespace teamster::simulation {
namespace {

constexpr std::size_t kExampleFileMaxBytes = 1 << 20;
// A turn that was cut off may be begun again and again.
constexpr int kCopies = 12;

void write_file(env::Files& files, const std::string& path, const std::string& text) {
  CHECK(files.make_private_directory(path.substr(0, path.rfind('/'))));
  CHECK(files.write_atomically(path, text, 0644));
}

std::string text_of(env::Files& files, const std::string& path) {
  return files.read(path, kExampleFileMaxBytes).value_or("");
}

// What goes wrong in a turn, before one of its steps.
Json trouble_steps(env::sim::SimRandom& random) {
  static const std::array kTroubles = {
      R"([{"sleep": "2s"}])",
      R"([{"sleep": "20s"}])",
      R"([{"mute": {}}])",
      R"([{"garble": "Segmentation fault"}])",
      R"([{"partial": "{\"type\": \"assis"}, {"crash": {"signal": 9}}])",
      R"([{"crash": {"exit": 1}}])",
      R"([{"deaf": {"eof": true}}, {"sleep": "1s"}])",
      R"([{"deaf": {"eof": true}}, {"mute": {}}])",
      R"([{"huge": {"bytes": 200000}}])",
      R"([{"unsolicited": {"text": "by the way"}}])",
      R"([{"error": {"status": 529, "message": "Overloaded", "retries": 1}}])",
  };
  return Json::parse(kTroubles[random.below(kTroubles.size())]);
}

Json with_trouble(Json turn, env::sim::SimRandom& random) {
  Json& steps = turn.at("steps");
  Json played = Json::array();
  const std::size_t at = random.below(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == at)
      for (const auto& step : trouble_steps(random)) played.push_back(step);
    played.push_back(steps[i]);
  }
  steps = std::move(played);
  return turn;
}

// Whether `sh test.sh` would pass.
bool tests_pass(env::Files& files, const std::string& directory) {
  const std::string shout = text_of(files, directory + "/src/shout.sh");
  const bool is_mended = shout.find("printf") != std::string::npos;
  return text_of(files, directory + "/tests/unit/shout_test.sh").empty() || is_mended;
}

ShellAnswer run_tests(env::Files& files, const std::string& directory) {
  const bool pass = tests_pass(files, directory);
  return {pass ? 0 : 1, pass ? "all passed\n" : "not ok shout-blanks-in-a-word\n"};
}

std::vector<std::string> uncommitted(const SimulatedRepository& repository) {
  auto paths = repository.changed();
  std::erase_if(paths, [](const std::string& path) { return path.starts_with("progress/"); });
  return paths;
}

ShellAnswer builder_commits(env::Files& files, const std::string& directory) {
  SimulatedRepository repository(files, directory);
  (void)files.remove_tree(repository.lock());
  repository.commit(uncommitted(repository), kBuilderCommit, "");
  return {};
}

ShellAnswer is_committed(env::Files& files, const std::string& directory) {
  const SimulatedRepository repository(files, directory);
  if (!uncommitted(repository).empty()) return {1, "there are files left\n"};
  return {repository.log().back().message == kBuilderCommit ? 0 : 1};
}

ShellAnswer head(env::Files& files, const std::string& directory) {
  return {0, SimulatedRepository(files, directory).log().back().hash + "\n"};
}

SimulatedShell::Command succeeds_with(const std::string& path) {
  return [path](env::Files& files, const std::string& directory) -> ShellAnswer {
    return {text_of(files, directory + "/" + path).empty() ? 1 : 0};
  };
}

// The shell's words for "these fail" and "these pass", with exit code 3 otherwise.
SimulatedShell::Command tests_as_expected(bool expected) {
  return [expected](env::Files& files, const std::string& directory) -> ShellAnswer {
    return {tests_pass(files, directory) == expected ? 0 : 3};
  };
}

}  // namespace

void write_project(env::Files& files) {
  for (const auto& [path, text] : builtin::files_below("examples/plain"))
    if (!path.starts_with("rehearsal/")) write_file(files, fmt::format("{}/{}", kProject, path), text);
  SimulatedRepository repository(files, kProject);
  repository.commit(repository.changed(), "chore: begin", "");
}

int write_scripts(env::Files& files, const Troubles& troubles, env::sim::SimRandom& random) {
  int count = 0;
  for (const auto& [name, text] : builtin::files_below("examples/plain/rehearsal")) {
    const Json example = Json::parse(text);
    Json turns = Json::array();
    Json calm = Json::array();
    std::string before;
    for (const auto& turn : example.at("turns")) {
      // The example has each of them twice.
      if (turn.dump() == before) continue;
      before = turn.dump();
      const bool is_troubled = random.chance(troubles.chance);
      count += is_troubled ? 1 : 0;
      for (int copy = 0; copy < kCopies; ++copy) {
        turns.push_back(is_troubled && copy == 0 ? with_trouble(turn, random) : turn);
        calm.push_back(turn);
      }
    }
    const std::string path = fmt::format("{}/{}", kScripts, name);
    write_file(files, path, dump_json({{"turns", turns}}));
    write_file(files, SimulatedAgents::calm(path), dump_json({{"turns", calm}}));
  }
  return count;
}

bool is_of_agents(const std::string& path) {
  const std::string project = std::string(kProject) + "/";
  return path.starts_with(project + "src") || path.starts_with(project + "tests") ||
         path.find("/script/") != std::string::npos || path.ends_with("/agent.json");
}

SimulatedShell::Commands project_commands() {
  return {
      {"sh test.sh", run_tests},
      {"said=$(sh test.sh) && exit 3", tests_as_expected(false)},
      {"said=$(sh test.sh) && printf", tests_as_expected(true)},
      {"sh -n tests/unit/shout_test.sh", succeeds_with("tests/unit/shout_test.sh")},
      {"sh -n tests/e2e/shout_test.sh", succeeds_with("tests/e2e/shout_test.sh")},
      {"test \"$(sh say.sh shout hello)\"", succeeds_with("src/shout.sh")},
      {"ls tests/e2e", succeeds_with("tests/e2e/shout_test.sh")},
      {"cat src/shout.sh", succeeds_with("src/shout.sh")},
      {"git status --short", head},
      {"rm -f .git/*.lock", builder_commits},
      {"test \"$(git log -1 --format=%s)\"", is_committed},
      {"git rev-parse HEAD", head},
      {"left=$(git status --porcelain", is_committed},
  };
}

}  // namespace teamster::simulation
