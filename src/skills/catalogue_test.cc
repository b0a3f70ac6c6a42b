#include "skills/catalogue.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/text.h"
#include "env/real/temporary_directory_for_test.h"
#include "env/real/world.h"
#include "skills/level_one.h"
#include "skills/places.h"
#include "skills/skill_limits.h"

namespace teamster::skills {
namespace {

class CatalogueTest : public testing::Test {
 protected:
  static std::string skill(const std::string& name, const std::string& description,
                           const std::string& body = "Do it.") {
    return fmt::format("---\nname: {}\ndescription: {}\n---\n\n{}\n", name, description, body);
  }
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  Catalogue discover(Places places = {}) {
    places.project = path("project");
    return Catalogue(
        make_sources(world_.view().files, std::move(places), [this](const char* name) -> std::optional<std::string> {
          if (std::string(name) == "HOME") return path("home");
          return std::nullopt;
        }));
  }
  // NAME FROM of each that is not built in.
  static std::vector<std::string> found(const Catalogue& catalogue) {
    std::vector<std::string> list;
    for (const auto& each : catalogue.skills())
      if (each.from != "built-in") list.push_back(each.head.name + " " + each.from);
    return list;
  }

  env::real::World world_;
  env::real::TemporaryDirectory directory_;
};

using List = std::vector<std::string>;

TEST_F(CatalogueTest, EarlierPlacesWinAndWhatIsHiddenIsSaid) {
  write("home/.claude/skills/draw/SKILL.md", skill("draw", "user, claude"));
  write("home/.config/teamster/skills/draw/SKILL.md", skill("draw", "user"));
  write("project/.claude/skills/draw/SKILL.md", skill("draw", "project, claude"));
  write("project/.claude/skills/paint/SKILL.md", skill("paint", "only here"));
  EXPECT_EQ(discover().find("draw")->head.description, "project, claude");
  write("project/.teamster/skills/draw/SKILL.md", skill("draw", "project"));
  EXPECT_EQ(discover().find("draw")->head.description, "project");
  write("more/draw/SKILL.md", skill("draw", "named"));
  EXPECT_EQ(discover({.named = {path("more")}}).find("draw")->head.description, "named");
  const Catalogue all = discover({.workflow = {{"skills/draw/SKILL.md", skill("draw", "of the run")},
                                               {"workflow.yaml", "name: x"},
                                               {"phases/draw/SKILL.md", "no skill"}},
                                  .workflow_place = "x",
                                  .named = {path("more")}});
  const auto draw = all.find("draw");
  ASSERT_TRUE(draw);
  EXPECT_EQ(draw->head.description, "of the run");
  EXPECT_EQ(draw->place, "x/skills/draw/SKILL.md");
  List hidden;
  for (const auto& each : draw->hidden) hidden.push_back(each.from + " " + each.place.substr(directory_.path().size()));
  EXPECT_EQ(hidden,
            (List{"named /more/draw/SKILL.md", "project /project/.teamster/skills/draw/SKILL.md",
                  "project /project/.claude/skills/draw/SKILL.md", "user /home/.config/teamster/skills/draw/SKILL.md",
                  "user /home/.claude/skills/draw/SKILL.md"}));
  EXPECT_EQ(found(all), (List{"draw workflow", "paint project"}));
}

TEST_F(CatalogueTest, TheProgramBringsItsOwn) {
  const Catalogue catalogue = discover();
  ASSERT_FALSE(catalogue.skills().empty());
  for (const auto& each : catalogue.skills()) {
    EXPECT_EQ(each.from, "built-in");
    EXPECT_EQ(each.problem_count, 0U) << each.place;
    EXPECT_FALSE(catalogue.body(each.head.name)->empty());
  }
  EXPECT_TRUE(catalogue.broken().empty());
  EXPECT_TRUE(catalogue.troubles().empty());
}

TEST_F(CatalogueTest, TheBodyIsReadWhenItIsUsed) {
  write("project/.teamster/skills/draw/SKILL.md", skill("draw", "Draws.", "First."));
  const Catalogue catalogue = discover();
  EXPECT_EQ(*catalogue.body("draw"), "First.");
  write("project/.teamster/skills/draw/SKILL.md", skill("draw", "Draws.", "Second."));
  EXPECT_EQ(*catalogue.body("draw"), "Second.");
  std::filesystem::remove(path("project/.teamster/skills/draw/SKILL.md"));
  EXPECT_NE(catalogue.body("draw").error().what.find("cannot be read any more"), std::string::npos);
}

TEST_F(CatalogueTest, WhatIsBrokenIsSaidAndHidesNothing) {
  write("project/.teamster/skills/draw/SKILL.md", "no front matter");
  write("project/.claude/skills/draw/SKILL.md", skill("draw", "Draws."));
  write("project/.claude/skills/paint/SKILL.md", skill("draw", "Another name."));
  const Catalogue catalogue = discover();
  EXPECT_EQ(found(catalogue), (List{"draw project"}));
  ASSERT_EQ(catalogue.broken().size(), 2U);
  EXPECT_EQ(catalogue.broken()[0].place, path("project/.teamster/skills/draw/SKILL.md"));
  const auto paint = catalogue.find("paint");
  ASSERT_FALSE(paint);
  EXPECT_EQ(paint.error().code, Code::failed);
  EXPECT_NE(paint.error().text().find("paint/SKILL.md:2:7: `name` is 'draw'"), std::string::npos)
      << paint.error().text();
}

TEST_F(CatalogueTest, AFieldThatIsIgnoredIsNoReasonNotToUseIt) {
  write("project/.claude/skills/draw/SKILL.md", "---\nname: draw\ndescription: Draws.\nmodel: x\n---\nBody\n");
  EXPECT_EQ(discover().find("draw")->problem_count, 1U);
}

TEST_F(CatalogueTest, WhatIsNotThereIsAnsweredWithWhatIs) {
  write("project/.claude/skills/draw/SKILL.md", skill("draw", "Draws."));
  const auto missing = discover().find("drwa");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(), "there is no skill 'drwa'. Did you mean draw? There are: draw, working-in-a-team");
}

TEST_F(CatalogueTest, ResourcesAreReadInsideOfTheSkillAndNowhereElse) {
  write("project/.claude/skills/draw/SKILL.md", skill("draw", "Draws."));
  write("project/.claude/skills/draw/references/pencils.md", "Soft ones.");
  write("project/.claude/skills/draw/logo.png", "\x89PNG\xFF");
  write("project/.claude/skills/other/SKILL.md", skill("other", "Others."));
  write("secret", "secret");
  std::filesystem::create_symlink(path("secret"), path("project/.claude/skills/draw/secret"));
  std::filesystem::create_symlink("../other/SKILL.md", path("project/.claude/skills/draw/neighbour"));
  std::filesystem::create_symlink("references/pencils.md", path("project/.claude/skills/draw/link"));
  std::filesystem::create_directory_symlink(path(""), path("project/.claude/skills/draw/outside"));
  const Catalogue catalogue = discover();
  EXPECT_EQ(*catalogue.resource("draw", "references/pencils.md"), "Soft ones.");
  EXPECT_EQ(*catalogue.resource("draw", "link"), "Soft ones.") << "a link within the skill";
  for (const std::string bad : {"../other/SKILL.md", "/etc/passwd", "references/../../other/SKILL.md", "secret",
                                "neighbour", "outside/secret", "..", ""}) {
    const auto refused = catalogue.resource("draw", bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, Code::refused) << bad << ": " << refused.error().text();
  }
  EXPECT_NE(catalogue.resource("draw", "logo.png").error().what.find("is no text"), std::string::npos);
  const auto missing = catalogue.resource("draw", "references/pens.md");
  EXPECT_EQ(missing.error().text(),
            "the skill draw has no 'references/pens.md'. It has: link, logo.png, references/pencils.md");
  EXPECT_FALSE(catalogue.resource("draw", "references"));
}

TEST_F(CatalogueTest, ResourcesOfAWorkflowAreItsFiles) {
  const Catalogue catalogue = discover({.workflow = {{"skills/draw/SKILL.md", skill("draw", "Draws.")},
                                                     {"skills/draw/more.md", "More."},
                                                     {"skills/drawing/SKILL.md", skill("drawing", "Also.")},
                                                     {"secret.md", "secret"}},
                                        .workflow_place = "w"});
  EXPECT_EQ(*catalogue.resource("draw", "more.md"), "More.");
  EXPECT_EQ(catalogue.resource("draw", "../../secret.md").error().code, Code::refused);
  EXPECT_EQ(catalogue.resource("draw", "secret.md").error().code, Code::not_found);
  const auto resources = catalogue.resources("draw");
  ASSERT_EQ(resources->size(), 1U);
  EXPECT_EQ(resources->front().path, "more.md");
  EXPECT_EQ(resources->front().bytes, 5U);
}

TEST_F(CatalogueTest, ASkillThatIsALinkToElsewhereIsNotUsed) {
  write("elsewhere/draw/SKILL.md", skill("draw", "Draws."));
  std::filesystem::create_directories(path("project/.claude/skills"));
  std::filesystem::create_directory_symlink(path("elsewhere/draw"), path("project/.claude/skills/draw"));
  const Catalogue catalogue = discover();
  EXPECT_TRUE(found(catalogue).empty());
  ASSERT_EQ(catalogue.broken().size(), 1U);
  EXPECT_NE(catalogue.broken()[0].problems.front().what.find("leads out of"), std::string::npos);
}

TEST_F(CatalogueTest, WhatCannotBeReadIsBroken) {
  std::filesystem::create_directories(path("project/.claude/skills/pipe"));
  ASSERT_EQ(::mkfifo(path("project/.claude/skills/pipe/SKILL.md").c_str(), 0600), 0);
  std::filesystem::create_directories(path("project/.claude/skills/directory/SKILL.md"));
  write("project/.claude/skills/huge/SKILL.md", std::string(3UL * 1024 * 1024, 'x'));
  write("project/.claude/skills/file", "no directory");
  if (::geteuid() != 0) {
    write("project/.claude/skills/closed/SKILL.md", skill("closed", "x"));
    std::filesystem::permissions(path("project/.claude/skills/closed"), std::filesystem::perms::none);
  }
  const Catalogue catalogue = discover();
  EXPECT_TRUE(found(catalogue).empty());
  EXPECT_EQ(catalogue.broken().size(), ::geteuid() == 0 ? 3U : 4U);
  if (::geteuid() != 0)
    std::filesystem::permissions(path("project/.claude/skills/closed"), std::filesystem::perms::owner_all);
}

TEST(LevelOne, HasABudgetOfTheWindowAndNeverLessThanItsMinimum) {
  EXPECT_EQ(level_one_budget(0), 16'000U);
  EXPECT_EQ(level_one_budget(200'000), 16'000U);
  EXPECT_EQ(level_one_budget(4'000'000), 80'000U);
}

TEST(LevelOne, OfAHundredSkillsSaysWhichFallOut) {
  std::vector<KnownSkill> skills;
  for (int i = 0; i < 100; ++i)
    skills.push_back({{fmt::format("skill-{:02}", i), std::string(i == 40 ? 1000 : 200, 'd')}, "project", "p"});
  const LevelOne level = level_one(skills, level_one_budget(0));
  EXPECT_LE(level.characters, 16'000U);
  EXPECT_EQ(count_characters(level.text), level.characters);
  EXPECT_EQ(level.left_out.size(), 29U);
  EXPECT_EQ(level.left_out.front(), "skill-71");
  EXPECT_EQ(level.text.find("- skill-00: ddd"), 0U);
  EXPECT_TRUE(level_one(skills, 80'000).left_out.empty());
}

TEST(LevelOne, WhatIsSmallMayFitBehindWhatDoesNot) {
  const LevelOne level = level_one({{{"a", std::string(20, 'x')}, "", ""}, {{"b", "two\n\n lines "}, "", ""}}, 20);
  EXPECT_EQ(level.text, "- b: two lines\n");
  EXPECT_EQ(level.left_out, (List{"a"}));
}

}  // namespace
}  // namespace teamster::skills
