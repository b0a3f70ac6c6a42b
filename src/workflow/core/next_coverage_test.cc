// That the tests of this binary have been everywhere: each kind of event and command, and each outcome of
// each effect.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

std::string contents(const std::string& path) {
  std::ifstream stream(std::string(TEAMSTER_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

template <class Unknown, class... Bodies>
void add_kinds(const std::variant<Unknown, Bodies...>*, std::set<std::string>& kinds) {
  (kinds.emplace(Bodies::kKind), ...);
}

// From the tables of kinds, so that none can be forgotten here.
std::set<std::string> declared_kinds() {
  std::set<std::string> kinds;
  add_kinds(static_cast<const EventBody*>(nullptr), kinds);
  add_kinds(static_cast<const CommandBody*>(nullptr), kinds);
  return kinds;
}

const char* const kTransitions[] = {
    "run.team_ready of make_team", "run.team_gone of end_team",

    "step.done of turn",           "step.done of check",        "step.done of ask",
    "step.done of notify",         "step.done of commit",       "step.done of read_items",
    "step.done of make_tasks",     "step.done of sub_run",      "step.done of end_sub_run",
    "step.failed of make_team",    "step.failed of turn",       "step.failed of check",
    "step.failed of ask",          "step.failed of notify",     "step.failed of commit",
    "step.failed of read_items",   "step.failed of make_tasks", "step.failed of sub_run",
    "step.failed of end_sub_run",  "step.due of wait",          "step.due of ask",
    "step.decided of notify",      "step.decided of check",     "step.unknown of notify",
    "run.member_lost of turn",     "step.done of finish_task",  "step.failed of finish_task",
    "step.done of tick",           "step.failed of tick",       "step.done of reply",
    "step.failed of reply",        "step.done of retire",       "step.failed of retire",
};

class Coverage : public testing::Environment {
 public:
  void TearDown() override {
    const auto& unit_test = *testing::UnitTest::GetInstance();
    if (unit_test.test_to_run_count() != unit_test.total_test_count()) return;  // a part cannot have been everywhere
    const auto& exercised = Exercised::in_this_process();
    for (const auto& kind : declared_kinds())
      EXPECT_EQ(exercised.kinds.count(kind), 1U) << "no test has a record with " << kind;
    for (const auto& transition : kTransitions)
      EXPECT_EQ(exercised.transitions.count(transition), 1U) << "no test has a " << transition;
  }
};

const testing::Environment* const kCoverage = testing::AddGlobalTestEnvironment(new Coverage);

TEST(RunFormatTest, TheKindsAreFound) { EXPECT_GE(declared_kinds().size(), 30U) << kCoverage; }

TEST(RunFormatTest, ThePageNamesEveryKind) {
  const std::string page = contents("docs/formats/run.md");
  for (const auto& kind : declared_kinds())
    EXPECT_NE(page.find("| `" + kind + "` |"), std::string::npos) << "docs/formats/run.md has no row for " << kind;
}

}  // namespace
}  // namespace teamster::workflow
