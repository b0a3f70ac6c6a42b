#include "skills/routing.h"

#include <algorithm>
#include <cmath>

#include "skills/stem.h"

namespace teamster::skills {
namespace {

// A second mention counts less than the first, and a mention among many words less than one among few (the usual
// constants of BM25).
constexpr double kSaturation = 1.2;
constexpr double kLengthShare = 0.6;

// Stems that begin alike: "authent" and "authentic", but not "test" and "testament".
constexpr double kLikenessOfBeginning = 0.6;
constexpr std::size_t kBeginningMin = 5;
constexpr double kBeginningShare = 0.7;

// One rare word may be an accident, as "plan" in "plan a party"; a little more than one is not. A short task has only
// a word or two, and most of them are then the skill's.
constexpr double kEvidenceMin = 1.3;
constexpr double kEvidenceOfShortMin = 0.75;
constexpr double kCoverageOfShortMin = 0.5;

std::size_t common_beginning(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

std::vector<std::string> each_once(std::vector<std::string> stems) {
  std::vector<std::string> once;
  for (auto& stem : stems)
    if (std::find(once.begin(), once.end(), stem) == once.end()) once.push_back(std::move(stem));
  return once;
}

}  // namespace

bool RoutedSkill::fits() const {
  return evidence >= kEvidenceMin || (coverage >= kCoverageOfShortMin && evidence >= kEvidenceOfShortMin);
}

Router::Router(const std::vector<Head>& heads) {
  int words = 0;
  for (const auto& head : heads) {
    Skill skill;
    skill.name = head.name;
    for (const auto& text : {head.name, head.description})
      for (auto& stem : stems_in(text)) {
        ++skill.counts[std::move(stem)];
        ++skill.length;
      }
    for (const auto& [stem, count] : skill.counts) ++skills_with_[stem];
    words += skill.length;
    skills_.push_back(std::move(skill));
  }
  if (words > 0) average_length_ = static_cast<double>(words) / static_cast<double>(skills_.size());
}

double Router::weight_of(const std::string& stem) const {
  const auto found = skills_with_.find(stem);
  const double with = found == skills_with_.end() ? 0 : found->second;
  return std::log(1 + (static_cast<double>(skills_.size()) + 0.5) / (with + 0.5));
}

Router::Common Router::closest_stem(const Skill& skill, const std::string& stem) {
  if (const auto same = skill.counts.find(stem); same != skill.counts.end()) return {&same->first, same->second, 1};
  Common best;
  std::size_t longest = 0;
  for (const auto& [other, count] : skill.counts) {
    const std::size_t common = common_beginning(stem, other);
    const auto size = static_cast<double>(std::max(stem.size(), other.size()));
    if (common < kBeginningMin || common <= longest || static_cast<double>(common) < kBeginningShare * size) continue;
    longest = common;
    best = {&other, count, kLikenessOfBeginning};
  }
  return best;
}

RoutedSkill Router::judge(const Skill& skill, const std::vector<std::string>& task) const {
  RoutedSkill routed{.name = skill.name};
  double of_all = 0;
  for (const auto& stem : task) {
    of_all += weight_of(stem);
    const Common common = closest_stem(skill, stem);
    if (common.stem == nullptr) continue;
    const double weight = weight_of(*common.stem) * common.likeness;
    const double length = 1 - kLengthShare + kLengthShare * skill.length / average_length_;
    routed.evidence += weight;
    routed.score += weight * common.count * (kSaturation + 1) / (common.count + kSaturation * length);
    routed.words.push_back(*common.stem);
  }
  const double of_one_skill = std::log(1 + (static_cast<double>(skills_.size()) + 0.5) / 1.5);
  if (of_all > 0) routed.coverage = routed.evidence / of_all;
  routed.evidence /= of_one_skill;
  return routed;
}

std::vector<RoutedSkill> Router::rank(std::string_view task) const {
  const auto stems = each_once(stems_in(task));
  std::vector<RoutedSkill> ranked;
  for (const auto& skill : skills_)
    if (RoutedSkill routed = judge(skill, stems); routed.score > 0) ranked.push_back(std::move(routed));
  std::stable_sort(ranked.begin(), ranked.end(), [](const RoutedSkill& a, const RoutedSkill& b) {
    return a.score != b.score ? a.score > b.score : a.name < b.name;
  });
  return ranked;
}

}  // namespace teamster::skills
