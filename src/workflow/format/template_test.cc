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

Result<std::string> prompt_of(std::string_view text, std::map<std::string, std::string> words,
                              const std::set<std::string>& may_be_empty = {}) {
  return render_prompt(text, {.words = std::move(words)}, may_be_empty);
}

std::string without_these(std::string_view text, const std::set<std::string>& nothing) {
  const auto rendered = render_prompt(text, {.words = {{"A", "a"}, {"B", "b"}}, .nothing = nothing});
  return rendered ? *rendered : rendered.error().what;
}

TEST(Template, LeavesOutThePartsOfWhatSaysNothing) {
  constexpr const char* kText = "first\n{{#A}}\nabout {{A}}\n{{/A}}\nlast\n";
  EXPECT_EQ(without_these(kText, {}), "first\nabout a\nlast\n");
  EXPECT_EQ(without_these(kText, {"A"}), "first\nlast\n");
  EXPECT_EQ(without_these("x{{#A}}, {{A}}{{/A}}.", {"A"}), "x.");
  EXPECT_EQ(without_these("x{{#A}}, {{A}}{{/A}}.", {}), "x, a.");
  EXPECT_EQ(without_these("{{#A}}1{{#B}}2{{/B}}3{{/A}}", {"B"}), "13");
  EXPECT_EQ(without_these("{{#A}}1{{#B}}2{{/B}}3{{/A}}", {"A"}), "");
  EXPECT_EQ(without_these("{{#A}}{{UNKNOWN}}{{/A}}", {"A"}), "") << "what is left out is not looked up";
}

TEST(Template, SaysWhichPartIsNotClosed) {
  const auto what_is_wrong = [](std::string_view text) {
    const auto parsed = Template::parse(text);
    return parsed ? "" : parsed.error().what;
  };
  EXPECT_EQ(what_is_wrong("a\n{{#A}} b"), "line 2, column 1: {{#A}} is never closed: write {{/A}} behind it");
  EXPECT_EQ(what_is_wrong("{{/A}}"), "line 1, column 1: {{/A}} closes nothing: before it write {{#A}}");
  EXPECT_EQ(what_is_wrong("{{#A}}{{#B}}{{/A}}{{/B}}"),
            "line 1, column 13: {{/A}} closes nothing: before it {{/B}} is due");
}

TEST(Template, FillsNames) {
  EXPECT_EQ(*prompt_of("Spec {{NUMBER}}: {{NAME}}.\n", {{"NUMBER", "08"}, {"NAME", "login"}, {"OTHER", ""}}),
            "Spec 08: login.\n");
  EXPECT_EQ(*prompt_of("", {}), "");
  EXPECT_EQ(*prompt_of("{{A}}{{A}}", {{"A", "x"}}), "xx");
}

TEST(Template, DoesNotLookIntoWhatItFilledIn) {
  EXPECT_EQ(*prompt_of("{{A}}", {{"A", "{{B}} {{{{"}, {"B", "no"}}), "{{B}} {{{{");
}

TEST(Template, WritesTwoBracesAsFour) {
  EXPECT_EQ(*prompt_of("{{{{NAME}} and {{A}}", {{"A", "x"}}), "{{NAME}} and x");
  EXPECT_EQ(*prompt_of("{\"a\": {\"b\": 1}}", {}), "{\"a\": {\"b\": 1}}");
}

TEST(Template, NamesWhatIsMissingOrEmpty) {
  const auto missing = prompt_of("a\n{{NAME}}", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what, "{{NAME}} in line 2 has no value");
  const auto empty = prompt_of("{{NAME}}", {{"NAME", ""}});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().what, "{{NAME}} in line 1 is empty");
  EXPECT_EQ(*prompt_of("<{{NAME}}>", {{"NAME", ""}}, {"NAME"}), "<>");
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
  EXPECT_FALSE(prompt_of("{{", {}));
}

TEST(Template, IsLinearAndBounded) {
  std::string open;
  for (int i = 0; i < 300'000; ++i) open += "{{ ";
  EXPECT_NE(problems_of(open), "");
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "{{A}}";
  const auto huge = prompt_of(many, {{"A", std::string(1024, 'x')}});
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
