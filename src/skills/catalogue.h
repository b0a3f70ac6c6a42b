// Catalogue: the skills that can be used somewhere, found in an ordered list of places; of one name the first that can
// be used counts, and what it hides is said. It knows level 1 of all of them. Level 2, the body, and resources are read
// when they are asked for, from the place that won. Owned by whoever offers skills; on no thread of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "skills/skill_text.h"
#include "skills/source.h"
#include "yaml/problem.h"

namespace teamster::skills {

// A skill with the name of one that counts, in a later place.
struct HiddenSkill {
  std::string from;
  std::string place;
};

struct KnownSkill {
  Head head;
  std::string from;               // as Source::from
  std::string place;              // of its SKILL.md
  std::size_t problem_count = 0;  // it can be used in spite of them
  std::vector<HiddenSkill> hidden = {};
};

// What lies where a skill should be and cannot be used; it hides nothing.
struct BrokenSkill {
  std::string name;  // of its directory
  std::string from;
  std::string place;
  std::vector<workflow::Problem> problems;
};

class Catalogue {
 public:
  // Reads the front matter of every skill there is, once.
  explicit Catalogue(std::vector<std::unique_ptr<Source>> sources);

  // In the order of their places, then by name.
  const std::vector<KnownSkill>& skills() const { return skills_; }
  const std::vector<BrokenSkill>& broken() const { return broken_; }
  // Places that are there and could not be looked at.
  const std::vector<Error>& troubles() const { return troubles_; }

  // Code::not_found names those that there are; a broken one is told with what is wrong with it.
  Result<KnownSkill> find(const std::string& name) const;
  Result<std::string> body(const std::string& name) const;
  Result<std::vector<Resource>> resources(const std::string& name) const;
  Result<std::string> resource(const std::string& name, const std::string& path) const;

 private:
  void add(std::size_t source, const std::string& name);
  Result<std::size_t> index_of(const std::string& name) const;

  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<KnownSkill> skills_;
  std::vector<std::size_t> source_of_;  // of each skill, by its index
  std::vector<BrokenSkill> broken_;
  std::vector<Error> troubles_;
};

}  // namespace teamster::skills
