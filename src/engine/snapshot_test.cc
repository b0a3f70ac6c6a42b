#include "engine/snapshot.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/run_setup.h"
#include "env/sim/sim_world.h"

namespace teamster::engine {
namespace {

constexpr const char* kSnapshotRun = "w-20261116-1a2b";

class SnapshotTest : public testing::Test {
 protected:
  void write(const std::string& text) {
    auto& files = host_.view().files;
    ASSERT_TRUE(files.make_private_directory(run_directory(home_, kSnapshotRun)));
    ASSERT_TRUE(files.write_atomically(run_directory(home_, kSnapshotRun) + "/snapshot.json", text, 0600));
  }
  SnapshotFile file() { return {host_.view().files, home_, kSnapshotRun, "d1"}; }
  Result<std::optional<Snapshot>> snapshot(std::int64_t last_n = 10) { return file().read(last_n); }

  env::sim::World world_{1};
  env::sim::Host& host_ = world_.start("terminal");
  hub::Home home_{"/home/user/teamster"};
};

TEST_F(SnapshotTest, ThereMayBeNone) {
  const auto none = snapshot();
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_FALSE(*none);
}

TEST_F(SnapshotTest, WhatCannotBeUsedIsRefused) {
  for (const char* text :
       {"", "{", R"({"n":1,"state":{"phase":"bu)", "[]", R"({"n":1,"digest":"d1"})",
        R"({"n":1,"digest":"d1","state":{}})", R"({"digest":"d1","state":{"phase":"x"}})",
        R"({"n":0,"digest":"d1","state":{"phase":"x"}})", R"({"n":11,"digest":"d1","state":{"phase":"x"}})",
        R"({"n":1,"digest":"d1","state":{"phase":7}})", R"({"n":1,"digest":"d2","state":{"phase":"x"}})",
        R"({"n":1,"state":{"phase":"x"}})"}) {
    write(text);
    const auto read = snapshot();
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().what.find("snapshot.json"), std::string::npos);
  }
}

TEST_F(SnapshotTest, WhatIsWrittenIsRead) {
  ASSERT_TRUE(host_.view().files.make_private_directory(run_directory(home_, kSnapshotRun)));
  workflow::RunState state;
  state.phase = "build";
  state.loops["verify"] = 2;
  state.open["build.1"] = {workflow::command::Turn{"builder", "builder"}, "build", 1};
  ASSERT_TRUE(file().write({7, state, {{"build.1", WallTime{42'000}}}}));
  const auto read = snapshot();
  ASSERT_TRUE(read && *read) << read.error().text();
  EXPECT_EQ((*read)->n, 7);
  EXPECT_EQ(to_json((*read)->state), to_json(state));
  EXPECT_EQ((*read)->since.at("build.1").unix_ms, 42'000);
}

TEST_F(SnapshotTest, WhereItCannotBeWrittenItSaysSo) {
  const auto written = file().write({7, {}, {}});
  ASSERT_FALSE(written) << "the run has no directory";
}

}  // namespace
}  // namespace teamster::engine
