#include "skills/validation.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "env/real/temporary_directory_for_test.h"
#include "env/real/world.h"

namespace teamster::skills {
namespace {

class ValidationTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  void write_good(const std::string& place, const std::string& name, const std::string& body = "Body") const {
    write(place + "/" + name + "/SKILL.md", "---\nname: " + name + "\ndescription: x\n---\n" + body + "\n");
  }
  // "NAME: problems", without the scratch directory.
  std::vector<std::string> validated(const std::string& name) {
    const auto all = validate_skills_at(world_.view().files, path(name));
    if (!all) return {all.error().text()};
    std::vector<std::string> lines;
    for (const auto& each : *all) {
      std::string line = each.name + ":";
      for (const auto& problem : each.problems) line += " " + problem.text().substr(directory_.path().size());
      lines.push_back(line);
    }
    return lines;
  }

  env::real::World world_;
  env::real::TemporaryDirectory directory_;
};

using Lines = std::vector<std::string>;

TEST_F(ValidationTest, APathIsAFileASkillOrManyOfThem) {
  write_good("w/skills", "draw");
  write_good("w/skills", "paint");
  write("w/workflow.yaml", "");
  EXPECT_EQ(validated("w/skills/draw/SKILL.md"), Lines{"draw:"});
  EXPECT_EQ(validated("w/skills/draw/"), Lines{"draw:"});
  EXPECT_EQ(validated("w/skills"), (Lines{"draw:", "paint:"}));
  EXPECT_EQ(validated("w"), (Lines{"draw:", "paint:"}));
  EXPECT_EQ(validate_skills_at(world_.view().files, path("nowhere")).error().code, Code::not_found);
  std::filesystem::create_directories(path("empty"));
  EXPECT_EQ(validate_skills_at(world_.view().files, path("empty")).error().code, Code::not_found);
  EXPECT_EQ(validate_skills_at(world_.view().files, path("w/workflow.yaml")).error().code, Code::not_found);
}

TEST_F(ValidationTest, AMisspeltFileIsNamed) {
  write("s/draw/skill.md", "x");
  EXPECT_EQ(validated("s"), Lines{"draw: /s/draw/skill.md:1:1: expected SKILL.md as the name of this file"});
  EXPECT_EQ(validated("s/draw"), Lines{"draw: /s/draw/skill.md:1:1: expected SKILL.md as the name of this file"});
}

TEST_F(ValidationTest, WhatLiesBesideItIsLookedAt) {
  write_good("s", "draw");
  write("s/draw/large", std::string(1024UL * 1024 + 1, 'x'));
  write("secret", "secret");
  std::filesystem::create_symlink(path("secret"), path("s/draw/secret"));
  std::filesystem::create_symlink(path("none"), path("s/draw/torn"));
  std::filesystem::create_directory_symlink(path("s/draw"), path("s/draw/loop"));
  write("s/draw/references/fine.md", "fine");
  EXPECT_EQ(validated("s"),
            Lines{"draw: /s/draw/large:1:1: a resource has at most 1048576 bytes, this one has 1048577"
                  " /s/draw/loop:1:1: a link that leads out of the skill: nothing outside of its directory is read"
                  " /s/draw/secret:1:1: a link that leads out of the skill: nothing outside of its directory is read"
                  " /s/draw/torn:1:1: a link that leads nowhere"});
}

TEST_F(ValidationTest, ALoopOfLinksAndAHeapOfFilesEnd) {
  write_good("s", "draw");
  std::filesystem::create_directory_symlink(".", path("s/draw/loop"));
  const auto looped = validated("s");
  ASSERT_EQ(looped.size(), 1U);
  EXPECT_NE(looped[0].find("nested over 6 directories deep"), std::string::npos) << looped[0];
  std::filesystem::remove(path("s/draw/loop"));
  for (int i = 0; i < 300; ++i) write("s/draw/f" + std::to_string(i), "");
  EXPECT_NE(validated("s")[0].find("at most 256 resources"), std::string::npos);
}

TEST_F(ValidationTest, AdviceIsNoProblem) {
  std::string body;
  for (int i = 0; i < 600; ++i) body += "line\n";
  write_good("s", "draw", body);
  const auto all = validate_skills_at(world_.view().files, path("s"));
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->front().problems.empty());
  ASSERT_EQ(all->front().advice.size(), 1U);
  EXPECT_NE(all->front().advice.front().what.find("600 lines, over 500"), std::string::npos);
}

}  // namespace
}  // namespace teamster::skills
