#include "engine/run_setup.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::engine {
namespace {

TEST(RunSetupTest, IsReadAsItWasWritten) {
  RunSetup setup{"/p", "d1", "script", {{"builder", "claude"}}, "/s"};
  setup.budget = "5usd";
  setup.parent = "w-20261116-1a2b/build.1";
  setup.settings = {"checks.test=make test"};
  setup.at_most = "3turns";
  const auto read = RunSetup::from_json(setup.json());
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->json(), setup.json());
  EXPECT_EQ(read->settings, setup.settings);
  EXPECT_EQ(read->format, workflow::kFormat);
  EXPECT_EQ(read->drivers.at("builder"), "claude");
}

TEST(RunSetupTest, OfAnOlderProgramHasLess) {
  const auto read = RunSetup::from_json({{"project", "/p"}, {"digest", "d1"}});
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->parent, "");
  EXPECT_EQ(read->format, 1) << "formats had no number then";
  EXPECT_TRUE(read->settings.empty());
  for (const char* json : {R"({})", R"({"project":1,"digest":"d"})", R"({"project":"/p"})",
                           R"({"project":"/p","digest":"d","parent":[]})", R"({"project":"/p","digest":"d","format":"two"})"})
    EXPECT_FALSE(RunSetup::from_json(Json::parse(json))) << json;
}

}  // namespace
}  // namespace teamster::engine
