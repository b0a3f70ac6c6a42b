// Router: which skill a task is for, by the words that its description and the task have in common. A word counts the
// more the fewer skills have it; words are compared by their stems, and those that begin alike count somewhat. No
// model: the same catalogue and task give the same answer, and the words that led to it. A value. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "skills/skill_text.h"

namespace teamster::skills {

struct RoutedSkill {
  std::string name;
  double score = 0;                     // only to compare skills for one task
  double evidence = 0;                  // in words that only one skill has
  double coverage = 0;                  // which part of the task's words, by their weight, the skill has
  std::vector<std::string> words = {};  // stems of the skill's words that count, in the order of the task

  // Whether that is enough to say that the skill is meant.
  bool fits() const;
};

class Router {
 public:
  explicit Router(const std::vector<Head>& heads);

  // Those that have a word of the task, best first; of equals the one whose name comes first.
  std::vector<RoutedSkill> rank(std::string_view task) const;

 private:
  struct Skill {
    std::string name;
    std::map<std::string, int> counts;  // by stem
    int length = 0;
  };
  struct Common {
    const std::string* stem = nullptr;  // of the skill
    int count = 0;
    double likeness = 0;  // 1: the same stem
  };

  double weight_of(const std::string& stem) const;
  static Common closest_stem(const Skill& skill, const std::string& stem);
  RoutedSkill judge(const Skill& skill, const std::vector<std::string>& task) const;

  std::vector<Skill> skills_;
  std::map<std::string, int> skills_with_;  // by stem
  double average_length_ = 1;
};

}  // namespace teamster::skills
