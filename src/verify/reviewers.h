// Reviewers: who judges the criteria that no command can. The command line asks agents of its own, a run asks members
// of its team; verification knows neither. And Review: what a reviewer answers. Driven by the loop.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "verify/manifest.h"

namespace teamster::verify {

struct Review {
  bool passed = false;
  std::vector<std::string> evidence;  // what was looked at and what was found there
  std::string remarks;                // what does not change the verdict
};

class Reviewers {
 public:
  using Done = std::function<void(Result<Review> review)>;

  virtual ~Reviewers() = default;
  // Judges one criterion by the profile that it names. `done` once, from the loop, not inside this call; an error says
  // why nobody could judge it. Several are asked at once. Nothing is called after this object is gone.
  virtual void review(const Criterion& criterion, Done done) = 0;
};

// The JSON Schema of a reviewer's answer, and the answer as a value. An answer that conforms has a review.
Json review_schema();
Result<Review> read_review(const Json& answer);

// What reviewers must judge, one entry for each such criterion, for whoever hands them out: {id, text, agent, model,
// profile, request}. `model` is "default" where the manifest names none, `profile` the text that makes an agent one.
Json review_items(const Manifest& manifest);

// What a reviewer is asked, beside the profile that says who it is.
std::string review_request(const Criterion& criterion);

}  // namespace teamster::verify
