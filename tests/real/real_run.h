// RealRun: a git repository, by default with one spec, and workflows run in it by the real teamster with members that
// are the real Claude Code. All members have one dummy key, as in a run of a user; the model's script knows them by the
// words of their roles. Ends everything it started.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "e2e/fixture.h"
#include "model_server/running_server_for_test.h"
#include "real/replies.h"

namespace teamster::real {

using e2e::eventually;
using e2e::Milliseconds;
using e2e::Outcome;
using e2e::Words;
using namespace std::chrono_literals;

// What the model is asked for one phase, as often as it comes.
struct PhaseTraffic {
  std::size_t visits = 0;    // prompts of the phase
  std::size_t requests = 0;  // to the model
  std::size_t calls = 0;     // of tools, `report` aside
  std::size_t bytes = 0;     // of the requests
};

class RealRun {
 public:
  // The repository begins as a copy of this directory of the sources.
  explicit RealRun(const Turns& conversations, const std::string& example = "examples/plain");

  e2e::Home& home() { return home_; }
  model::RunningServer& server() { return *server_; }
  const std::string& project() const { return project_; }

  // teamster WORDS in the project, with the agent's program and its login in the environment.
  e2e::Process start(Words words, const Words& environment = {}) const;
  Outcome teamster(const Words& words, Milliseconds limit = e2e::kPatience) const;
  // teamster run implement-spec 01 --json …, to its end.
  Outcome run_spec(const Words& more = {}, Milliseconds limit = 3min) const;
  e2e::Process start_spec(const Words& more = {}, const Words& environment = {}) const;
  // Output of a command that has to succeed, in the project.
  std::string shell(const std::string& command) const;
  // Name of the one run there is.
  std::string run_name() const;
  // Waits until `status` of the run has this text.
  bool status_says(const std::string& text, Milliseconds limit = e2e::kPatience) const;
  std::string status_text() const;

  // Connections to the model are refused until it is started again, at the same address.
  void end_server();
  void start_server_again(const Turns& conversations);

  // By the number of the phase, and what is of none under 0.
  std::map<int, PhaseTraffic> traffic() const;

 private:
  std::unique_ptr<model::RunningServer> server_;  // ends after the home, and so after its agents
  e2e::Home home_;
  std::string project_;
};

// The script's part for the members of a role in a run.
Json conversation_of_role(const std::string& role, const Turns& turns);
// What the three do to take the example's spec to its commit, the tests failing once: per role.
Turns builder_turns();
Turns tester_turns();
Turns reviewer_turns();
// Of all three.
Turns whole_spec();

// Calls of the team's `report`.
Json report(const Json& result);

}  // namespace teamster::real
