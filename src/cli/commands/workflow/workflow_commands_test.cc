// The commands workflow list, show, validate and graph, on a simulated disk.
#include <gtest/gtest.h>

#include "cli/framework/outside_for_test.h"
#include "env/files.h"
#include "env/sim/sim_world.h"

namespace teamster::cli {
namespace {

constexpr const char* kTiny = "name: tiny\nabout: Says so.\nphases:\n  - { id: tell, kind: notify, text: done }\n";

class WorkflowCommandsTest : public testing::Test {
 protected:
  WorkflowCommandsTest() {
    outside_.world = [this] { return host_.view(); };
    outside_.variables["HOME"] = "/home/user";
  }

  void write(const std::string& path, const std::string& text) {
    env::Files& files = host_.view().files;
    ASSERT_TRUE(files.make_private_directory(path.substr(0, path.rfind('/'))));
    ASSERT_TRUE(files.write_atomically(path, text, 0600));
  }

  env::sim::World world_{1};
  env::sim::Host& host_ = world_.start("cli");
  FakeOutside outside_;
};

TEST_F(WorkflowCommandsTest, TheBuiltInOnesAreThereAndValid) {
  EXPECT_EQ(outside_.run({"workflow", "list", "--json"}), 0);
  std::vector<std::string> names;
  const Json document = outside_.document();
  for (const auto& workflow : document["workflows"]) {
    names.push_back(workflow["name"]);
    EXPECT_EQ(workflow["from"], "built-in");
    EXPECT_EQ(workflow["valid"], true) << workflow;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"collab", "homeostasis", "implement-spec", "pipeline", "ralph"}));
}

TEST_F(WorkflowCommandsTest, TheProjectsComeFirstThenTheUsers) {
  write("/home/user/.config/teamster/workflows/tiny/workflow.yaml", kTiny);
  EXPECT_EQ(outside_.run({"workflow", "show", "tiny", "--json"}), 0);
  EXPECT_EQ(outside_.document()["from"], "user");
  write(".teamster/workflows/tiny/workflow.yaml", kTiny);
  EXPECT_EQ(outside_.run({"workflow", "show", "tiny", "--json"}), 0);
  EXPECT_EQ(outside_.document()["from"], "project");
  EXPECT_EQ(outside_.document()["phases"][0]["kind"], "notify");
  EXPECT_EQ(outside_.run({"workflow", "list"}), 0);
  EXPECT_NE(outside_.out.captured.find("tiny            project   1       -        Says so.\n"), std::string::npos)
      << outside_.out.captured;
}

TEST_F(WorkflowCommandsTest, ValidateNamesEveryProblem) {
  write("/p/tiny/workflow.yaml", "name: tiny\nphases:\n  - { id: tell, kind: notify, txt: done }\n");
  EXPECT_EQ(outside_.run({"workflow", "validate", "/p/tiny"}), 1);
  EXPECT_EQ(outside_.out.captured,
            "/p/tiny/workflow.yaml:3:5: the phase 'tell' needs `command`\n"
            "/p/tiny/workflow.yaml:3:31: the phase 'tell' has no key 'txt': did you mean `text`?\n");
  EXPECT_EQ(outside_.run({"workflow", "validate", "--json", "/p/tiny/workflow.yaml"}), 1);
  EXPECT_EQ(outside_.document()["workflows"][0]["valid"], false);
  EXPECT_EQ(outside_.document()["workflows"][0]["problems"][0]["line"], 3);
}

TEST_F(WorkflowCommandsTest, ValidateLooksAtTheSkillsOfAWorkflow) {
  write("/p/tiny/workflow.yaml", kTiny);
  write("/p/tiny/skills/draw/SKILL.md", "---\nname: paint\ndescription: x\n---\n");
  EXPECT_EQ(outside_.run({"workflow", "validate", "/p/tiny"}), 1);
  EXPECT_EQ(outside_.out.captured,
            "/p/tiny/skills/draw/SKILL.md:2:7: `name` is 'paint', but the directory is 'draw': expected the same\n");
}

TEST_F(WorkflowCommandsTest, ValidateSaysWhatIsFine) {
  write("/p/tiny/workflow.yaml", kTiny);
  EXPECT_EQ(outside_.run({"workflow", "validate", "/p/tiny/", "implement-spec"}), 0);
  EXPECT_EQ(outside_.out.captured, "/p/tiny: ok, 1 phases\nimplement-spec: ok, 10 phases\n");
}

TEST_F(WorkflowCommandsTest, WhatIsNotThereIsSuggested) {
  EXPECT_EQ(outside_.run({"workflow", "show", "implement-spce"}), 1);
  EXPECT_EQ(outside_.err.captured, "teamster: there is no workflow 'implement-spce'\n  Did you mean implement-spec?\n");
  EXPECT_EQ(outside_.run({"workflow", "validate", "/nowhere"}), 1);
  EXPECT_EQ(outside_.run({"workflow", "validate", "No Name"}), 2);
  EXPECT_EQ(outside_.run({"workflow", "validate"}), 2);
  EXPECT_EQ(outside_.run({"workflow", "graph", "ralph", "--format", "png"}), 2);
}

TEST_F(WorkflowCommandsTest, FilesOverTheLimitAreRefused) {
  write("/p/big/workflow.yaml", std::string(10UL * 1024 * 1024, 'x'));
  EXPECT_EQ(outside_.run({"workflow", "validate", "/p/big"}), 1);
  EXPECT_NE(outside_.err.captured.find("at most 1 MiB"), std::string::npos) << outside_.err.captured;
}

TEST_F(WorkflowCommandsTest, HiddenFilesAreNoPart) {
  write("/p/tiny/workflow.yaml", kTiny);
  write("/p/tiny/.git/config", "x");
  EXPECT_EQ(outside_.run({"workflow", "show", "/p/tiny", "--json"}), 0);
  EXPECT_EQ(outside_.document()["files"], Json::parse(R"(["workflow.yaml"])"));
}

TEST_F(WorkflowCommandsTest, ShowsAFile) {
  write("/p/tiny/workflow.yaml", kTiny);
  EXPECT_EQ(outside_.run({"workflow", "show", "/p/tiny", "--file", "workflow.yaml"}), 0);
  EXPECT_EQ(outside_.out.captured, kTiny);
  EXPECT_EQ(outside_.run({"workflow", "show", "/p/tiny", "--file", "other"}), 1);
}

TEST_F(WorkflowCommandsTest, Draws) {
  EXPECT_EQ(outside_.run({"workflow", "graph", "implement-spec"}), 0);
  EXPECT_TRUE(outside_.out.captured.starts_with("flowchart TD\n"));
  EXPECT_NE(outside_.out.captured.find("verify: at most 3, then block"), std::string::npos);
  EXPECT_EQ(outside_.run({"workflow", "graph", "pipeline", "--format", "dot", "--json"}), 0);
  EXPECT_TRUE(outside_.document()["graph"].get<std::string>().starts_with("digraph \"pipeline\" {"));
}

TEST_F(WorkflowCommandsTest, DoesNotShowWhatIsWrong) {
  write("/p/tiny/workflow.yaml", "name: tiny\n");
  EXPECT_EQ(outside_.run({"workflow", "graph", "/p/tiny"}), 1);
  EXPECT_EQ(outside_.err.captured,
            "teamster: /p/tiny/workflow.yaml:1:1: the workflow needs `phases`\n"
            "  See all of them: teamster workflow validate /p/tiny\n");
}

}  // namespace
}  // namespace teamster::cli
