// RalphProject: a repository with a spec, and scripted agents for the workflow ralph: what each topic and each task
// answers is data, so that a test says only what is otherwise in it. Played by `teamster rehearse`, or run in the
// test's home.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "e2e/fixture.h"

namespace teamster::e2e {

class RalphProject {
 public:
  explicit RalphProject(const Home& home);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  // What the author splits the goal into: so many topics, in turn for both roles.
  void set_topics(int count);
  // The checklist; each task writes src/N.txt and commits it, unless `steps` has other steps for it.
  void set_tasks(const std::vector<std::string>& tasks);
  void set_steps(int task, const Json& turns) { turns_[task] = turns; }
  // What whoever has a topic does before it writes its file.
  void set_topic_steps(int topic, const Json& steps) { topic_steps_[topic] = steps; }
  void set_config(const std::string& yaml) { config_ = yaml; }
  // The steps of a task that is done well.
  static Json good_steps(int task);

  struct Played {
    Outcome outcome;
    std::string kept;  // the repository as the run left it
    std::string home;  // and the home of the rehearsal
    std::string file(const std::string& name) const;
    Json state() const;
    // Trailers Ralph-Task of all commits, sorted, without the run's name.
    std::vector<std::string> done() const;
    std::string output() const { return outcome.out + outcome.err; }
  };
  // `teamster rehearse ralph WORDS`, with these flags besides.
  Played play(const Words& words, const Words& flags = {});
  // In the home of the test, in real time.
  Process start(const Words& words) const;
  Outcome run(const Words& words) const;
  Words scripts_flags() const { return {"--driver", "script", "--scripts", scripts_}; }
  void write_all();

 private:
  void write_scripts() const;

  const Home& home_;
  const std::string path_;
  const std::string scripts_;
  int topics_ = 4;
  std::vector<std::string> tasks_;
  std::map<int, Json> turns_;
  std::map<int, Json> topic_steps_;
  std::string config_;
  int plays_ = 0;
};

}  // namespace teamster::e2e
