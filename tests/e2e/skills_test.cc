// Skills as a run and its members meet them: offered from the workflow, the project and the user, and wanted before a
// run.
#include <filesystem>

#include <fmt/format.h>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kSkilled = R"(
name: skilled
about: One member, who looks its skill up.
team: { name: skilled, scope: run }
roles:
  worker: { about: works }
before:
  - { skills: Skills, of: TEAM.md, otherwise: 'install {{missing}} first' }
phases:
  - { id: work, role: worker, template: say.md, returns: done.json }
)";

class Skills : public testing::Test {
 protected:
  Skills() {
    write(workflow_ + "/workflow.yaml", kSkilled);
    write(workflow_ + "/say.md", "Do it by your skill.\n");
    write(workflow_ + "/done.json", R"({"type":"object","required":["done"],"properties":{"done":{"type":"string"}}})");
    write_skill(workflow_ + "/skills", "planning", "Plans of this workflow.", "Plan it.");
    write(workflow_ + "/skills/planning/references/more.md", "More about plans.");
    write(project_ + "/TEAM.md",
          "# Skills\n\n| Skill | Phases |\n|---|---|\n| planning | work |\n| drawing | work |\n");
  }
  static void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    write_file(path, text);
  }
  static void write_skill(const std::string& place, const std::string& name, const std::string& description,
                          const std::string& body) {
    write(place + "/" + name + "/SKILL.md",
          fmt::format("---\nname: {}\ndescription: {}\n---\n\n{}\n", name, description, body));
  }
  Outcome run(const Words& words) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_, TEAMSTER_BINARY};
    start.command.insert(start.command.end(), words.begin(), words.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
    Process process(start);
    return outcome_of(process);
  }
  Outcome run_skilled() const {
    return run({"run", "skilled", "--json", "--driver", "script", "--scripts", home_.scratch() + "/scripts"});
  }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string workflow_ = project_ + "/.teamster/workflows/skilled";
};

TEST_F(Skills, AreWantedBeforeARunWithoutASeriesAndOfferedToItsMembers) {
  write(home_.scratch() + "/scripts/worker.json", R"({"turns": [{"steps": [
    {"tool": {"name": "read_skill", "arguments": {"name": "planning"}, "save": "plan"}},
    {"tool": {"name": "read_skill", "arguments": {"name": "planning", "resource": "references/more.md"}, "save": "more"}},
    {"tool": {"name": "read_skill", "arguments": {"name": "drawing"}, "save": "draw"}},
    {"tool": {"name": "read_skill", "arguments": {}, "save": "all"}},
    {"write": {"path": "heard.txt", "text": "{{plan}}\n{{more}}\n{{draw}}\n{{all}}\n"}},
    {"say": "{\"done\": \"yes\"}"}]}]})");
  const Outcome missing = run_skilled();
  EXPECT_EQ(missing.exit, 3) << missing;
  EXPECT_EQ(missing.what(), "install drawing first") << missing;
  write(project_ + "/.claude/skills/drawing/SKILL.md", "# no front matter\n");
  const Outcome broken = run_skilled();
  EXPECT_EQ(broken.exit, 1) << broken;
  EXPECT_NE(broken.what().find("drawing/SKILL.md:1:1: expected `---`"), std::string::npos) << broken;
  write_skill(project_ + "/.claude/skills", "drawing", "Draws.", "Draw it.");
  write_skill(home_.scratch() + "/.claude/skills", "drawing", "The user's.", "Not this one.");
  write_skill(home_.scratch() + "/.config/teamster/skills", "typing", "Types.", "Type it.");

  const Outcome ran = run_skilled();
  ASSERT_EQ(ran.exit, 0) << ran;
  const std::string heard = read_file(project_ + "/heard.txt");
  for (const char* text : {"Plan it.", "More about plans.", "Draw it.", "Plans of this workflow.", "Types.",
                           "working-in-a-team", "references/more.md"})
    EXPECT_NE(heard.find(text), std::string::npos) << text << "\n" << heard;
  EXPECT_EQ(heard.find("Not this one."), std::string::npos) << heard;
  const Json started = home_.ok({"log", ran.json["run"].get<std::string>()})["events"][0];
  EXPECT_EQ(started["body"]["body"]["skills"], Json::parse(R"(["planning","drawing"])")) << started;
}

TEST_F(Skills, OfTheWorkflowAreThoseWithWhichTheRunWasStarted) {
  write_skill(project_ + "/.claude/skills", "drawing", "Draws.", "Draw it.");
  write(home_.scratch() + "/scripts/worker.json", R"({"turns": [{"steps": [
    {"run": "rm -r .teamster/workflows/skilled/skills"},
    {"tool": {"name": "read_skill", "arguments": {"name": "planning"}, "save": "plan"}},
    {"write": {"path": "heard.txt", "text": "{{plan}}"}},
    {"say": "{\"done\": \"yes\"}"}]}]})");
  const Outcome ran = run_skilled();
  ASSERT_EQ(ran.exit, 0) << ran;
  EXPECT_NE(read_file(project_ + "/heard.txt").find("Plan it."), std::string::npos);
}

TEST_F(Skills, AreListedShownValidatedAndRoutedHere) {
  write_skill(project_ + "/.claude/skills", "drawing", "Sketch diagrams with boxes and arrows.", "Draw it.");
  const Outcome listed = run({"skills", "list", "--workflow", "skilled", "--json"});
  ASSERT_EQ(listed.exit, 0) << listed;
  EXPECT_EQ(listed.json["skills"][0]["name"], "planning");
  EXPECT_EQ(listed.json["skills"][1]["path"], project_ + "/.claude/skills/drawing/SKILL.md");
  EXPECT_EQ(run({"skills", "show", "drawing", "--json"}).json["body"], "Draw it.");
  EXPECT_EQ(run({"skills", "show", "planning"}).exit, 1) << "only in its workflow";
  EXPECT_EQ(run({"skills", "validate", ".teamster/workflows/skilled"}).exit, 0);
  EXPECT_EQ(run({"skills", "validate", ".claude/skills/drawing/SKILL.md"}).exit, 0);
  EXPECT_EQ(run({"skills", "route", "a", "diagram", "with", "arrows", "--json"}).json["skill"], "drawing");
  EXPECT_EQ(run({"skills", "route", "water the plants"}).out, "none fits\n");
}

}  // namespace
}  // namespace teamster::e2e
