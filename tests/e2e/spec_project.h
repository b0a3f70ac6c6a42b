// SpecProject: an example project as a git repository, in which implement-spec runs with scripted
// agents, as real processes. Tests change the scripts before the run, and look at the journal and the
// project after it. The scripts lie beside the project.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "e2e/fixture.h"

namespace teamster::e2e {

using Names = std::vector<std::string>;

Names names_in(const std::string& directory);

class SpecProject : public testing::Test {
 protected:
  Process start(const Words& command, const std::string& directory) const;
  Process teamster(Words words) const;
  // Output of a command that has to succeed.
  std::string shell(const std::string& command) const;
  Outcome run(Words words, const std::string& directory) const;
  Outcome rehearse(Words more) const;
  void use_example(const std::string& name) const;
  // Before the first command: time jumps there when all wait for it.
  void make_rehearsal_home() const;
  // Spec 01, or of another place than the built-in workflow.
  Outcome run_spec(const Words& more = {}, const std::string& workflow = "implement-spec") const;

  // The script of a role, changed.
  void change(const std::string& role, const std::function<void(Json& script)>& how) const;
  // The first answer of a phase becomes other words; a second agent gives the one of the script.
  void spoil(const std::string& role, const std::string& phase, const std::string& words) const;
  // Whenever the phase comes it is played as in the script, with another answer: `how` changes its JSON.
  void always_answer(const std::string& role, const std::string& phase,
                     const std::function<void(Json& answer)>& how) const;
  // Who was asked for each step, in order: "verify reviewer".
  Names asked(const std::string& run) const;
  std::vector<Json> records(const std::string& run, const std::string& kind) const;
  Json manifest() const;

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string scripts_ = home_.scratch() + "/scripts";
  mutable Words variables_;  // more of the environment
};

}  // namespace teamster::e2e
