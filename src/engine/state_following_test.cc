#include "engine/state_following.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "env/sim/sim_world.h"
#include "workflow/core/run_for_test.h"

namespace teamster::engine {
namespace {

constexpr const char* kProject = "/home/user/project";
constexpr const char* kFile = "/home/user/project/state.json";

class StateFollowing : public testing::Test {
 protected:
  StateFollowing() {
    pinned_.workflow.state = workflow::State{.file = "state.json", .task = {}, .fields = {}};
    EXPECT_TRUE(files().make_private_directory(kProject));
  }

  env::Files& files() { return view_.files; }
  void fields(const Json& wanted) { pinned_.workflow.state->fields = wanted.get<std::map<std::string, Json>>(); }
  Json follow() {
    const auto followed = follow_with_state_file(files(), pinned_, kProject, state_);
    EXPECT_TRUE(followed) << followed.error().text();
    return *parse_json(*files().read(kFile, 10000));
  }

  env::sim::World world_{1};
  env::World view_{world_.start("engine").view()};
  workflow::Pinned pinned_ = workflow::pinned_for_test({workflow::agent_phase("plan")});
  workflow::RunState state_;
};

TEST_F(StateFollowing, FieldsKeepTheirTypes) {
  fields(Json::parse(R"({"list": "{{plan/files}}", "map": "{{plan/sizes}}", "count": "{{loops/again}}",
      "none": "{{plan/title}}", "text": "of {{plan/sizes/a}}", "fixed": [1, null, true],
      "inner": {"each": ["{{plan/sizes/a}}", "{{plan/title}}"], "deep": {"run": "{{run/id}}"}}, "a/b": "{{plan/sizes/a}}"})"));
  state_.answers["plan"].value = Json::parse(R"({"files": ["x", "y"], "sizes": {"a": 7}})");
  state_.loops["again"] = 2;
  EXPECT_EQ(follow(), Json::parse(R"({"list": ["x", "y"], "map": {"a": 7}, "count": 2, "none": null, "text": "of 7",
      "fixed": [1, null, true], "inner": {"each": [7, null], "deep": {"run": "w-20261116-1a2b"}}, "a": {"b": 7}})"));
}

TEST_F(StateFollowing, AreMergedIntoWhatIsThere) {
  ASSERT_TRUE(
      files().write_atomically(kFile, R"({"theirs": 1, "ours": {"theirs": 2, "phase": "x"}, "list": [1, 2]})", 0644));
  fields(Json::parse(R"({"ours/phase": "{{plan/title}}", "list": ["{{plan/title}}"]})"));
  state_.answers["plan"].value = {{"title", "y"}};
  EXPECT_EQ(follow(), Json::parse(R"({"theirs": 1, "ours": {"theirs": 2, "phase": "y"}, "list": ["y"]})"));
  ASSERT_TRUE(files().write_atomically(kFile, "[]", 0644));
  EXPECT_FALSE(follow_with_state_file(files(), pinned_, kProject, state_)) << "what is no object is left alone";
  EXPECT_EQ(*files().read(kFile, 100), "[]");
}

TEST_F(StateFollowing, AFileThatNamesTheTeamSettlesInTwoSeconds) {
  fields(Json::parse(R"({"phase": "{{run/phase}}"})"));
  EXPECT_EQ(file_that_names_team(pinned_, kProject, state_), "") << "it names none";
  fields(Json::parse(R"({"teamName": "{{run/team}}"})"));
  ASSERT_EQ(file_that_names_team(pinned_, kProject, state_), kFile);
  EXPECT_EQ(settles_in(view_, kFile), Duration::zero()) << "there is none yet";
  follow();
  EXPECT_EQ(settles_in(view_, kFile), limits::kStateSettles);
  world_.run_for(limits::kStateSettles / 2);
  EXPECT_EQ(settles_in(view_, kFile), limits::kStateSettles / 2);
  world_.run_for(limits::kStateSettles);
  EXPECT_EQ(settles_in(view_, kFile), Duration::zero());
}

}  // namespace
}  // namespace teamster::engine
