#include "verify/verification.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "verify/repository_for_test.h"

namespace teamster::verify {
namespace {

using namespace std::chrono_literals;

Criterion bash(const std::string& id, const std::string& command) {
  return {.id = id, .text = "text of " + id, .line = 1, .method = Method::bash, .command = command};
}
Criterion reviewed(const std::string& id, const std::string& prompt) {
  Criterion criterion{.id = id, .text = "text of " + id, .line = 1, .method = Method::subagent};
  criterion.agent = "general-purpose";
  criterion.prompt = prompt;
  return criterion;
}
Criterion covered(const std::string& id, std::vector<std::string> by) {
  Criterion criterion{.id = id, .text = "text of " + id, .line = 1, .method = Method::covered};
  criterion.covered_by = std::move(by);
  return criterion;
}

// Answers what the prompt says.
class FakeReviewers : public Reviewers {
 public:
  explicit FakeReviewers(env::Loop& loop) : later_(loop) {}
  void review(const Criterion& criterion, Done done) override {
    most_at_once = std::max(most_at_once, ++at_once_);
    later_.call([this, prompt = criterion.prompt, done] {
      --at_once_;
      if (on_review) on_review();
      if (prompt == "error") return done(fail(Code::failed, "the agent is ill"));
      done(Review{.passed = prompt == "pass", .evidence = {"seen in f.c:3"}, .remarks = "fine otherwise"});
    });
  }
  std::function<void()> on_review;
  std::size_t most_at_once = 0;

 private:
  std::size_t at_once_ = 0;
  env::Later later_;
};

class VerificationTest : public RepositoryTest {
 protected:
  VerificationTest() { options_.at_once = 4; }

  Report verify(std::vector<Criterion> criteria, Reviewers* reviewers = nullptr) {
    manifest_.criteria = std::move(criteria);
    settled_.clear();
    options_.root = directory_.path();
    options_.is_repository = find_repository_root(view_, directory_.path()).has_value();
    std::unique_ptr<Verification> verification;
    return wait<Report>([&](std::function<void(Report)> done) {
      VerificationObserver observer;
      observer.on_settled = [this](const CriterionResult& result) { settled_.push_back(result.id); };
      observer.on_done = std::move(done);
      auto made = Verification::make(view_, manifest_, options_, reviewers, std::move(observer));
      ASSERT_TRUE(made) << made.error().text();
      verification = *std::move(made);
      verification->start();
    });
  }
  static Outcome outcome_of(const Report& report, const std::string& id) {
    const auto* result = report.find(id);
    return result == nullptr ? Outcome::not_checked : result->outcome;
  }

