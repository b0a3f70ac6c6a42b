#include "e2e/spec_project.h"

#include <algorithm>
#include <filesystem>

namespace teamster::e2e {
namespace {

constexpr const char* kFence = "```";
constexpr int kRoundsPlayed = 8;  // more than any loop takes

bool is_for(const Json& turn, const std::string& phase) {
  return turn["when"]["contains"].get<std::string>().find(phase) != std::string::npos;
}

// The JSON in "[PHASE 5 RESULT]\n```json\n{…}\n```".
std::string with_answer(const std::string& words, const std::function<void(Json& answer)>& how) {
  const std::size_t begin = words.find('{');
  const std::size_t end = words.rfind(kFence);
  Json answer = Json::parse(words.substr(begin, end - begin));
  how(answer);
  return words.substr(0, begin) + answer.dump() + "\n" + kFence;
}

}  // namespace

Names names_in(const std::string& directory) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Process SpecProject::start(const Words& command, const std::string& directory) const {
  Start start;
  start.command = {"/usr/bin/env", "-C", directory};
  start.command.insert(start.command.end(), command.begin(), command.end());
  start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin",
                       "GIT_CONFIG_NOSYSTEM=1"};
  start.environment.insert(start.environment.end(), variables_.begin(), variables_.end());
  return Process(start);
}

Process SpecProject::teamster(Words words) const {
  words.insert(words.begin(), TEAMSTER_BINARY);
  return start(words, project_);
}

std::string SpecProject::shell(const std::string& command) const {
  Process process = start({"/bin/sh", "-c", command}, project_);
  EXPECT_EQ(process.wait(), 0) << command << process.err();
  return process.out();
}

Outcome SpecProject::run(Words words, const std::string& directory) const {
  words.insert(words.begin(), TEAMSTER_BINARY);
  Process process = start(words, directory);
  return outcome_of(process);
}

Outcome SpecProject::rehearse(Words more) const {
  Words words = {"rehearse", "implement-spec"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words, home_.scratch());
}

void SpecProject::use_example(const std::string& name) const {
  namespace fs = std::filesystem;
  fs::copy(std::string(TEAMSTER_SOURCE_DIR) + "/examples/" + name, project_, fs::copy_options::recursive);
  fs::rename(project_ + "/rehearsal", scripts_);
  shell(
      "git init -q . && git config user.name Ada && git config user.email ada@example.org && git add -A && "
      "git commit -q -m begin");
}

void SpecProject::make_rehearsal_home() const {
  namespace fs = std::filesystem;
  fs::create_directories(home_.path() + "/rehearsal");
  fs::permissions(home_.path(), fs::perms::owner_all);
  write_file(home_.path() + "/rehearsal/clock", std::string(16, '\0'));
}

Outcome SpecProject::run_spec(const Words& more, const std::string& workflow) const {
  Words words = {"run", workflow, "01", "--driver", "script", "--scripts", scripts_, "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words, project_);
}

void SpecProject::change(const std::string& role, const std::function<void(Json& script)>& how) const {
  const std::string file = scripts_ + "/" + role + ".json";
  Json script = Json::parse(read_file(file));
  how(script);
  write_file(file, script.dump());
}

void SpecProject::spoil(const std::string& role, const std::string& phase, const std::string& words) const {
  write_file(project_ + "/.git/words", words);
  change(role, [&](Json& script) {
    for (auto& turn : script["turns"]) {
      if (!is_for(turn, phase)) continue;
      write_file(project_ + "/.git/answer", turn["steps"].back()["say"]);
      turn["steps"] = Json::parse(
          R"([{"run": {"command": "if [ -e .git/tried ]; then cat .git/answer; else touch .git/tried; cat .git/words; fi",
                       "save": "words"}},
              {"say": "{{words}}"}])");
    }
    script["otherwise"] = Json::parse(R"([{"say": "I am still on it."}])");
  });
}

void SpecProject::always_answer(const std::string& role, const std::string& phase,
                                const std::function<void(Json& answer)>& how) const {
  change(role, [&](Json& script) {
    Json& turns = script["turns"];
    Json played;
    for (const auto& turn : turns)
      if (is_for(turn, phase)) played = turn;
    ASSERT_FALSE(played.is_null()) << phase;
    Json kept = Json::array();
    for (const auto& turn : turns)
      if (!is_for(turn, phase)) kept.push_back(turn);
    played["when"]["contains"] = phase;
    Json& words = played["steps"].back()["say"];
    words = with_answer(words, how);
    for (int round = 0; round < kRoundsPlayed; ++round) kept.push_back(played);
    turns = kept;
  });
}

Names SpecProject::asked(const std::string& run) const {
  Names names;
  const Json events = home_.ok({"log", run})["events"];
  for (const auto& event : events)
    for (const auto& command : event["body"].value("then", Json::array()))
      if (command["do"] == "turn")
        names.push_back(command["step"].get<std::string>() + " " + command["member"].get<std::string>());
  return names;
}

std::vector<Json> SpecProject::records(const std::string& run, const std::string& kind) const {
  std::vector<Json> found;
  const Json events = home_.ok({"log", run})["events"];
  for (const auto& event : events)
    if (event["kind"] == kind) found.push_back(event);
  return found;
}

Json SpecProject::manifest() const { return Json::parse(read_file(project_ + "/progress/spec-01/manifest.json")); }

}  // namespace teamster::e2e
