#include "workflow/format/template.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::workflow {
namespace {

std::string problems_of(std::string_view text) {
  Problems problems;
  Template::parse("f", text, problems);
  std::string out;
  for (const auto& problem : problems.sorted()) out += problem.text() + "\n";
  return out;
}

TEST(Template, FillsNames) {
  EXPECT_EQ(*render_prompt("Spec {{NUMBER}}: {{NAME}}.\n", {{"NUMBER", "08"}, {"NAME", "login"}, {"OTHER", ""}}),
            "Spec 08: login.\n");
  EXPECT_EQ(*render_prompt("", {}), "");
  EXPECT_EQ(*render_prompt("{{A}}{{A}}", {{"A", "x"}}), "xx");
}

TEST(Template, DoesNotLookIntoWhatItFilledIn) {
  EXPECT_EQ(*render_prompt("{{A}}", {{"A", "{{B}} {{{{"}, {"B", "no"}}), "{{B}} {{{{");
}

TEST(Template, WritesTwoBracesAsFour) {
  EXPECT_EQ(*render_prompt("{{{{NAME}} and {{A}}", {{"A", "x"}}), "{{NAME}} and x");
  EXPECT_EQ(*render_prompt("{\"a\": {\"b\": 1}}", {}), "{\"a\": {\"b\": 1}}");
}

TEST(Template, NamesWhatIsMissingOrEmpty) {
  const auto missing = render_prompt("a\n{{NAME}}", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what, "{{NAME}} in line 2 has no value");
  const auto empty = render_prompt("{{NAME}}", {{"NAME", ""}});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().what, "{{NAME}} in line 1 is empty");
  EXPECT_EQ(*render_prompt("<{{NAME}}>", {{"NAME", ""}}, {"NAME"}), "<>");
}

TEST(Template, ListsItsPlaceholdersWithTheirPlaces) {
  Problems problems;
  const Template parsed = Template::parse("f", "é {{A}}\n {{b/c:03}}", problems, {10, 5});
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(parsed.placeholders().size(), 2U);
  EXPECT_EQ(parsed.placeholders()[0].name, "A");
  EXPECT_EQ(parsed.placeholders()[0].place, (Place{10, 7}));
  EXPECT_EQ(parsed.placeholders()[1].name, "b/c");
  EXPECT_EQ(parsed.placeholders()[1].width, 3);
  EXPECT_EQ(parsed.placeholders()[1].place, (Place{11, 2}));
}

TEST(Template, PadsNumbers) {
  const auto lookup = [](const Placeholder& placeholder) -> Result<std::string> {
    return placeholder.name == "sequence" ? "7" : "x";
  };
  EXPECT_EQ(*render_text("{{sequence:03}}-{{sequence}}", lookup), "007-7");
  const auto wrong = render_text("{{id:03}}", lookup);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "{{id}} is 'x', which is no number");
}

TEST(Template, PassesOnWhatTheLookupSays) {
  const auto failed = render_text("{{a/b}}", [](const Placeholder& placeholder) -> Result<std::string> {
    return fail(Code::not_found, "no " + placeholder.name);
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "no a/b");
}

TEST(Template, RefusesWhatIsNoPlaceholder) {
  EXPECT_EQ(problems_of("a\n {{ NAME }}"),
            "f:2:2: '{{ NAME ' is no placeholder: write {{NAME}} without spaces, or {{{{ for two braces\n");
  for (const char* text :
       {"{{}}", "{{A", "{{A}", "{{A B}}", "{{A:3}}", "{{A:00}}", "{{A:}}", "{{#if A}}", "{{A\n}}", "{{é}}"})
    EXPECT_NE(problems_of(text), "") << text;
  EXPECT_FALSE(render_prompt("{{", {}));
}

TEST(Template, IsLinearAndBounded) {
  std::string open;
  for (int i = 0; i < 300'000; ++i) open += "{{ ";
  EXPECT_NE(problems_of(open), "");
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "{{A}}";
  const auto huge = render_prompt(many, {{"A", std::string(1024, 'x')}});
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().what, "the text would have more than 1048576 bytes");
}

TEST(WordsOf, ReadsWell) {
  EXPECT_EQ(words_of("a\nb"), "a\nb");
  EXPECT_EQ(words_of(Json::parse(R"(["a","b"])")), "- a\n- b");
  EXPECT_EQ(words_of(Json::parse("[1,2]")), "[\n  1,\n  2\n]");
  EXPECT_EQ(words_of(12), "12");
  EXPECT_EQ(words_of(false), "false");
  for (const char* nothing : {"null", "[]", "{}", "\"\""}) EXPECT_EQ(words_of(Json::parse(nothing)), "") << nothing;
}

}  // namespace
}  // namespace teamster::workflow
