#include "e2e/pipeline_rehearsal.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::e2e {

namespace fs = std::filesystem;

PipelineRehearsal::PipelineRehearsal() {
  fs::create_directories(home_.scratch() + "/here");
  fs::copy(std::string(TEAMSTER_SOURCE_DIR) + "/examples/tally/rehearsal", scripts_, fs::copy_options::recursive);
}

void PipelineRehearsal::change(const std::string& role, const std::string& words, bool is_once,
                               const std::function<void(Json& steps)>& how) {
  const std::string file = scripts_ + "/" + role + ".json";
  Json script = Json::parse(read_file(file));
  Json& all = script["turns"];
  bool found = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string contains = all[i].contains("when") ? all[i]["when"]["contains"].get<std::string>() : "";
    if (contains.find(words) == std::string::npos) continue;
    found = true;
    Json turn = all[i];
    if (is_once) turn["repeat"] = false;
    how(turn["steps"]);
    if (is_once)
      all.insert(all.begin(), turn);
    else
      all[i] = turn;
    if (is_once) ++i;
  }
  ASSERT_TRUE(found) << role << " has no turn for " << words;
  write_file(file, script.dump());
}

void PipelineRehearsal::once(const std::string& role, const std::string& words,
                             const std::function<void(Json& steps)>& how) {
  change(role, words, true, how);
}

void PipelineRehearsal::always(const std::string& role, const std::string& words,
                               const std::function<void(Json& steps)>& how) {
  change(role, words, false, how);
}

void PipelineRehearsal::people(const Json& answers) { write_file(scripts_ + "/people.json", answers.dump()); }

Json& PipelineRehearsal::report_of(Json& steps) {
  for (auto& step : steps)
    if (step.contains("report")) return step["report"];
  ADD_FAILURE() << "no report in " << steps;
  return steps;
}

void PipelineRehearsal::fails(Json& steps, const std::string& what, const std::string& task) {
  Json gap = {{"what", what}};
  if (!task.empty()) gap["task"] = task;
  Json& report = report_of(steps);
  report["status"] = "FAIL";
  report["signal"] = "FAIL|gaps:1|reason:it does not hold";
  report["gaps"] = Json::array({gap});
  for (auto& step : steps) {
    if (!step.contains("write") || step["write"]["path"] != "{{file}}") continue;
    auto text = step["write"]["text"].get<std::string>();
    text.replace(text.find("status: PASS"), 12, "status: FAIL");
    step["write"]["text"] = text;
  }
}

Outcome PipelineRehearsal::play(const std::string& task, const Words& more) {
  kept_ = fmt::format("{}/kept-{}", home_.scratch(), ++plays_);
  events_ = Json();
  Start start;
  start.command = {"/usr/bin/env",
                   "-C",
                   home_.scratch() + "/here",
                   TEAMSTER_BINARY,
                   "rehearse",
                   workflow_,
                   task,
                   "--script",
                   scripts_,
                   "--keep",
                   kept_,
                   "--json"};
  start.command.insert(start.command.end(), more.begin(), more.end());
  start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin",
                       "TMPDIR=" + home_.scratch()};
  Process process(start);
  played_ = outcome_of(process, std::chrono::minutes(4));
  return played_;
}

Outcome PipelineRehearsal::look(const Words& words) const {
  Start start;
  start.command = {"/usr/bin/env", "-C", kept_, TEAMSTER_BINARY};
  start.command.insert(start.command.end(), words.begin(), words.end());
  start.environment = {"TEAMSTER_HOME=" + kept_ + "/.git/rehearsal/home", "HOME=" + home_.scratch(),
                       "PATH=/usr/bin:/bin"};
  Process process(start);
  return outcome_of(process);
}

Json PipelineRehearsal::ask(const Words& words) const {
  Words all = words;
  all.push_back("--json");
  return look(all).json;
}

const Json& PipelineRehearsal::events() {
  if (events_.is_null()) events_ = ask({"log", played_.json["run"].get<std::string>()})["events"];
  return events_;
}

std::vector<Json> PipelineRehearsal::decided(const std::string& kind) {
  std::vector<Json> found;
  for (const auto& event : events())
    for (const auto& command : event["body"].value("then", Json::array()))
      if (command["do"] == kind) found.push_back(command);
  return found;
}

std::vector<std::string> PipelineRehearsal::phases() {
  std::vector<std::string> entered;
  for (const auto& enter : decided("enter")) entered.push_back(enter["phase"].get<std::string>());
  return entered;
}

std::vector<std::string> PipelineRehearsal::turns(const std::string& beginning) {
  std::vector<std::string> steps;
  for (const auto& turn : decided("turn")) {
    const std::string step = turn["step"];
    const std::string rung = turn.value("rung", "");
    if (step.starts_with(beginning)) steps.push_back(step + (rung.empty() ? "" : " " + rung));
  }
  return steps;
}

std::string PipelineRehearsal::git(const std::string& command) const {
  Start start;
  start.command = {"/usr/bin/env", "-C", kept_, "/bin/sh", "-c", "git " + command};
  start.environment = {"HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
  Process process(start);
  EXPECT_EQ(process.wait(), 0) << process.err();
  return std::string(trimmed(process.out()));
}

Json PipelineRehearsal::permanent_task() const {
  Json metadata = Json::object();
  for (const Json log = ask({"log"}); const auto& event : log["events"])
    if (event["kind"] == "task.updated" && event["body"].value("metadata", Json::object()).contains("phase_signals"))
      metadata = event["body"]["metadata"];
  return metadata;
}

}  // namespace teamster::e2e
