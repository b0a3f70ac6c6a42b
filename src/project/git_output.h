// What git prints, as values. Pure; the formats are those of git's plumbing, which do not
// depend on the user's language or configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace teamster::engine {

struct GitTag {
  std::string name;
  std::string commit;              // what it points at, through an annotated tag
  std::vector<std::string> steps;  // of runs that have set it: trailers of its annotation, else of its commit
};

// Paths of `git status --porcelain=v1 -z --no-renames`, from the repository's root.
Result<std::vector<std::string>> parse_status(std::string_view output);

// The trailer by which a commit is found again after a crash, and a tag known as ours: RUN/STEP.ATTEMPT.
inline constexpr const char* kStepTrailer = "Teamster-Step";
// Its values in a format of `git log`, and what that prints.
inline constexpr const char* kTrailerFormat = "%(trailers:key=Teamster-Step,valueonly,separator=%x2C)";
std::vector<std::string> parse_trailers(std::string_view values);

// Of `git for-each-ref` with kTagFormat.
inline constexpr const char* kTagFormat =
    "%(refname:strip=2) %(objectname) %(*objectname) "
    "%(contents:trailers:key=Teamster-Step,valueonly,separator=%x2C)";
std::vector<GitTag> parse_tags(std::string_view output);

struct TagPlace {
  enum class How { there, fresh, moved };
  std::string name;
  How how = How::fresh;
};

// Where the tag of a step goes. "step-*" after step-9 is step-10. A name without a star stays with the
// newest commit of its workflow's runs: it is moved there, or is the next of done, done-2, … that is
// nobody else's. Code::invalid with more than one star.
Result<TagPlace> place_of_tag(std::string_view pattern, std::string_view commit, std::string_view step,
                              const std::vector<GitTag>& tags);

// Whether two steps, RUN/STEP.ATTEMPT, are of runs of the same workflow.
bool are_of_one_workflow(std::string_view step, std::string_view other);

}  // namespace teamster::engine
