// The commands skills list, show, validate and route, on a simulated disk.
#include <filesystem>

#include <gtest/gtest.h>

#include "cli/framework/outside_for_test.h"
#include "env/files.h"
#include "env/sim/sim_world.h"

namespace teamster::cli {
namespace {

class SkillsCommandsTest : public testing::Test {
 protected:
  SkillsCommandsTest() {
    outside_.world = [this] { return host_.view(); };
    outside_.variables["HOME"] = "/home/user";
  }
  void write(const std::string& path, const std::string& text) {
    env::Files& files = host_.view().files;
    ASSERT_TRUE(files.make_private_directory(path.substr(0, path.rfind('/'))));
    ASSERT_TRUE(files.write_atomically(path, text, 0600));
  }
  void write_skill(const std::string& place, const std::string& name, const std::string& description) {
    write(place + "/" + name + "/SKILL.md",
          "---\nname: " + name + "\ndescription: " + description + "\n---\n\n# " + name + "\n");
  }
  int run(const std::vector<std::string>& words) { return outside_.run(words); }
  bool prints(const std::string& text) const { return outside_.out.captured.find(text) != std::string::npos; }

  const std::string here_ = std::filesystem::current_path().string();
  env::sim::World world_{1};
  env::sim::Host& host_ = world_.start("cli");
  FakeOutside outside_;
};

TEST_F(SkillsCommandsTest, ListSaysWhereEachComesFromAndWhatItHides) {
  write_skill("/home/user/.claude/skills", "drawing", "Of the user.");
  write_skill(here_ + "/.teamster/skills", "drawing", "Of the project.");
  write(here_ + "/.claude/skills/broken/SKILL.md", "# none");
  write(here_ + "/.claude/skills/odd/SKILL.md", "---\nname: odd\ndescription: x\nmodel: y\n---\n");
  EXPECT_EQ(run({"skills", "list"}), 0);
  EXPECT_TRUE(prints("drawing            project   Of the project.\n")) << outside_.out.captured;
  EXPECT_TRUE(prints("working-in-a-team  built-in  ")) << outside_.out.captured;
  EXPECT_TRUE(
      prints(here_ + "/.teamster/skills/drawing/SKILL.md hides /home/user/.claude/skills/drawing/SKILL.md (user)\n"))
      << outside_.out.captured;
  EXPECT_TRUE(prints("not used: " + here_ + "/.claude/skills/broken/SKILL.md:1:1: expected `---`"));
  EXPECT_TRUE(prints("odd has mistakes: teamster skills validate " + here_ + "/.claude/skills/odd/SKILL.md\n"));
  EXPECT_TRUE(prints(" of 16000 characters\n"));
  EXPECT_EQ(run({"skills", "list", "--json", "--window", "1000000"}), 0);
  const Json document = outside_.document();
  EXPECT_EQ(document["skills"][0]["name"], "drawing");
  EXPECT_EQ(document["skills"][0]["hides"][0]["from"], "user");
  EXPECT_EQ(document["skills"][0]["valid"], true);
  EXPECT_EQ(document["broken"][0]["problems"][0]["line"], 1);
  EXPECT_EQ(document["level_one"]["budget"], 20'000);
}

TEST_F(SkillsCommandsTest, ListReportsWhatFallsOutOfTheBudget) {
  for (int i = 10; i < 40; ++i)
    write_skill(here_ + "/.teamster/skills", "skill-" + std::to_string(i), std::string(1000, 'd'));
  EXPECT_EQ(run({"skills", "list"}), 0);
  EXPECT_TRUE(prints("fall out of it, so no agent is told of them: skill-25, skill-26")) << outside_.out.captured;
  EXPECT_EQ(run({"skills", "list", "--json"}), 0);
  EXPECT_EQ(outside_.document()["level_one"]["left_out"][0], "skill-25");
  EXPECT_EQ(outside_.document()["skills"][15]["listed"], false);
}

TEST_F(SkillsCommandsTest, ShowPrintsTheBodyOrAFileBesideIt) {
  write_skill(here_ + "/.claude/skills", "drawing", "Draws.");
  write(here_ + "/.claude/skills/drawing/references/pencils.md", "Soft ones.\n");
  EXPECT_EQ(run({"skills", "show", "drawing"}), 0);
  EXPECT_EQ(outside_.out.captured, "drawing: Draws.\nfrom project, " + here_ +
                                       "/.claude/skills/drawing/SKILL.md\n\n# drawing\n\nresources, for --resource:\n"
                                       "  references/pencils.md (11 bytes)\n");
  EXPECT_EQ(run({"skills", "show", "drawing", "--resource", "references/pencils.md"}), 0);
  EXPECT_EQ(outside_.out.captured, "Soft ones.\n");
  EXPECT_EQ(run({"skills", "show", "drawing", "--resource", "../../x"}), 3);
  EXPECT_EQ(run({"skills", "show", "drwaing"}), 1);
  EXPECT_NE(outside_.err.captured.find("Did you mean drawing?"), std::string::npos) << outside_.err.captured;
  EXPECT_EQ(run({"skills", "show", "drawing", "--json"}), 0);
  EXPECT_EQ(outside_.document()["body"], "# drawing");
  EXPECT_EQ(outside_.document()["resources"][0]["bytes"], 11);
}

TEST_F(SkillsCommandsTest, ValidateNamesEveryProblem) {
  write("/p/skills/drawing/SKILL.md", "---\nname: painting\ndescription: x\nmodel: y\n---\n");
  write_skill("/p/skills", "typing", "Types.");
  EXPECT_EQ(run({"skills", "validate", "/p/skills"}), 1);
  EXPECT_EQ(outside_.out.captured,
            "/p/skills/drawing/SKILL.md:2:7: `name` is 'painting', but the directory is 'drawing': expected the same\n"
            "/p/skills/drawing/SKILL.md:4:1: 'model' is no field of a skill and would be ignored: remove it, or put it "
            "below `metadata`\n"
            "/p/skills/typing/SKILL.md: ok\n");
  EXPECT_EQ(run({"skills", "validate", "/p/skills/typing", "--json"}), 0);
  EXPECT_EQ(outside_.document()["skills"][0]["valid"], true);
  EXPECT_EQ(run({"skills", "validate", "/nowhere"}), 1);
  EXPECT_EQ(run({"skills", "validate"}), 0) << "what is built in is good";
  EXPECT_TRUE(prints("built-in/working-in-a-team/SKILL.md: ok\n"));
}

TEST_F(SkillsCommandsTest, RouteSaysWhichFitsOrThatNoneDoes) {
  write_skill(here_ + "/.claude/skills", "drawing", "Sketch diagrams and charts with boxes and arrows.");
  write_skill(here_ + "/.claude/skills", "typing", "Write letters to customers.");
  EXPECT_EQ(run({"skills", "route", "a", "diagram with arrows, please"}), 0);
  EXPECT_TRUE(prints("drawing")) << outside_.out.captured;
  EXPECT_EQ(run({"skills", "route", "bake a cake"}), 1);
  EXPECT_EQ(outside_.out.captured, "none fits\n");
  EXPECT_EQ(run({"skills", "route", "--json", "boxes and arrows"}), 0);
  EXPECT_EQ(outside_.document()["skill"], "drawing");
  EXPECT_EQ(outside_.document()["ranked"][0]["words"], Json::parse(R"(["box","arrow"])"));
  EXPECT_EQ(run({"skills", "route", "--json", "bake a cake"}), 1);
  EXPECT_TRUE(outside_.document()["skill"].is_null());
  EXPECT_EQ(run({"skills", "route"}), 2);
}

TEST_F(SkillsCommandsTest, AWorkflowsSkillsComeFirst) {
  write(here_ + "/w/workflow.yaml", "name: w\nabout: x\nphases:\n  - { id: tell, kind: notify, text: done }\n");
  write_skill(here_ + "/w/skills", "drawing", "Of the workflow.");
  write_skill(here_ + "/.claude/skills", "drawing", "Of the project.");
  EXPECT_EQ(run({"skills", "list", "--workflow", here_ + "/w", "--json"}), 0);
  EXPECT_EQ(outside_.document()["skills"][0]["from"], "workflow");
  EXPECT_EQ(outside_.document()["skills"][0]["path"], here_ + "/w/skills/drawing/SKILL.md");
}

}  // namespace
}  // namespace teamster::cli
