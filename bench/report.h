// Report: the figures of all rounds, and what they mean. Keeps the order in which figures
// first came; prints them as a table, checks them against the targets, writes them as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "bench/subject.h"

namespace teamster::bench {

struct Figure {
  std::string measure;
  std::string subject;
  std::string unit;
  std::vector<double> rounds;

  double median() const;
  double least() const;
  double most() const;
};

// Ends of the names of a rate's latencies.
inline constexpr const char* kMedianSuffix = ", p50";
inline constexpr const char* kTailSuffix = ", p99";

struct Target {
  std::string what;
  double value = 0;
  double bound = 0;
  bool at_least = true;  // else at most
  bool is_met() const { return at_least ? value >= bound : value <= bound; }
};

class Report {
 public:
  void add(const std::string& measure, const std::string& subject, const std::string& unit, double value);
  void add_faults(const Faults& faults) { faults_ += faults; }
  const Faults& faults() const { return faults_; }
  // Something that a reader of the figures must know; said once.
  void add_note(const std::string& note);
  // nullptr when it was not measured.
  const Figure* find(const std::string& measure, const std::string& subject) const;

  void print(const std::vector<Target>& targets) const;
  Result<void> write(const std::string& path, const std::vector<Target>& targets) const;

 private:
  std::string latency(const Figure& figure, const char* quantile) const;
  void print_figures() const;
  Json to_json(const std::vector<Target>& targets) const;

  std::vector<Figure> figures_;
  Faults faults_;
  std::vector<std::string> notes_;
};

}  // namespace teamster::bench
