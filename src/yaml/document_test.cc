#include "yaml/document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::workflow {
namespace {

// The problems of a text, one to a line without the file's name; empty when it is fine.
std::string problems_of(const std::string& text) {
  Problems problems;
  const auto document = parse_document("f", text, problems);
  std::string out;
  for (const auto& problem : problems.sorted()) out += problem.text().substr(2) + "\n";
  EXPECT_EQ(document.has_value(), out.empty());
  return out;
}

Node parse(const std::string& text) {
  Problems problems;
  auto document = parse_document("f", text, problems);
  EXPECT_TRUE(document) << (problems.empty() ? "" : problems.sorted()[0].text());
  return document ? document->root : Node{};
}

TEST(Document, KnowsThePlaceOfEverything) {
  const Node root = parse("a: 1\nb:\n  - x\n  - { c: 'é', d: 2 }\n");
  ASSERT_EQ(root.keys.size(), 2U);
  EXPECT_EQ(root.keys[1].place, (Place{2, 1}));
  const Node& list = *root.find("b");
  EXPECT_EQ(list.kind, Node::Kind::list);
  EXPECT_EQ(list.items[0].place, (Place{3, 5}));
  // Counted in characters: é has two bytes.
  EXPECT_EQ(list.items[1].find("d")->place, (Place{4, 18}));
  EXPECT_EQ(root.find("nothing"), nullptr);
}

TEST(Document, KeepsTextAndWhetherItWasQuoted) {
  const Node root = parse("a: 012\nb: '012'\nc: |\n  two\n  lines\nd:\ne: \"x\\ty\"\n");
  EXPECT_EQ(root.find("a")->text, "012");
  EXPECT_FALSE(root.find("a")->is_quoted);
  EXPECT_TRUE(root.find("b")->is_quoted);
  EXPECT_EQ(root.find("c")->text, "two\nlines\n");
  EXPECT_TRUE(root.find("c")->is_quoted);
  EXPECT_EQ(root.find("d")->kind, Node::Kind::null);
  EXPECT_EQ(root.find("e")->text, "x\ty");
}

TEST(Document, BecomesJson) {
  EXPECT_EQ(to_json(parse("a: [1, -2, 0.5, true, '3', x, null, {}]\nb: yes\n")),
            Json::parse(R"({"a":[1,-2,0.5,true,"3","x",null,{}],"b":"yes"})"));
}

TEST(Document, AcceptsWhatEditorsOnOtherSystemsWrite) {
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "a: 1\r\nb: 2\r\n")
                .find("b")
                ->place,
            (Place{2, 4}));
}

TEST(Document, RefusesWhatReadsDifferentlyThanItLooks) {
  EXPECT_EQ(problems_of("a: 1\nb: 2\na: 3\n"), "3:1: the key 'a' is given twice\n");
  EXPECT_EQ(problems_of("a: {b: 1, 'b': 2}\n"), "1:11: the key 'b' is given twice\n");
  EXPECT_EQ(problems_of("a:\n  <<: {b: 1}\n"), "2:3: a merge key (<<) is not allowed: write the keys out\n");
  EXPECT_EQ(problems_of("a: &x 1\nb: *x\n"),
            "1:4: an anchor (&) is not allowed: write each value out\n"
            "2:4: an alias (*) is not allowed: write the value out\n");
  EXPECT_EQ(problems_of("a: !!str 1\n"), "1:4: a tag (!) is not allowed: quote what is a text\n");
  EXPECT_EQ(problems_of("a: ! 12\n"), "1:4: a tag (!) is not allowed: quote what is a text\n");
  EXPECT_EQ(problems_of("a: !x [1]\n"), "1:4: a tag (!) is not allowed: quote what is a text\n");
  EXPECT_EQ(problems_of("a: 1\n---\nb: 2\n").substr(2),
            "1: a second document begins here, expected one: write another file\n");
}

TEST(Document, SaysWhereItIsNoYaml) {
  EXPECT_EQ(problems_of("a: [1, 2\n").find("not YAML"), 5U) << problems_of("a: [1, 2\n");
  EXPECT_NE(problems_of("a: b: c\n").find("not YAML"), std::string::npos);
  EXPECT_NE(problems_of("\ta: 1\n").find("not YAML"), std::string::npos);
  EXPECT_EQ(problems_of(""), "1:1: the file is empty, expected a map of keys\n");
  EXPECT_EQ(problems_of("# nothing\n"), "1:1: the file is empty, expected a map of keys\n");
}

TEST(Document, HintsAtQuotesForPlaceholders) {
  EXPECT_NE(problems_of("key: {{args/spec}}\n").find("put the text in quotes"), std::string::npos);
}

TEST(Document, RefusesBytesThatAreNoText) {
  EXPECT_EQ(problems_of("a: \xff\n"), "1:4: not UTF-8 from here on: save the file as UTF-8\n");
  EXPECT_EQ(problems_of(std::string("a: 1\nb: \0\n", 10)), "2:4: the byte 0x00 is not allowed in a text file\n");
  EXPECT_EQ(problems_of("a: \x04\n"), "1:4: the byte 0x04 is not allowed in a text file\n");
  EXPECT_EQ(problems_of("a: 1\rb: 2\n"), "1:5: the byte 0x0d is not allowed in a text file\n");
}

TEST(Document, IsBounded) {
  EXPECT_EQ(problems_of(std::string(limits::kYamlMaxBytes + 1, ' ')),
            "1:1: the file has 1048577 bytes, the limit is 1048576\n");
  EXPECT_EQ(problems_of(std::string(65, '[') + std::string(65, ']')), "1:65: nested over 64 deep\n");
  EXPECT_EQ(problems_of(std::string(64, '[') + std::string(64, ']')), "");
  std::string wide = "[";
  for (std::size_t i = 0; i <= limits::kYamlNodesMax; ++i) wide += "1,";
  EXPECT_NE(problems_of(wide + "1]").find("more than 100000 values in one file"), std::string::npos);
}

TEST(Document, DoesNotFollowAliases) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 8; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_NE(problems_of(bomb).find("an alias (*) is not allowed"), std::string::npos);
}

// Each is as long as a file may be and cost a naive reader minutes or gigabytes.
TEST(Document, EndsQuicklyForHostileFiles) {
  const auto repeated = [](const std::string& part) {
    std::string text;
    while (text.size() + part.size() <= limits::kYamlMaxBytes) text += part;
    return text;
  };
  for (const char* part : {"[", "{", "- ", "? ", "{a: ", "[a, ", "*a ", "&a ", "\"", "a: ", "!a ", "|\n", "#", "a\n"})
    EXPECT_NE(problems_of(repeated(part)) + "x", "") << part;
}

TEST(Plain, SaysWhatOthersWouldReadDifferently) {
  for (const char* text : {"true", "false"}) EXPECT_EQ(plain_kind(text), Plain::boolean) << text;
  for (const char* text : {"0", "12", "-3", "0.5", "-10.25"}) EXPECT_EQ(plain_kind(text), Plain::number) << text;
  for (const char* text : {"012", "yes", "No", "on", "TRUE", "0x1f", "0o17", "1e3", "1_000", "12:30", "2026-11-16",
                           ".5", "+1", ".inf", "1.2.3", "y", "1234567890123456"})
    EXPECT_EQ(plain_kind(text), Plain::ambiguous) << text;
  for (const char* text : {"abc", "30s", "2h", "x1", "-x", "1st", "eve", "specs/01", "a-b", "-", "."})
    EXPECT_EQ(plain_kind(text), Plain::text) << text;
}

}  // namespace
}  // namespace teamster::workflow
