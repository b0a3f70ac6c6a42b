// Witness: what the simulated clients were promised, kept outside the simulated machine,
// so that no crash can make it forget. At the end the store must agree with it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::simulation {

class Witness {
 public:
  void sent(const std::string& from, const std::string& to, int number, std::int64_t id);
  void completed(std::int64_t task) { completed_.insert(task); }
  // Something that must never happen, with the reason; kept until problems() is asked.
  void accuse(std::string problem) { problems_.push_back(std::move(problem)); }

  // The messages of one inbox, oldest first.
  void check_inbox(const std::string& member, const std::vector<Json>& messages);
  void check_tasks(const std::vector<Json>& tasks);
  // Every event from the first: claims have one winner, blockers come first.
  void check_journal(const std::vector<Json>& events);

  const std::vector<std::string>& problems() const { return problems_; }
  std::size_t messages_sent() const { return sent_.size(); }
  std::size_t tasks_completed() const { return completed_.size(); }

 private:
  struct Sent {
    std::string from;
    std::string to;
    int number = 0;
  };
  std::map<std::int64_t, Sent> sent_;  // by id
  std::set<std::int64_t> completed_;
  std::vector<std::string> problems_;
};

}  // namespace teamster::simulation