  VerificationOptions options_;
  Manifest manifest_;
  std::vector<std::string> settled_;
};

TEST_F(VerificationTest, AllWaysToAResult) {
  make_repository();
  FakeReviewers reviewers(view_.loop);
  const Report report =
      verify({bash("INV-G1", "true"), bash("INV-G2", "exit 1"), reviewed("INV-G3", "pass"), reviewed("INV-G4", "fail"),
              reviewed("INV-G5", "error"), covered("AC-1.1", {"INV-G1"}), covered("AC-1.2", {"INV-G1", "INV-G2"}),
              covered("AC-1.3", {"AC-1.4"}), covered("AC-1.4", {"INV-G3"}), covered("AC-1.5", {"INV-G5"})},
             &reviewers);
  EXPECT_EQ(report.results.size(), 10U);
  EXPECT_EQ(settled_.size(), 10U);
  for (const char* id : {"INV-G1", "INV-G3", "AC-1.1", "AC-1.3", "AC-1.4"})
    EXPECT_EQ(outcome_of(report, id), Outcome::passed) << id;
  for (const char* id : {"INV-G2", "INV-G4", "AC-1.2"}) EXPECT_EQ(outcome_of(report, id), Outcome::failed) << id;
  for (const char* id : {"INV-G5", "AC-1.5"}) EXPECT_EQ(outcome_of(report, id), Outcome::not_checked) << id;
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.find("AC-1.2")->why, "INV-G2, which covers it, failed");
  EXPECT_EQ(report.find("INV-G4")->evidence, std::vector<std::string>{"seen in f.c:3"});
  EXPECT_EQ(report.find("INV-G5")->why, "the agent is ill");
  EXPECT_TRUE(report.not_watched.empty());
}

TEST_F(VerificationTest, WithoutReviewersWhatNeedsThemIsNoPass) {
  const Report without = verify({bash("INV-G1", "true"), reviewed("INV-G2", "pass")});
  EXPECT_EQ(outcome_of(without, "INV-G2"), Outcome::not_checked);
  EXPECT_FALSE(without.passed());
  options_.only_bash = true;
  const Report left = verify({bash("INV-G1", "true"), reviewed("INV-G2", "pass"), covered("INV-G3", {"INV-G2"})});
  EXPECT_EQ(outcome_of(left, "INV-G2"), Outcome::left_out);
  EXPECT_EQ(outcome_of(left, "INV-G3"), Outcome::left_out);
  EXPECT_TRUE(left.passed());
  EXPECT_NE(left.not_watched, "") << "it is in no repository";
}

TEST_F(VerificationTest, OnlyWhatWasAskedForWithWhatCoversIt) {
  options_.only = {"AC-1.1"};
  const Report report = verify({bash("INV-G1", "true"), bash("INV-G2", "false"), covered("AC-1.1", {"INV-G1"})});
  EXPECT_EQ(report.results.size(), 2U);
  EXPECT_TRUE(report.passed());
  options_.only = {"AC-1.11"};
  const auto made = Verification::make(view_, manifest_, options_, nullptr, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::invalid);
  EXPECT_EQ(made.error().next, "Did you mean AC-1.1?");
}

TEST_F(VerificationTest, ChecksRunAtOnceAndNoMoreThanAllowed) {
  const auto many = [](int count, const std::string& command) {
    std::vector<Criterion> criteria;
    for (int i = 1; i <= count; ++i) criteria.push_back(bash("INV-G" + std::to_string(i), command));
    return criteria;
  };
  options_.at_once = 3;
  const Report met =
      verify(many(3, "touch met-$$; until [ -e met-3 ]; do set -- met-*; [ $# -ge 3 ] && touch met-3; done; true"));
  EXPECT_TRUE(met.passed()) << "three have to be there before one goes" << failures_text(manifest_, met);
  options_.at_once = 2;
  const Report few =
      verify(many(6, "for place in a b; do mkdir $place 2>&- && sleep 0.05 && rmdir $place && exit; done; exit 7"));
  EXPECT_TRUE(few.passed()) << failures_text(manifest_, few);
}

TEST_F(VerificationTest, TheOneThatChangesTheTreeIsFoundAndNamed) {
  make_repository();
  std::vector<Criterion> criteria;
  for (int i = 1; i <= 6; ++i) criteria.push_back(bash("INV-G" + std::to_string(i), "sleep 0.1; test ! -e busy"));
  criteria.push_back(bash("AC-1.1", "touch busy; echo more >> README; sleep 0.2; rm busy"));
  criteria.push_back(bash("AC-1.2", "touch built-output"));
  const Report report = verify(criteria);
  EXPECT_TRUE(report.passed()) << failures_text(manifest_, report);
  for (const auto& result : report.results)
    EXPECT_EQ(result.changed, result.id == "AC-1.1" ? std::vector<std::string>{"README"} : std::vector<std::string>{})
        << result.id;
  EXPECT_TRUE(report.disturbances.empty());
}

TEST_F(VerificationTest, EachKindOfChangeIsSeen) {
  make_repository();
  write("untracked", "1");
  write("dirty", "1");
  for (const auto& [command, what] : std::vector<std::pair<std::string, std::string>>{
           {"git commit -q --allow-empty -m more", "HEAD"},
           {"git checkout -q -b other$RANDOM", "HEAD"},
           {"echo x > new$RANDOM", "new"},
           {"echo 2 >> untracked", "untracked"},
           {"echo 22 >> dirty", "dirty"},
           {"git rm -q --cached README; git add README dirty; git reset -q", ""},
           {"echo y >> README; git add README", "README"}}) {
    const Report report = verify({bash("INV-G1", command)});
    ASSERT_EQ(report.results.size(), 1U);
    EXPECT_TRUE(report.passed()) << command << failures_text(manifest_, report);
    const auto& changed = report.results[0].changed;
    if (what.empty())
      EXPECT_TRUE(changed.empty()) << command;
    else
      EXPECT_TRUE(!changed.empty() && changed[0].starts_with(what)) << command;
  }
}

TEST_F(VerificationTest, AChangeThatNobodyRepeatsIsReportedAsOneOfAllWhoRan) {
  make_repository();
  const Report report = verify({bash("INV-G1", "[ -e once ] || touch once"), bash("INV-G2", "sleep 0.1")});
  EXPECT_TRUE(report.passed());
  ASSERT_EQ(report.disturbances.size(), 1U);
  EXPECT_EQ(report.disturbances[0].paths, std::vector<std::string>{"once"});
  EXPECT_EQ(report.disturbances[0].suspects, (std::vector<std::string>{"INV-G1", "INV-G2"}));
  for (const auto& result : report.results) EXPECT_TRUE(result.changed.empty());
}

TEST_F(VerificationTest, WhenGitFailsInBetweenTheChecksGoOn) {
  make_repository();
  const Report report =
      verify({bash("INV-G1", "mv .git built-git"), bash("INV-G2", "sleep 0.4"), bash("INV-G3", "true")});
  EXPECT_EQ(report.count(Outcome::passed), 3U) << failures_text(manifest_, report);
  EXPECT_NE(report.not_watched, "");
}

TEST_F(VerificationTest, ReviewersThatChangeTheTreeAreSeen) {
  make_repository();
  FakeReviewers reviewers(view_.loop);
  reviewers.on_review = [this] { write("README", "changed by a reviewer"); };
  std::vector<Criterion> criteria;
  for (int i = 1; i <= 10; ++i) criteria.push_back(reviewed("INV-G" + std::to_string(i), "pass"));
  const Report report = verify(criteria, &reviewers);
  EXPECT_EQ(report.changed_in_review, std::vector<std::string>{"README"});
  EXPECT_EQ(reviewers.most_at_once, kReviewsAtOnce);
}

TEST_F(VerificationTest, DestroyingItEndsWhatRuns) {
  manifest_.criteria = {bash("INV-G1", "echo $$ > built-pid; sleep 100")};
  options_.root = directory_.path();
  auto made = Verification::make(view_, manifest_, options_, nullptr, {});
  ASSERT_TRUE(made);
  (*made)->start();
  env::Timer look;
  std::function<void()> look_again = [&] { look = view_.loop.after(10ms, look_again); };
  look_again();
  view_.loop.run_until([this] { return exists("built-pid") && std::filesystem::file_size(path("built-pid")) > 0; });
  made->reset();
  EXPECT_TRUE(
      run("grep -sq 'State:.*Z' /proc/$(cat built-pid)/status || ! test -e /proc/$(cat built-pid)").succeeded());
}

TEST_F(VerificationTest, ChecksFindThisProgramAndKnowHowDeepTheyAre) {
  const Report report =
      verify({bash("INV-G1", "test \"$TEAMSTER_VERIFY_DEPTH\" = 1 && [[ $PATH == " +
                                 std::filesystem::read_symlink("/proc/self/exe").parent_path().string() + ":* ]]")});
  EXPECT_TRUE(report.passed());
}

}  // namespace
}  // namespace teamster::verify
