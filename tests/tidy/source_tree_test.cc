// The tidy tests are only as good as their reader of C++: here are the shapes it must know.
#include "tidy/source_tree.h"

#include <gtest/gtest.h>

namespace teamster::tidy {
namespace {

std::vector<std::size_t> lengths(std::string text) {
  std::vector<std::size_t> out;
  for (const auto& function : functions_of({"src/x.cc", std::move(text)})) out.push_back(function.lines());
  return out;
}

TEST(SourceTree, BlanksCommentsAndLiteralsButKeepsLines) {
  EXPECT_EQ(blank_literals_and_comments("a // b\nc"), "a     \nc");
  EXPECT_EQ(blank_literals_and_comments("a /* b\n{ */ c"), "a     \n     c");
  EXPECT_EQ(blank_literals_and_comments("f(\"{\\\"\", '{')"), "f(     ,    )");
  EXPECT_EQ(blank_literals_and_comments("1'000'000 + x"), "1'000'000 + x");
  EXPECT_EQ(blank_literals_and_comments("R\"x(\")\" {)x\" }"), "             }");
}

TEST(SourceTree, FindsIncludesThatAreCode) {
  const auto found =
      includes_of({"src/x.cc", "#include \"protocol/client/frame.h\"\n// #include \"team/a.h\"\n#include <string>\n"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].target, "protocol/client/frame.h");
  EXPECT_FALSE(found[0].is_system);
  EXPECT_EQ(found[1].target, "string");
  EXPECT_EQ(found[1].line, 3U);
}

TEST(SourceTree, MeasuresFunctionsAtNamespaceAndClassLevel) {
  EXPECT_EQ(lengths("namespace a::b {\nint f() {\n  return 1;\n}\n}\n"), (std::vector<std::size_t>{3}));
  EXPECT_EQ(
      lengths(
          "template <class T = std::function<void()>>\nstruct A : B<T> {\n  int f() { return 1; }\n  int x = 0;\n};\n"),
      (std::vector<std::size_t>{1}));
  EXPECT_EQ(lengths("class [[nodiscard]] A {\n  void f()\n  {\n    if (x) { y(); }\n  }\n};\n"),
            (std::vector<std::size_t>{4}));
}

TEST(SourceTree, LooksIntoNestedClassesAndPastAccessLabels) {
  EXPECT_EQ(lengths("class A {\n public:\n  struct B {\n    void f() {\n    }\n    void g() {}\n  };\n};\n"),
            (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(lengths("extern \"C\" int f(int x) {\n  return x;\n}\n"), (std::vector<std::size_t>{3}));
}

TEST(SourceTree, CountsAnInitializerListAsPartOfItsConstructor) {
  EXPECT_EQ(lengths("A::A(int x)\n    : a_{x},\n      b_{x} {\n  go();\n}\n"), (std::vector<std::size_t>{5}));
}

TEST(SourceTree, CountsALambdaAsPartOfItsFunction) {
  EXPECT_EQ(lengths("void f() {\n  auto g = [] {\n    h();\n  };\n  g();\n}\nvoid k() {}\n"),
            (std::vector<std::size_t>{6, 1}));
}

TEST(SourceTree, DoesNotTakeTablesAndMacrosForFunctions) {
  EXPECT_EQ(lengths("constexpr int kTable[] = {\n  1,\n  2,\n};\n#define X(a) \\\n  do { \\\n  } while (false)\n"),
            (std::vector<std::size_t>{}));
}

TEST(SourceTree, KnowsTheModuleOfAPath) {
  EXPECT_EQ(module_of("hub/server.h"), "hub");
  EXPECT_EQ(module_of("protocol/client/frame.h"), "protocol/client");
  EXPECT_EQ(module_of("env/loop.h"), "env");
  EXPECT_EQ(module_of("env/real/loop.h"), "env/real");
  EXPECT_EQ(module_of("main.cc"), "");
}

}  // namespace
}  // namespace teamster::tidy
