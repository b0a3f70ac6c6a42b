#include "e2e/own_workflow.h"

#include <fstream>
#include <sstream>

namespace teamster::e2e {

void OwnWorkflow::workflow(const std::string& name, const std::string& yaml,
                           const std::map<std::string, std::string>& files) {
  const std::string place = project_ + "/.teamster/workflows/" + name;
  std::filesystem::create_directories(place);
  std::filesystem::create_directories(scripts_);
  write_file(place + "/workflow.yaml", yaml);
  for (const auto& [file, text] : files) write_file(place + "/" + file, text);
}

void OwnWorkflow::project_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(project_ + "/" + path).parent_path());
  write_file(project_ + "/" + path, text);
}

std::string OwnWorkflow::project_text(const std::string& path) const {
  std::ifstream file(project_ + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Start OwnWorkflow::start_of(const Words& words) const {
  Start start;
  start.command = {"/usr/bin/env", "-C", project_, TEAMSTER_BINARY};
  start.command.insert(start.command.end(), words.begin(), words.end());
  start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
  return start;
}

int OwnWorkflow::teamster(const Words& words) {
  Process process(start_of(words));
  const int exit = process.wait().value_or(-1);
  said_ += process.out() + process.err();
  return exit;
}

std::string OwnWorkflow::last_run() const {
  return home_.ok({"status", "--all"})["runs"].back()["run"].get<std::string>();
}

std::vector<Json> OwnWorkflow::decided(const std::string& run, const std::string& kind) const {
  std::vector<Json> found;
  for (const auto& event : events(run)) {
    // What follows from its start is in what it was started with.
    const Json& body = event["kind"] == "run.started" ? event["body"]["body"] : event["body"];
    for (const auto& command : body.value("then", Json::array()))
      if (command["do"] == kind) found.push_back(command);
  }
  return found;
}

std::vector<std::string> OwnWorkflow::turns(const std::string& run) const {
  std::vector<std::string> steps;
  for (const auto& turn : decided(run, "turn")) {
    const std::string rung = turn.value("rung", "");
    steps.push_back(turn["step"].get<std::string>() + (rung.empty() ? "" : " " + rung));
  }
  return steps;
}

Json OwnWorkflow::question() {
  Json found;
  EXPECT_TRUE(eventually([&] {
    const Outcome inbox = home_.run({"inbox", "--json"});
    if (inbox.exit != 0) return false;
    found = inbox.json["questions"][0];
    return true;
  })) << said_;
  return found;
}

}  // namespace teamster::e2e
