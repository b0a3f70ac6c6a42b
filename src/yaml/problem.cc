#include "yaml/problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"

namespace teamster::workflow {

std::string Problem::text() const { return fmt::format("{}:{}:{}: {}", file, line, column, what); }

void Problems::add(const std::string& file, Place place, std::string what) {
  if (kept_.size() >= limits::kWorkflowProblemsMax)
    ++left_out_;
  else
    kept_.push_back({file, place.line, place.column, std::move(what)});
}

std::vector<Problem> Problems::sorted() const {
  std::vector<Problem> all = kept_;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace teamster::workflow
