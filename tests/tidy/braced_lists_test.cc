#include "tidy/braced_lists.h"

#include <gtest/gtest.h>

namespace teamster::tidy {
namespace {

bool is_found(std::string_view code) { return !lines_that_try_in_a_list(code).empty(); }

TEST(BracedLists, AreTold) {
  EXPECT_TRUE(is_found("auto f() { Pair p{a, TRY(b())}; }"));
  EXPECT_TRUE(is_found("auto f() { return Pair{.a = x, .b = TRY(y())}; }"));
  EXPECT_TRUE(is_found("auto f() { g({a, {TRY(b())}}); }"));
  EXPECT_TRUE(is_found("auto f() { Json j = {{a, h(TRY(b()))}}; }")) << "an argument of a call in the list";
  EXPECT_TRUE(is_found("auto f() { g({[&] { return 1; }, TRY(b())}); }")) << "a lambda is not the list's statement";
  EXPECT_EQ(lines_that_try_in_a_list("f() {\n  g({1,\n     TRY(b())});\n}"), (std::vector<std::size_t>{3}));
}

TEST(BracedLists, AreSafeBeforeAnythingIsMade) {
  EXPECT_FALSE(is_found("auto f() { return Step(Say{TRY(b()), true}); }"));
  EXPECT_FALSE(is_found("auto f() { g({{TRY(b())}, a}); }"));
}

TEST(BracedLists, AreNoBlocks) {
  EXPECT_FALSE(is_found("auto f() { return TRY(b()); }"));
  EXPECT_FALSE(is_found("auto f() { g(a, TRY(b())); }")) << "arguments do not leak";
  EXPECT_FALSE(is_found("auto f() { if (TRY(b())) { return 1; } }"));
  EXPECT_FALSE(is_found("auto f() { for (;;) { if (TRY(b())) g(); } }"));
  EXPECT_FALSE(is_found("auto f() { g({a, [&]() -> Result<int> { return TRY(b()); }}); }")) << "a lambda in a list";
  EXPECT_FALSE(is_found("auto f() { Pair p{RETRY(b()), TRY_VOID}; }")) << "other words";
}

}  // namespace
}  // namespace teamster::tidy
