// Problem: something wrong in a file of a workflow, with its place, in words that say what was
// expected. Problems collects those of a whole bundle, so that one look shows all of them.
// Values; the collector belongs to whoever reads the bundle.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace teamster::workflow {

// Counted from 1; columns in characters.
struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
  auto operator<=>(const Place&) const = default;
};

struct Problem {
  std::string file;
  std::size_t line = 1;
  std::size_t column = 1;
  std::string what;
  auto operator<=>(const Problem&) const = default;

  // "file:line:column: what"
  std::string text() const;
};

class Problems {
 public:
  // At most limits::kWorkflowProblemsMax are kept; the others are counted.
  void add(const std::string& file, Place place, std::string what);
  bool empty() const { return kept_.empty(); }
  std::size_t left_out() const { return left_out_; }
  // By file and place, each once.
  std::vector<Problem> sorted() const;

 private:
  std::vector<Problem> kept_;
  std::size_t left_out_ = 0;
};

}  // namespace teamster::workflow
