#include "verify/coverage.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::verify {
namespace {

class Coverage {
 public:
  Coverage(const Manifest& manifest, const std::set<std::string>& broken) : broken_(broken) {
    for (const auto& criterion : manifest.criteria) {
      by_id_[criterion.id] = &criterion;
      ids_.push_back(criterion.id);
    }
  }

  // What covers it is looked at first. No deeper than there are criteria.
  void check(const Criterion& criterion) {
    State& state = states_[criterion.id];
    if (state != State::unseen) return;
    state = State::open;
    way_.push_back(criterion.id);
    for (const auto& id : criterion.covered_by) look_at(criterion, id);
    way_.pop_back();
    states_[criterion.id] = State::done;
  }
  std::vector<ManifestError> take() { return std::move(errors_); }

 private:
  enum class State { unseen, open, done };

  void look_at(const Criterion& criterion, const std::string& id) {
    const auto found = by_id_.find(id);
    if (id == criterion.id)
      add(criterion, "is covered by itself");
    else if (found == by_id_.end() && !broken_.contains(id))
      add(criterion, fmt::format("is covered by {}, which is not in the manifest{}", id, suggestion(criterion, id)));
    else if (found != by_id_.end() && states_[id] == State::open)
      add(criterion, "is covered in a circle: " + circle(id));
    else if (found != by_id_.end())
      check(*found->second);
  }

  void add(const Criterion& criterion, const std::string& what) {
    errors_.push_back({criterion.line, fmt::format("{} {}", criterion.id, what)});
  }

  std::string suggestion(const Criterion& criterion, const std::string& id) const {
    std::vector<std::string> others;
    std::ranges::copy_if(ids_, std::back_inserter(others), [&](const auto& other) { return other != criterion.id; });
    const auto meant = closest(id, others);
    return meant ? fmt::format("; did you mean {}?", *meant) : "";
  }

  // From the id along the way that was gone and back to it.
  std::string circle(const std::string& id) const {
    constexpr std::size_t kNamedMax = 8;
    std::vector<std::string> ids(std::ranges::find(way_, id), way_.end());
    if (ids.size() > kNamedMax) {
      ids.erase(ids.begin() + kNamedMax / 2, ids.end() - kNamedMax / 2);
      ids.insert(ids.begin() + kNamedMax / 2, "…");
    }
    ids.push_back(id);
    return join(ids, " → ");
  }

  const std::set<std::string>& broken_;
  std::map<std::string, const Criterion*> by_id_;
  std::vector<std::string> ids_;
  std::map<std::string, State> states_;
  std::vector<std::string> way_;  // to what is looked at
  std::vector<ManifestError> errors_;
};

}  // namespace

std::vector<ManifestError> check_coverage(const Manifest& manifest, const std::set<std::string>& broken) {
  Coverage coverage(manifest, broken);
  for (const auto& criterion : manifest.criteria) coverage.check(criterion);
  return coverage.take();
}

}  // namespace teamster::verify
