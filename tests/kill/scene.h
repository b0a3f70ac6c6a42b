// Scene: a project without a compiler, a home of its own, and a run of implement-spec in it by real
// processes with scripted agents. It is driven to its end, however often it is killed. Its
// destructor ends what is left and removes everything.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "e2e/fixture.h"

namespace teamster::kill {

// What a run leaves behind, without hashes and times.
struct Traces {
  std::map<std::string, std::string> files;  // of the project, by path
  std::vector<std::string> commits;          // subjects, newest first, with their tags
  std::string dirt;                          // what is not committed
};

class Scene {
 public:
  Scene();

  // `teamster run`, and then again and again what a user would say, until the run has ended.
  void play(const std::string& fault = {});

  int interruptions() const { return interruptions_; }
  // Everything that was printed.
  const std::string& said() const { return said_; }
  std::string run() const;
  // The journal of the run, in order.
  std::vector<Json> journal() const;
  Traces traces() const;
  // Ends the hub; then pids of processes that still have to do with this scene.
  std::vector<pid_t> left_over() const;

  const std::string& project() const { return project_; }
  // A program in the project.
  int shell(const std::string& command, std::string* out = nullptr) const;
  // The engine in the project; its exit code.
  int teamster(e2e::Words words);
  e2e::Words run_words() const;
  const e2e::Home& home() const { return home_; }

 private:
  bool has_ended() const;

  e2e::Home home_;
  std::string project_;
  std::string said_;
  int interruptions_ = 0;
};

// The named points of a journal, in order: "step.done:verify.1:before".
std::vector<std::string> points_of(const std::vector<Json>& journal);

}  // namespace teamster::kill
