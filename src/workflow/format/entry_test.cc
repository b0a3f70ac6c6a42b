#include "workflow/format/entry.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

Phase phase_of_role(const std::string& id, const std::string& role) {
  Phase phase;
  phase.id = id;
  phase.role = role;
  return phase;
}

Workflow with_entries() {
  Workflow workflow;
  workflow.args = {{.name = "spec"}, {.name = "goal", .fallback = ""}};
  workflow.entries = {{.name = "whole"}, {.name = "plan", .to = "plan"}, {.name = "build", .from = "build"}};
  workflow.entries[1].args = {"goal", "spec"};
  workflow.phases = {phase_of_role("plan", "planner"), phase_of_role("build", "builder"),
                     phase_of_role("ship", "builder")};
  for (const char* name : {"planner", "builder", "helper"}) workflow.roles[name].name = name;
  workflow.roles["builder"].ladder.advisor = "helper";
  return workflow;
}

std::vector<std::string> names(const std::vector<const Argument*>& arguments) {
  std::vector<std::string> found;
  for (const auto* argument : arguments) found.push_back(argument->name);
  return found;
}

using Names = std::vector<std::string>;

TEST(Entry, TakesAllArgumentsOrThoseItNames) {
  const Workflow workflow = with_entries();
  EXPECT_EQ(names(arguments_of(workflow, nullptr)), (Names{"spec", "goal"}));
  EXPECT_EQ(names(arguments_of(workflow, find_entry(workflow, "whole"))), (Names{"spec", "goal"}));
  EXPECT_EQ(names(arguments_of(workflow, find_entry(workflow, "plan"))), (Names{"goal", "spec"}));
  EXPECT_EQ(find_entry(workflow, "other"), nullptr);
  EXPECT_EQ(find_entry(workflow, ""), nullptr);
}

TEST(Entry, BeginsAndEnds) {
  const Workflow workflow = with_entries();
  EXPECT_EQ(extent_of(workflow, "plan").last, 0U);
  EXPECT_EQ(extent_of(workflow, "build").first, 1U);
  EXPECT_EQ(extent_of(workflow, "build").last, 2U);
  EXPECT_EQ(extent_of(workflow, "").last, 2U);
}

TEST(Entry, ReachesSomePhasesAndRoles) {
  const Workflow workflow = with_entries();
  EXPECT_EQ(phases_within(workflow, "plan"), (Names{"plan"}));
  EXPECT_EQ(phases_within(workflow, "build"), (Names{"build", "ship"}));
  EXPECT_EQ(roles_within(workflow, "plan"), (std::set<std::string>{"planner"}));
  EXPECT_EQ(roles_within(workflow, "build"), (std::set<std::string>{"builder", "helper"})) << "with their advisor";
  EXPECT_EQ(roles_within(workflow, "whole").size(), 3U);
  EXPECT_EQ(roles_within(Workflow{}, "").size(), 0U);
}

}  // namespace
}  // namespace teamster::workflow
