// EngineWitness: what engines were told about the run's journal and did, against what is in it in the end: nothing
// acknowledged is lost, nobody writes after another has the lease, each effect is decided once and settled at most
// once, no agent is asked what is settled, a step is committed once, and the records give the state. Owned by the test.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/run.h"
#include "support/simulated_git.h"

namespace teamster::simulation {

class EngineWitness {
 public:
  int new_process() { return ++processes_; }
  void acknowledged(int process, const engine::Recorded& recorded);
  // An agent is told its prompt for this step ("verify.1").
  void asked(int process, const std::string& step);
  void accuse(std::string problem) { problems_.push_back(std::move(problem)); }

  // Everything in the journal, and the state with which the engine ended.
  void check(const workflow::Pinned& pinned, const std::vector<Json>& journal, const workflow::RunState& state);
  void check_commits(const std::vector<SimulatedCommit>& log);

  const std::vector<std::string>& problems() const { return problems_; }
  int processes() const { return processes_; }
  std::int64_t takeovers() const { return takeovers_; }
  // Prompts that were said once more, because their engine had died meanwhile.
  std::int64_t asked_again() const;

 private:
  struct Acknowledged {
    int process = 0;
    std::string kind;
    std::string step;
    std::int64_t attempt = 0;
  };
  void check_acknowledged(const std::vector<Json>& journal);
  void check_leases(const std::vector<Json>& journal);
  void check_effects(const workflow::RunState& state, const std::vector<Json>& journal);
  void check_replay(const workflow::Pinned& pinned, const std::vector<Json>& journal, const workflow::RunState& state);

  std::map<std::int64_t, Acknowledged> acknowledged_;  // by number of the record
  std::map<std::string, std::set<int>> asked_;         // processes by step
  std::set<std::string> settled_;                      // steps, as far as engines were told
  std::vector<std::string> problems_;
  int processes_ = 0;
  std::int64_t takeovers_ = 0;
};

}  // namespace teamster::simulation
