#include "skills/skill_text.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "skills/skill_limits.h"

namespace teamster::skills {
namespace {

class SkillTextTest : public testing::Test {
 protected:
  std::optional<SkillText> parse(const std::string& text, const std::string& directory = "drawing") {
    problems_ = {};
    return parse_skill("s/SKILL.md", directory, text, problems_);
  }
  // One to a line, as `validate` prints them.
  std::string complaints(const std::string& text, const std::string& directory = "drawing") {
    (void)parse(text, directory);
    std::string lines;
    for (const auto& problem : problems_.sorted()) lines += problem.text() + "\n";
    return lines;
  }
  static std::string with(const std::string& fields) {
    return "---\nname: drawing\ndescription: Draw a line.\n" + fields + "---\nBody\n";
  }

  workflow::Problems problems_;
};

TEST_F(SkillTextTest, HasEveryFieldOfTheFormat) {
  const auto skill = parse(
      "---\n"
      "name: drawing\n"
      "description: >-\n  Draw lines,\n  also curved ones.\n"
      "license: Apache-2.0\n"
      "compatibility: Needs a pencil\n"
      "metadata:\n  author: kim\n  version: '1.0'\n"
      "allowed-tools: Bash(git add *) Read\n"
      "---\n\n# Drawing\n\nHold the pencil.\n\n");
  ASSERT_TRUE(skill);
  EXPECT_TRUE(problems_.empty()) << problems_.sorted().front().text();
  EXPECT_EQ(skill->head.name, "drawing");
  EXPECT_EQ(skill->head.description, "Draw lines, also curved ones.");
  EXPECT_EQ(skill->head.license, "Apache-2.0");
  EXPECT_EQ(skill->head.compatibility, "Needs a pencil");
  EXPECT_EQ(skill->head.metadata.at("version"), "1.0");
  EXPECT_EQ(skill->head.allowed_tools, (std::vector<std::string>{"Bash(git add *)", "Read"}));
  EXPECT_EQ(skill->body, "# Drawing\n\nHold the pencil.");
  EXPECT_EQ(skill->body_line, 13U);
}

TEST_F(SkillTextTest, WindowsLinesAreFine) {
  const auto skill = parse("---\r\nname: drawing\r\ndescription: Draw.\r\n---\r\nBody\r\n");
  ASSERT_TRUE(skill) << problems_.sorted().front().text();
  EXPECT_EQ(skill->body, "Body");
}

TEST_F(SkillTextTest, WithoutFrontMatterThereIsNoSkill) {
  EXPECT_FALSE(parse("# Drawing\n"));
  EXPECT_EQ(complaints("# Drawing\n"),
            "s/SKILL.md:1:1: expected `---` as the first line: a skill begins with front matter, `name` and "
            "`description`\n");
  EXPECT_NE(complaints("").find("the file is empty"), std::string::npos);
  EXPECT_NE(complaints(" \n").find("the file is empty"), std::string::npos);
  EXPECT_NE(complaints("---\nname: drawing\n").find("has no end"), std::string::npos);
  EXPECT_NE(complaints("---\n---\nx").find("the front matter is empty"), std::string::npos);
  EXPECT_NE(complaints("---\n- a\n---\n").find("expected the front matter as a map of keys"), std::string::npos);
  EXPECT_NE(complaints("\xEF\xBB\xBF---\nname: drawing\n---\n").find("byte order mark"), std::string::npos);
}

TEST_F(SkillTextTest, NameAndDescriptionMustBeThere) {
  EXPECT_EQ(complaints("---\nlicense: MIT\n---\n"),
            "s/SKILL.md:2:1: the front matter needs `description`\n"
            "s/SKILL.md:2:1: the front matter needs `name`\n");
  EXPECT_FALSE(parse("---\nname: drawing\ndescription: ' '\n---\n"));
  EXPECT_EQ(complaints("---\nname: drawing\ndescription: ' '\n---\n"),
            "s/SKILL.md:3:14: `description` is blank, expected what the skill does and when to use it\n");
  EXPECT_NE(complaints("---\nname: ''\ndescription: x\n---\n").find("`name` of the front matter is empty"),
            std::string::npos);
  EXPECT_NE(complaints("---\nname: drawing\ndescription: [a]\n---\n").find("s/SKILL.md:3:"), std::string::npos);
}

TEST_F(SkillTextTest, TheNameIsThatOfTheDirectory) {
  for (const char* bad : {"Drawing", "draw_ing", "-drawing", "drawing-", "draw--ing", "draw ing", "zeichnen-\xC3\xBC",
                          "'12345678901234567890123456789012345678901234567890123456789012345'"}) {
    const std::string text = std::string("---\nname: ") + bad + "\ndescription: x\n---\n";
    EXPECT_FALSE(parse(text, bad)) << bad;
    EXPECT_NE(complaints(text, bad).find("s/SKILL.md:2:7: `name` is "), std::string::npos) << complaints(text, bad);
  }
  EXPECT_EQ(complaints(with(""), "painting"),
            "s/SKILL.md:2:7: `name` is 'drawing', but the directory is 'painting': expected the same\n");
  EXPECT_TRUE(is_skill_name(std::string(64, 'a')));
  EXPECT_TRUE(is_skill_name("a-1"));
}

TEST_F(SkillTextTest, LengthsAreCountedInCharacters) {
  const auto described = [](std::size_t count) {
    std::string text = "---\nname: drawing\ndescription: '";
    for (std::size_t i = 0; i < count; ++i) text += "\xC3\xBC";
    return text + "'\n---\n";
  };
  EXPECT_EQ(complaints(described(limits::kSkillDescriptionMax)), "");
  EXPECT_EQ(complaints(described(limits::kSkillDescriptionMax + 1)),
            "s/SKILL.md:3:14: `description` has 1025 characters, the limit is 1024\n");
  EXPECT_TRUE(parse(described(2000))) << "it can be used all the same";
  EXPECT_EQ(complaints(with("compatibility: " + std::string(500, 'c') + "\n")), "");
  EXPECT_EQ(complaints(with("compatibility: " + std::string(501, 'c') + "\n")),
            "s/SKILL.md:4:16: `compatibility` has 501 characters, the limit is 500\n");
  EXPECT_EQ(complaints(with("compatibility: ''\n")), "s/SKILL.md:4:16: `compatibility` is blank\n");
}

TEST_F(SkillTextTest, WhatWouldBeIgnoredIsRefused) {
  EXPECT_TRUE(parse(with("model: opus\n")));
  EXPECT_EQ(complaints(with("model: opus\nlicence: MIT\nuser-invocable: true\n")),
            "s/SKILL.md:4:1: 'model' is no field of a skill and would be ignored: remove it, or put it below "
            "`metadata`\n"
            "s/SKILL.md:5:1: 'licence' is no field of a skill and would be ignored: did you mean `license`?\n"
            "s/SKILL.md:6:1: 'user-invocable' is no field of a skill and would be ignored: remove it, or put it below "
            "`metadata`\n");
  EXPECT_NE(complaints(with("metadata: text\n")).find("4:11: expected `metadata` as a map"), std::string::npos);
  EXPECT_NE(complaints(with("metadata: { version: 1.0 }\n")).find("`version` of `metadata`"), std::string::npos);
  EXPECT_NE(complaints(with("allowed-tools: [Read]\n")).find("`allowed-tools` of the front matter"), std::string::npos);
  EXPECT_NE(complaints(with("allowed-tools: Read, Bash\n")).find("separated by blanks"), std::string::npos);
}

TEST_F(SkillTextTest, HostileTextIsRefusedWithItsPlace) {
  EXPECT_EQ(complaints(with("name: drawing\n")), "s/SKILL.md:4:1: the key 'name' is given twice\n");
  EXPECT_EQ(complaints("---\nname: drawing\ndescription: x\n---\na\xFFz\n"),
            "s/SKILL.md:5:2: not UTF-8 from here on: save the file as UTF-8\n");
  EXPECT_NE(complaints("---\nname: drawing\ndescription: x\n---\nred \x1B[31m\n").find("5:5: the byte 0x1b"),
            std::string::npos);
  EXPECT_NE(complaints(with("metadata: &a { b: *a }\n")).find("not allowed"), std::string::npos);
  EXPECT_NE(complaints(with("metadata: !!python/object:os.system { a: b }\n")).find("tag"), std::string::npos);
  EXPECT_NE(complaints(std::string(limits::kSkillMaxBytes + 1, '-')).find("the limit is 262144"), std::string::npos);
  EXPECT_NE(complaints("---\nname: drawing\ndescription: a: b\n---\n").find("s/SKILL.md:3:"), std::string::npos)
      << "the place of what is not YAML";
  std::string deep = "metadata: ";
  for (int i = 0; i < 10'000; ++i) deep += "[";
  EXPECT_NE(complaints(with(deep + "\n")), "");
}

}  // namespace
}  // namespace teamster::skills
