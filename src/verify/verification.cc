#include "verify/verification.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/processes.h"
#include "env/random.h"
#include "verify/check_place.h"

namespace teamster::verify {
namespace {

// The ids, and those that they are covered by.
Result<std::set<std::string>> choose(const Manifest& manifest, const std::vector<std::string>& only) {
  std::set<std::string> chosen;
  std::vector<std::string> open = only;
  if (only.empty())
    for (const auto& criterion : manifest.criteria) open.push_back(criterion.id);
  while (!open.empty()) {
    const std::string id = open.back();
    open.pop_back();
    const Criterion* criterion = manifest.find(id);
    if (criterion == nullptr) {
      std::vector<std::string> ids;
      for (const auto& one : manifest.criteria) ids.push_back(one.id);
      const auto meant = closest(id, ids);
      return fail(Code::invalid, fmt::format("the manifest has no criterion {}", quoted(id, 40)),
                  meant ? fmt::format("Did you mean {}?", *meant) : "See them with --list");
    }
    if (chosen.insert(id).second) open.insert(open.end(), criterion->covered_by.begin(), criterion->covered_by.end());
  }
  return chosen;
}

}  // namespace

Result<std::unique_ptr<Verification>> Verification::make(const env::World& world, const Manifest& manifest,
                                                         VerificationOptions options, Reviewers* reviewers,
                                                         VerificationObserver observer) {
  Parts parts{world, manifest, std::move(options), {}, {}, {}};
  parts.chosen = TRY(choose(manifest, parts.options.only));
  parts.setting.bash = find_program(world, "bash");
  if (parts.setting.bash.empty())
    return fail(Code::failed, "there is no bash on PATH, and checks are run by it", "Install bash");
  if (parts.options.is_repository) parts.git = find_program(world, "git");
  parts.setting.root = parts.options.root;
  parts.setting.environment = check_environment(world.processes);
  parts.setting.limit = parts.options.limit;
  const std::string temporary = world.processes.variable("TMPDIR").value_or("");
  parts.setting.scratch =
      fmt::format("{}/teamster-verify-{}", temporary.empty() ? "/tmp" : temporary, world.random.hex(8));
  TRY_VOID(world.files.make_private_directory(parts.setting.scratch));
  return std::unique_ptr<Verification>(new Verification(std::move(parts), reviewers, std::move(observer)));
}

Verification::Verification(Parts parts, Reviewers* reviewers, VerificationObserver observer)
    : world_(parts.world),
      manifest_(parts.manifest),
      options_(std::move(parts.options)),
      scratch_(parts.setting.scratch),
      reviewers_(reviewers),
      observer_(std::move(observer)),
      chosen_(std::move(parts.chosen)),
      later_(world_.loop) {
  if (!options_.is_repository)
    report_.not_watched = "it is in no git repository";
  else if (parts.git.empty())
    report_.not_watched = "there is no git on PATH";
  else
    tree_ = std::make_unique<TreeWatch>(world_,
                                        TreePlace{parts.git, options_.root, parts.setting.environment, options_.ours});
  std::vector<NamedCheck> checks;
  for (const auto& criterion : manifest_.criteria)
    if (chosen_.contains(criterion.id) && criterion.method == Method::bash)
      checks.push_back({criterion.id, criterion.command});
  BashChecksObserver watching;
  watching.on_started = observer_.on_started;
  watching.on_settled = [this](const std::string& id, const CheckOutcome& outcome) {
    settle({.id = id,
            .outcome = outcome.passed ? Outcome::passed : Outcome::failed,
            .why = outcome.why,
            .output = outcome.output,
            .is_cut = outcome.is_cut,
            .changed = outcome.changed,
            .took = outcome.took});
  };
  watching.on_disturbed = [this](const Disturbance& one) { report_.disturbances.push_back(one); };
  watching.on_blind = [this](const Error& why) { report_.not_watched = why.text(); };
  watching.on_done = [this] { begin_reviews(); };
  const std::size_t at_once = std::clamp<std::size_t>(options_.at_once, 1, kChecksAtOnceMax);
  checks_ = std::make_unique<BashChecks>(world_, BashChecksOptions{std::move(parts.setting), at_once, tree_.get()},
                                         std::move(checks), std::move(watching));
}

Verification::~Verification() {
  checks_.reset();
  (void)world_.files.remove_tree(scratch_);
}

void Verification::start() { checks_->start(); }

void Verification::begin_reviews() {
  for (const auto& criterion : manifest_.criteria) {
    if (!chosen_.contains(criterion.id) || criterion.method != Method::subagent) continue;
    if (options_.only_bash)
      settle({.id = criterion.id, .outcome = Outcome::left_out, .why = "needs a reviewer"});
    else if (reviewers_ == nullptr)
      settle({.id = criterion.id,
              .outcome = Outcome::not_checked,
              .why = fmt::format("needs an agent: the reviewer {}", criterion.agent)});
    else
      to_review_.push_back(&criterion);
  }
  if (to_review_.empty()) return settle_covered();
  if (!tree_ || !report_.not_watched.empty()) return review_some();
  tree_->look([this](const Result<TreeState>& state) {
    if (state) before_reviews_ = *state;
    review_some();
  });
}

void Verification::review_some() {
  while (!to_review_.empty() && in_review_ < kReviewsAtOnce) {
    const Criterion& criterion = *to_review_.front();
    to_review_.pop_front();
    ++in_review_;
    observer_.on_started(criterion.id);
    reviewers_->review(criterion, [this, &criterion, began = world_.clock.now()](const Result<Review>& review) {
      reviewed(criterion, review, began);
    });
  }
}

void Verification::reviewed(const Criterion& criterion, const Result<Review>& review, Instant began) {
  --in_review_;
  CriterionResult result{.id = criterion.id, .took = world_.clock.now() - began};
  if (!review) {
    result.why = review.error().text();
  } else {
    result.outcome = review->passed ? Outcome::passed : Outcome::failed;
    if (!review->passed) result.why = fmt::format("the {} says that it does not hold", criterion.agent);
    result.evidence = review->evidence;
    result.remarks = review->remarks;
  }
  settle(std::move(result));
  if (!to_review_.empty()) return review_some();
  if (in_review_ == 0) finish_reviews();
}

// Reviewers are told to change nothing; whether they did is seen.
void Verification::finish_reviews() {
  if (!before_reviews_) return settle_covered();
  tree_->look([this](const Result<TreeState>& state) {
    if (state) report_.changed_in_review = changes_between(*before_reviews_, *state);
    settle_covered();
  });
}

// What covers others may be covered itself; there are no circles.
void Verification::settle_covered() {
  bool is_moving = true;
  while (std::exchange(is_moving, false))
    for (const auto& criterion : manifest_.criteria) {
      if (!chosen_.contains(criterion.id) || results_.contains(criterion.id)) continue;
      const bool is_ready =
          std::ranges::all_of(criterion.covered_by, [&](const auto& id) { return results_.contains(id); });
      if (!is_ready) continue;
      settle(result_of_covered(criterion));
      is_moving = true;
    }
  finish();
}

CriterionResult Verification::result_of_covered(const Criterion& criterion) const {
  // The worst of those that cover it.
  CriterionResult result{.id = criterion.id, .outcome = Outcome::passed};
  for (const Outcome outcome : {Outcome::left_out, Outcome::not_checked, Outcome::failed})
    for (const auto& id : criterion.covered_by) {
      const CriterionResult& other = results_.at(id);
      if (other.outcome != outcome) continue;
      result.outcome = outcome;
      result.why = fmt::format("{}, which covers it, {}", id,
                               outcome == Outcome::failed        ? "failed"
                               : outcome == Outcome::not_checked ? "was not checked"
                                                                 : "was left out");
    }
  if (result.outcome == Outcome::passed) result.evidence = {"covered by " + join(criterion.covered_by, ", ")};
  return result;
}

void Verification::settle(CriterionResult result) {
  const auto [added, is_new] = results_.emplace(result.id, std::move(result));
  if (is_new) observer_.on_settled(added->second);
}

void Verification::finish() {
  for (const auto& criterion : manifest_.criteria)
    if (const auto found = results_.find(criterion.id); found != results_.end())
      report_.results.push_back(found->second);
  later_.call([this] { observer_.on_done(std::move(report_)); });
}

}  // namespace teamster::verify
