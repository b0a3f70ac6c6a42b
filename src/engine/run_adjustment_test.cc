#include "engine/run_adjustment.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::engine {
namespace {

workflow::Workflow with_setting() {
  workflow::Workflow workflow;
  workflow.name = "w";
  workflow.roles["builder"].name = "builder";
  workflow.values.resize(1);
  workflow.values[0].name = "build";
  workflow.values[0].kind = workflow::Value::Kind::config;
  workflow.values[0].of = "checks.build";
  workflow.phases.resize(1);
  workflow.phases[0].id = "work";
  return workflow;
}

TEST(RunAdjustmentTest, SettingsAndABudget) {
  const auto told =
      told_of({{"checks.build=make all=1", "workflows.w.roles.builder.model=opus", "workflows.w.phases.work.limit=5m"},
               "5usd,2h"},
              with_setting());
  ASSERT_TRUE(told) << told.error().text();
  EXPECT_EQ(told->values, (Json{{"build", "make all=1"}}));
  EXPECT_EQ(told->configuration.at("roles.builder.model"), "opus");
  EXPECT_EQ(told->configuration.at("phases.work.limit"), "5m");
  EXPECT_EQ(told->budget, (Json{{"usd", 5.0}, {"time_ms", 7200000}}));
}

TEST(RunAdjustmentTest, WhatMeansNothingIsRefused) {
  const auto complaint = [](const std::string& setting) { return told_of({{setting}}, with_setting()).error().text(); };
  EXPECT_NE(complaint("checks.biuld=x").find("did you mean checks.build?"), std::string::npos);
  EXPECT_NE(complaint("workflows.w.roles.builder.modell=x").find("did you mean roles.builder.model?"),
            std::string::npos);
  EXPECT_NE(complaint("nothing").find("is not NAME=VALUE"), std::string::npos);
  EXPECT_FALSE(told_of({{}, "much"}, with_setting()));
}

}  // namespace
}  // namespace teamster::engine
