// Verification: one run over the criteria of a manifest: its checks (BashChecks), then what reviewers must judge, then
// what is covered by others. Owned by the command or the step that asks for it; driven by the loop; `done` once.
// Destroying it ends what runs.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/later.h"
#include "env/world.h"
#include "verify/bash_checks.h"
#include "verify/manifest.h"
#include "verify/report.h"
#include "verify/reviewers.h"
#include "verify/tree_watch.h"
#include "verify/verify_limits.h"

namespace teamster::verify {

struct VerificationOptions {
  std::string root;                    // of the repository
  std::vector<std::string> only = {};  // ids; those that they are covered by are checked with them. Empty: all
  bool only_bash = false;              // leave out what needs a reviewer
  std::size_t at_once = 1;             // checks
  Duration limit = kCheckMax;          // of a check
  bool is_repository = false;          // git watches its tree
  std::set<FileIdentity> ours = {};    // what this process writes
};

struct VerificationObserver {
  std::function<void(const std::string& id)> on_started = [](const std::string&) {};
  std::function<void(const CriterionResult&)> on_settled = [](const CriterionResult&) {};
  std::function<void(Report)> on_done;
};

class Verification {
 public:
  // `reviewers` may be nullptr: then nobody judges what needs one. Both are borrowed. An error when it cannot begin at
  // all: there is no bash, no place for temporary files, or `only` names nothing.
  static Result<std::unique_ptr<Verification>> make(const env::World& world, const Manifest& manifest,
                                                    VerificationOptions options, Reviewers* reviewers,
                                                    VerificationObserver observer);
  ~Verification();
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  void start();
  // How many criteria there are to settle, and how many are.
  std::size_t total() const { return chosen_.size(); }
  std::size_t settled() const { return results_.size(); }

 private:
  struct Parts {
    env::World world;
    const Manifest& manifest;
    VerificationOptions options;
    CheckSetting setting;
    std::string git;
    std::set<std::string> chosen;
  };
  Verification(Parts parts, Reviewers* reviewers, VerificationObserver observer);

  void begin_reviews();
  void review_some();
  void reviewed(const Criterion& criterion, const Result<Review>& review, Instant began);
  void finish_reviews();
  void settle_covered();
  CriterionResult result_of_covered(const Criterion& criterion) const;
  void settle(CriterionResult result);
  void finish();

  env::World world_;
  const Manifest& manifest_;
  const VerificationOptions options_;
  const std::string scratch_;
  Reviewers* const reviewers_;
  const VerificationObserver observer_;
  const std::set<std::string> chosen_;
  std::map<std::string, CriterionResult> results_;
  Report report_;
  std::unique_ptr<TreeWatch> tree_;
  std::unique_ptr<BashChecks> checks_;
  std::deque<const Criterion*> to_review_;
  std::size_t in_review_ = 0;
  std::optional<TreeState> before_reviews_;
  env::Later later_;
};

}  // namespace teamster::verify
