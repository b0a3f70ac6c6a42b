#include "project/preamble.h"

#include <gtest/gtest.h>

#include "project/markdown.h"
#include "project/skill_table.h"

namespace teamster::engine {
namespace {

using Words = std::vector<std::string>;

ProjectFacts with(const std::string& file, const std::string& text = "") {
  ProjectFacts facts;
  facts.contents[file] = text;
  return facts;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PreambleTest, LanguagesAreByTheNumberOfFiles) {
  ProjectFacts facts;
  facts.endings = {{"cc", 3}, {"cpp", 2}, {"h", 40}, {"py", 4}, {"png", 900}, {"sh", 1}};
  EXPECT_EQ(languages_of(facts), (Words{"C++", "Python", "Shell"}));
  facts.endings = {{"h", 2}};
  EXPECT_EQ(languages_of(facts), (Words{"C or C++ headers"}));
}

TEST(PreambleTest, TestCommandsComeFromKnownFiles) {
  EXPECT_EQ(test_command_of(with("test.sh")), "sh test.sh");
  EXPECT_EQ(test_command_of(with("Makefile", "all:\n\tcc x.c\ntest: all\n\t./x\n")), "make test");
  EXPECT_EQ(test_command_of(with("Makefile", "check:\n")), "make check");
  EXPECT_EQ(test_command_of(with("Makefile", "latest:\n\techo test: no\n")), std::nullopt);
  EXPECT_EQ(test_command_of(with("package.json", R"({"scripts":{"test":"jest","lint":"x"}})")), "npm test");
  EXPECT_EQ(test_command_of(with("package.json", R"({"scripts":["test"]})")), std::nullopt);
  EXPECT_EQ(test_command_of(with("package.json", "{torn")), std::nullopt);
  EXPECT_EQ(test_command_of(with("pyproject.toml", "[tool.pytest.ini_options]")), "python3 -m pytest");
  EXPECT_EQ(test_command_of(with("pyproject.toml", "")), "python3 -m unittest discover");
  EXPECT_EQ(test_command_of(with("Cargo.toml")), "cargo test");
  EXPECT_EQ(test_command_of(with("go.mod")), "go test ./...");
  EXPECT_TRUE(says(*test_command_of(with("CMakeLists.txt")), "ctest"));
  EXPECT_EQ(test_command_of({}), std::nullopt);
}

TEST(PreambleTest, TheProjectsOwnScriptIsAboveTheRest) {
  ProjectFacts facts = with("package.json", R"({"scripts":{"test":"jest"}})");
  facts.contents["pnpm-lock.yaml"] = "";
  EXPECT_EQ(test_command_of(facts), "pnpm test");
  facts.contents["test.sh"] = "";
  EXPECT_EQ(test_command_of(facts), "sh test.sh");
}

TEST(PreambleTest, HasEverySectionThatTeammatesLookFor) {
  ProjectFacts facts = with("go.mod");
  facts.endings["go"] = 2;
  facts.directories = {"cmd", "docs", "src", "we|rd", "two words"};
  facts.skills = {"tables"};
  const std::string text = preamble_text(facts);
  for (const char* heading : {"Languages", "Layout", "Standards", "Import rules", "Test commands", "Skills"})
    EXPECT_TRUE(section_of(text, heading)) << heading;
  EXPECT_TRUE(says(text, "\nGo. "));
  EXPECT_TRUE(says(text, "| `cmd/` | (say what is in it) |"));
  EXPECT_TRUE(says(text, "| `docs/` | documentation |"));
  EXPECT_TRUE(says(text, "| `specs/` | not yours to change |"));
  EXPECT_FALSE(says(text, "we|rd"));
  EXPECT_TRUE(says(text, "| tests | `go test ./...` |"));
  EXPECT_EQ(table_of(*section_of(text, "Skills")).size(), 2U);
}

TEST(PreambleTest, AnEmptyProjectGetsTheQuestions) {
  const std::string text = preamble_text({});
  EXPECT_TRUE(says(text, "(Name the languages"));
  EXPECT_TRUE(says(text, "No test command was found"));
  EXPECT_EQ(table_of(*section_of(text, "Skills")).size(), 1U) << "titles alone";
  EXPECT_EQ(config_text({}), "");
}

TEST(PreambleTest, TheConfigurationNamesTheTestCommand) {
  EXPECT_TRUE(says(config_text(with("test.sh")), "checks:\n  test: 'sh test.sh'\n"));
}

}  // namespace
}  // namespace teamster::engine
