#include "project/workflow_settings.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "project/project_for_test.h"

namespace teamster::engine {
namespace {

class WorkflowSettingsTest : public ProjectTest {
 protected:
  WorkflowSettingsTest() {
    workflow_.name = "ralph";
    workflow_.roles["scout"].name = "scout";
    workflow_.phases.resize(1);
    workflow_.phases[0].id = "look";
  }
  Result<workflow::Configuration> read(const std::vector<std::string>& given = {}) {
    const auto settings = read_settings(
        view_.files,
        [this](const char* name) {
          return std::string_view(name) == "XDG_CONFIG_HOME" ? std::optional(home_.path()) : std::nullopt;
        },
        path(), given);
    if (!settings) return fail(settings.error());
    return configuration_for(workflow_, *settings);
  }
  std::string complaint(const std::vector<std::string>& given = {}) {
    const auto found = read(given);
    return found ? "" : found.error().what;
  }
  void write_users(const std::string& text) {
    const std::string directory = home_.path() + "/teamster";
    ASSERT_TRUE(view_.files.make_private_directory(directory));
    ASSERT_TRUE(view_.files.write_atomically(directory + "/config.yaml", text, 0644));
  }

  workflow::Workflow workflow_;
};

TEST_F(WorkflowSettingsTest, TheCommandLineIsOverTheProjectAndThatOverTheUser) {
  write_users("workflows: { ralph: { roles: { scout: { model: small, effort: low, driver: command } } } }\n");
  write(".teamster/config.yaml", "workflows:\n  ralph:\n    roles: { scout: { model: large, effort: mid } }\n");
  const auto found = read({"workflows.ralph.roles.scout.effort=high", "other=1"});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(*found,
            (workflow::Configuration{
                {"roles.scout.driver", "command"}, {"roles.scout.effort", "high"}, {"roles.scout.model", "large"}}));
}

TEST_F(WorkflowSettingsTest, WhatIsWrongIsToldWithItsPlace) {
  write(".teamster/config.yaml", "workflows:\n  ralph:\n    roles:\n      scuot: { model: large }\n");
  EXPECT_NE(complaint().find("config.yaml:4:23: workflows.ralph.roles.scuot.model"), std::string::npos) << complaint();
  EXPECT_NE(complaint().find("did you mean roles.scout.model?"), std::string::npos) << complaint();
  write(".teamster/config.yaml", "workflows: { ralph: { phases: { look: { limit: [5m] } } } }\n");
  EXPECT_NE(complaint().find("a list cannot stand here"), std::string::npos) << complaint();
  write(".teamster/config.yaml", "workflows: { ralph: { roles: { scout: { driver: clod } } } }\n");
  EXPECT_NE(complaint().find("clod"), std::string::npos) << complaint();
  write(".teamster/config.yaml", "workflows: { other: { roles: { nobody: { model: x } } } }\n");
  EXPECT_EQ(complaint(), "") << "that is about another";
  EXPECT_NE(complaint({"workflows.ralph.phases.look.limit=soon"}).find("--set: workflows.ralph.phases.look.limit"),
            std::string::npos);
}

}  // namespace
}  // namespace teamster::engine
