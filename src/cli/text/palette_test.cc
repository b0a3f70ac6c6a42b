#include "cli/text/palette.h"

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

TEST(PaletteTest, ColoursAStatusByWhatItMeans) {
  const Palette palette(true);
  EXPECT_EQ(palette.status("done"), palette.green("done"));
  EXPECT_EQ(palette.status("blocked"), palette.red("blocked"));
  EXPECT_EQ(palette.status("interrupted"), palette.yellow("interrupted"));
  EXPECT_EQ(palette.status("cancelled"), "cancelled");
}

TEST(PaletteTest, WithoutColourTextStaysAsItIs) {
  const Palette palette(false);
  EXPECT_EQ(palette.red("failed") + palette.bold("run") + palette.status("done"), "failedrundone");
}

}  // namespace
}  // namespace teamster::cli
