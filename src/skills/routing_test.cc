#include "skills/routing.h"

#include <iterator>

#include <gtest/gtest.h>

namespace teamster::skills {
namespace {

// Skills as people write them, with the words of those who need them.
struct Described {
  const char* name;
  const char* description;
};
constexpr Described kSkills[] = {
    {"api-design",
     "Shape the contract of an HTTP or RPC interface: resources, verbs, status codes, versioning, pagination, error "
     "bodies. Use when endpoints are added or changed, or when clients and server must agree on a payload."},
    {"database-migration",
     "Change a relational schema safely: add or drop columns and tables, backfill rows, keep old readers working, "
     "roll back. Use when a table, index or constraint has to change in PostgreSQL, MySQL or SQLite."},
    {"performance-tuning",
     "Find and remove slowness: profile, measure latency and throughput, reduce allocations, cache, batch. Use when "
     "something is too slow, burns CPU or memory, or misses its time budget."},
    {"security-review",
     "Look for vulnerabilities: injection, missing authorization, leaked secrets, unsafe deserialization, weak "
     "cryptography. Use before a release, or when code handles passwords, tokens or input of strangers."},
    {"unit-testing",
     "Write small fast tests for functions and classes, with fakes and edge cases. Use when behaviour has to be "
     "pinned down, coverage is thin, or a bug needs a regression test."},
    {"end-to-end-testing",
     "Drive the whole application as a user would, in a browser or from the shell, and check what is seen. Use for "
     "login flows, forms, navigation and smoke checks of a deployment."},
    {"accessibility",
     "Make pages usable with keyboard and screen reader: contrast, focus order, labels, ARIA roles. Use when widgets "
     "or forms are built or audited against WCAG."},
    {"release-notes",
     "Summarise what changed between two tags for the people who use the product. Use when a version is published "
     "and a changelog entry or an announcement is wanted."},
    {"incident-response",
     "Handle an outage: triage alerts, limit the damage, keep a timeline, write the postmortem. Use when production "
     "is down, errors spike or somebody was paged."},
    {"code-review",
     "Read a diff as a critical colleague: correctness, naming, structure, missing cases, and say what must be "
     "mended before it is merged. Use for pull requests and patches."},
    {"refactoring",
     "Improve the structure of code without changing what it does: extract, rename, move, remove duplication, split "
     "large files. Use when something is hard to read or to extend."},
    {"docker-packaging",
     "Put a service into a small container image: multi-stage builds, layers, users, health checks. Use when a "
     "Dockerfile is written or an image is too large."},
    {"ci-pipelines",
     "Set up continuous integration: jobs, matrices, caching, artifacts, required checks in GitHub Actions or "
     "GitLab. Use when builds run on every push or are flaky on the server."},
    {"logging-observability",
     "Instrument a program: structured logs, metrics, traces, dashboards and alerts. Use when nobody can see what a "
     "service does, or a correlation id is missing."},
    {"dependency-upgrade",
     "Bring third-party packages up to date: read their breaking changes, bump versions, mend what broke, keep the "
     "lock file. Use when a library is outdated or has a known advisory."},
    {"technical-writing",
     "Write guides, tutorials and reference pages that people can follow. Use when a README, manual or how-to is "
     "missing, stale or unclear."},
    {"data-analysis",
     "Explore tabular data: clean CSV files, join, aggregate, plot, and say what the numbers mean. Use for "
     "spreadsheets, statistics and charts."},
    {"pdf-forms",
     "Extract text and fields from PDF documents, fill in forms, merge and split pages. Use when a PDF has to be "
     "read, produced or signed."},
    {"translation",
     "Localise an interface: message catalogues, plural rules, dates, right-to-left layout. Use when strings have to "
     "appear in another language."},
    {"git-history",
     "Untangle commits: rebase, bisect, cherry-pick, recover lost work, find the commit that introduced a bug. Use "
     "when branches diverged or history has to be cleaned."},
    {"concurrency",
     "Reason about threads, locks, races and deadlocks; choose between mutexes, channels and atomics. Use when "
     "something hangs, or results differ from run to run."},
    {"infrastructure-as-code",
     "Describe cloud resources with Terraform or CloudFormation: modules, state, plans, drift. Use when servers, "
     "networks, buckets or permissions are provisioned."},
    {"requirements-interview",
     "Find out what stakeholders really want: open questions, assumptions, acceptance criteria, out of scope. Use "
     "when a request is vague or two readings lead to different software."},
    {"cost-estimation",
     "Estimate effort and money: break work down, compare with the past, give ranges and risks. Use when somebody "
     "asks how long it takes or what it costs."},
};

struct Task {
  const char* text;
  const char* skill;  // empty: none fits
};

// None has the words of the name of its skill in that form; some have none of them at all.
constexpr Task kTasks[] = {
    {"Customers paging through orders get inconsistent error bodies; agree on status codes for the new endpoints",
     "api-design"},
    {"We must add a not-null column to the orders table without stopping readers", "database-migration"},
    {"Rolling back the last change of the tables failed in PostgreSQL", "database-migration"},
    {"The import takes forty seconds and eats all CPU, make it quick", "performance-tuning"},
    {"Why is the search so slow since Monday? measure where the time goes", "performance-tuning"},
    {"Could a stranger get at other people's passwords through this input?", "security-review"},
    {"check whether tokens or secrets leak into the repository and whether authorization is missing anywhere",
     "security-review"},
    {"pin down the behaviour of the parser's edge cases with fakes", "unit-testing"},
    {"The bug came back twice, add a regression check for that function", "unit-testing"},
    {"Click through sign-in and checkout in a browser like a user and see that it works", "end-to-end-testing"},
    {"smoke check of the deployed application from the shell", "end-to-end-testing"},
    {"People who use a screen reader cannot operate the date picker", "accessibility"},
    {"keyboard focus gets lost in the dialog and the contrast is too low", "accessibility"},
    {"Summarise for our users what changed since tag v2.3", "release-notes"},
    {"Production is down and I was paged, what now", "incident-response"},
    {"errors spike after the outage; keep a timeline and write a postmortem", "incident-response"},
    {"Read this pull request critically and tell me what must be mended before we merge", "code-review"},
    {"Have a look at my patch, is the naming fine and are cases missing", "code-review"},
    {"this class has 3000 lines, split it up without changing what it does", "refactoring"},
    {"remove the duplication between the two importers", "refactoring"},
    {"our image has 2 GB, make the container smaller", "docker-packaging"},
    {"Builds on GitHub Actions are flaky, cache the artifacts and run a matrix", "ci-pipelines"},
    {"every push should run the checks on the server", "ci-pipelines"},
    {"nobody can see what the service is doing, we need metrics and traces with a correlation id",
     "logging-observability"},
    {"alerts and dashboards for the queue", "logging-observability"},
    {"Bump the outdated library with the known advisory and repair what breaks", "dependency-upgrade"},
    {"third-party packages are two years old", "dependency-upgrade"},
    {"The README is stale, write a how-to that newcomers can follow", "technical-writing"},
    {"a tutorial and reference pages for the plugin", "technical-writing"},
    {"join these two CSV files and plot revenue per month", "data-analysis"},
    {"what do the numbers in this spreadsheet mean, some statistics and a chart please", "data-analysis"},
    {"fill in the tax declaration and merge its pages into one document for signing", "pdf-forms"},
    {"The strings must appear in Arabic, with the right plural rules", "translation"},
    {"Which commit introduced the bug? bisect it", "git-history"},
    {"my branch diverged and I lost work, recover it", "git-history"},
    {"The program hangs now and then, maybe a deadlock between two threads", "concurrency"},
    {"results differ from run to run, a race on the counter", "concurrency"},
    {"provision a bucket and a network in the cloud with modules and state", "infrastructure-as-code"},
    {"The request is vague; which assumptions do we make and what is out of scope", "requirements-interview"},
    {"how long will it take and what would it cost, with ranges", "cost-estimation"},
    {"break the work down and compare effort with the past", "cost-estimation"},
    {"add pagination to the list of invoices so that the mobile app and the backend agree", "api-design"},
    {"the lock file has conflicts after newer versions of two packages", "dependency-upgrade"},
    {"a page announcing the new version to customers", "release-notes"},
    {"extract the fields of these scanned agreements into text", "pdf-forms"},
    {"Terraform plan shows drift in the permissions of the servers", "infrastructure-as-code"},
    {"ask the stakeholders which acceptance criteria they have", "requirements-interview"},
    {"the labels of the form have no ARIA roles", "accessibility"},
    {"the Dockerfile should use a multi-stage build and not run as root", "docker-packaging"},
    {"rename the module and move the helpers so that it is easier to extend", "refactoring"},
    {"Bake a chocolate cake for eight people", ""},
    {"Which restaurant near the station is open on Sunday?", ""},
    {"Compose a poem about autumn leaves", ""},
    {"Book a flight from Berlin to Lisbon next Tuesday", ""},
    {"My cat does not eat since yesterday", ""},
    {"Tell me a joke", ""},
    {"What is the capital of Australia?", ""},
    {"Plan a birthday party in the garden", ""},
    {"Explain the offside rule in football", ""},
    {"Water the plants while I am on holiday", ""},
};

Router make_router() {
  std::vector<Head> heads;
  for (const auto& [name, description] : kSkills) heads.push_back({.name = name, .description = description});
  return Router(heads);
}

std::string chosen(const Router& router, const std::string& task) {
  const auto ranked = router.rank(task);
  return ranked.empty() || !ranked.front().fits() ? "" : ranked.front().name;
}

TEST(Router, FindsTheSkillOfATaskInOtherWords) {
  const Router router = make_router();
  std::size_t right = 0;
  std::string misses;
  for (const auto& task : kTasks) {
    const std::string found = chosen(router, task.text);
    if (found == task.skill)
      ++right;
    else
      misses += std::string(task.text) + ": expected '" + task.skill + "', found '" + found + "'\n";
  }
  EXPECT_EQ(std::size(kTasks), 60U);
  EXPECT_GE(right, 57U) << misses;
}

TEST(Router, EverySkillIsFoundByItsOwnDescription) {
  const Router router = make_router();
  for (const auto& [name, description] : kSkills) {
    EXPECT_EQ(chosen(router, description), name);
    EXPECT_EQ(chosen(router, name), name);
  }
}

TEST(Router, SaysWhichWordsLedToIt) {
  const auto ranked = make_router().rank("Is there a deadlock between the threads?");
  ASSERT_FALSE(ranked.empty());
  EXPECT_EQ(ranked.front().name, "concurrency");
  EXPECT_EQ(ranked.front().words, (std::vector<std::string>{"deadlock", "thread"}));
}

TEST(Router, OneCommonWordIsAnAccident) {
  const Router router = make_router();
  const auto ranked = router.rank("Plan a birthday party in the garden");
  ASSERT_FALSE(ranked.empty());
  EXPECT_FALSE(ranked.front().fits());
  EXPECT_EQ(chosen(router, "bisect"), "git-history") << "unless it is all that was said";
}

TEST(Router, WordsThatBeginAlikeCountLess) {
  const Router router({{.name = "a", .description = "authentication of users"}, {.name = "b", .description = "tests"}});
  const auto ranked = router.rank("authenticated");
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_GT(router.rank("authentication").front().score, 0);
  EXPECT_TRUE(router.rank("testament").empty());
}

TEST(Router, IsTheSameWhateverTheOrderOfTheSkills) {
  std::vector<Head> heads;
  for (const auto& [name, description] : kSkills)
    heads.insert(heads.begin(), {.name = name, .description = description});
  const Router backwards(heads);
  const Router forwards = make_router();
  for (const auto& task : kTasks) EXPECT_EQ(chosen(backwards, task.text), chosen(forwards, task.text)) << task.text;
}

TEST(Router, WithoutSkillsOrWordsThereIsNothing) {
  EXPECT_TRUE(Router({}).rank("anything").empty());
  EXPECT_TRUE(make_router().rank("").empty());
  EXPECT_TRUE(make_router().rank("the of to").empty());
}

}  // namespace
}  // namespace teamster::skills
