// OwnWorkflow: a fixture for runs of a small workflow that a test writes itself: a git project with the workflow, its
// templates and schemas, scripts for its roles, and the commands run in it. Every wait has a limit.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "e2e/fixture.h"

namespace teamster::e2e {

class OwnWorkflow : public testing::Test {
 protected:
  // `files` beside workflow.yaml, by name.
  void workflow(const std::string& name, const std::string& yaml, const std::map<std::string, std::string>& files);
  void script(const std::string& role, const std::string& json) { write_file(scripts_ + "/" + role + ".json", json); }
  void project_file(const std::string& path, const std::string& text);
  std::string project_text(const std::string& path) const;

  Start start_of(const Words& words) const;
  // What it said is in `said_`.
  int teamster(const Words& words);
  Words run_words(const std::string& name) const { return {"run", name, "--driver", "script", "--scripts", scripts_}; }
  std::string last_run() const;
  Json events(const std::string& run) const { return home_.ok({"log", run})["events"]; }
  // STEP RUNG of each turn, in order; a first try has no rung.
  std::vector<std::string> turns(const std::string& run) const;
  // Commands of this kind, in order.
  std::vector<Json> decided(const std::string& run, const std::string& kind) const;
  // The only open question, once it is there.
  Json question();

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string scripts_ = home_.scratch() + "/scripts";
  std::string said_;
};

}  // namespace teamster::e2e
