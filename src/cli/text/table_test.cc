#include "cli/text/table.h"

#include <gtest/gtest.h>

#include "cli/text/palette.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

TEST(TableTest, AlignsColumns) {
  Table table({"ID", "WHO", "WHAT"});
  table.add({"1", "世", "a"});
  table.add({"22", "lead", ""});
  EXPECT_EQ(table.text(80), "ID  WHO   WHAT\n1   世    a\n22  lead\n");
}

TEST(TableTest, WhatIsTooWideIsBrokenBetweenWords) {
  Table table({"ID", "SUBJECT", "COST"});
  table.add({"1", "make the parser say where it stopped", "1.23 USD"});
  EXPECT_EQ(table.text(32),
            "ID  SUBJECT             COST\n"
            "1   make the parser     1.23 USD\n"
            "    say where it\n"
            "    stopped\n");
}

TEST(TableTest, NothingIsCutOff) {
  Table table({"ID", "SUBJECT"});
  const std::string subject = std::string(200, 'x') + " y";
  table.add({"1", subject});
  EXPECT_NE(table.text(0).find("1   " + subject + "\n"), std::string::npos) << "of unknown width it stays on one line";
  EXPECT_NE(table.text(80).find(std::string(200, 'x')), std::string::npos) << "a word is never broken";
}

TEST(TableTest, ColourDoesNotCountAsWidth) {
  const Palette palette(true);
  Table table({"STATUS", "RUN"});
  table.add({palette.status("done"), "a"});
  EXPECT_EQ(table.text(80), "STATUS  RUN\n\x1b[32mdone\x1b[0m    a\n");
}

}  // namespace
}  // namespace teamster::cli
