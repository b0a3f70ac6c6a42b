// RunWitness: what appenders of one run were promised, kept outside the simulated machine.
// At the end the records of the run must agree with it: what was acknowledged is there, once
// and under its number, and nothing of an older lease comes after a newer one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::simulation {

class RunWitness {
 public:
  // The record `id` was acknowledged under the number n.
  void acknowledged(std::int64_t n, const std::string& id);
  // Something that must never happen, with the reason.
  void accuse(std::string problem) { problems_.push_back(std::move(problem)); }

  // All records of the run, from the first.
  void check(const std::vector<Json>& records);

  const std::vector<std::string>& problems() const { return problems_; }
  std::size_t records() const { return by_number_.size(); }
  // How often the run changed hands, as the records say.
  std::int64_t takeovers() const { return takeovers_; }

 private:
  std::map<std::int64_t, std::string> by_number_;
  std::int64_t takeovers_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace teamster::simulation
