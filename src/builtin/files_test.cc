#include "builtin/files.h"

#include <gtest/gtest.h>

namespace teamster::builtin {
namespace {

TEST(BuiltinFiles, AreThereByteForByte) {
  const auto bundle = files_below("workflows/implement-spec");
  ASSERT_TRUE(bundle.contains("workflow.yaml"));
  EXPECT_TRUE(bundle.at("workflow.yaml").starts_with("name: implement-spec\n"));
  EXPECT_TRUE(bundle.contains("schemas/verify.json"));
}

TEST(BuiltinFiles, OfADirectoryThatIsNotThereAreNone) {
  EXPECT_TRUE(files_below("workflows/implement").empty());
  EXPECT_TRUE(files_below("").empty());
}

}  // namespace
}  // namespace teamster::builtin
