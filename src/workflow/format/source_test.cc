#include "workflow/format/source.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

TEST(Source, IsReadAndWrittenTheSame) {
  for (const char* text : {"args/spec", "values/name", "loops/test_fix", "run/id", "item", "item/path", "verify",
                           "verify/issues", "run-tests/unit_tests/errors", "answer/summary"}) {
    const auto source = parse_source(text);
    ASSERT_TRUE(source) << text;
    EXPECT_EQ(source_text(*source), text);
  }
}

TEST(Source, KnowsItsKind) {
  EXPECT_EQ(parse_source("args/spec")->kind, Source::Kind::argument);
  EXPECT_EQ(parse_source("args/spec")->name, "spec");
  EXPECT_EQ(parse_source("item/a/b")->path, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse_source("fix/a")->kind, Source::Kind::answer);
  EXPECT_EQ(parse_source("fix/a")->name, "fix");
}

TEST(Source, IsRefusedInAnyOtherForm) {
  for (const char* text :
       {"", "/", "args", "args/", "args/a/b", "values", "loops/a/b", "run", "a//b", "a b", "a/b.c", "../a", "{{a}}"})
    EXPECT_FALSE(parse_source(text)) << text;
}

TEST(Source, ReservesItsWords) {
  for (const char* word : {"args", "values", "loops", "run", "item", "answer", "done"})
    EXPECT_TRUE(is_reserved(word)) << word;
  EXPECT_FALSE(is_reserved("verify"));
}

}  // namespace
}  // namespace teamster::workflow
