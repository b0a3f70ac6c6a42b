#include "project/short_text.h"

#include <gtest/gtest.h>

namespace teamster::engine {
namespace {

Result<std::string> render(std::string_view text) {
  return render_short_text(text, [](std::string_view source) -> std::optional<std::string> {
    if (source == "args/spec") return "08";
    if (source == "sequence") return "7";
    if (source == "braces") return "{{args/spec}}";
    return std::nullopt;
  });
}

TEST(ShortText, FillsSources) {
  EXPECT_EQ(*render("plain"), "plain");
  EXPECT_EQ(*render(""), "");
  EXPECT_EQ(*render("progress/spec-{{args/spec}}"), "progress/spec-08");
  EXPECT_EQ(*render("{{ args/spec }}{{args/spec}}"), "0808");
  EXPECT_EQ(*render("{{sequence:03}}-p{{sequence:01}}"), "007-p7");
  EXPECT_EQ(*render("{{braces}}"), "{{args/spec}}") << "what is put in is not looked at again";
}

TEST(ShortText, WhatIsNotThereIsAnError) {
  EXPECT_NE(render("{{args/other}}").error().what.find("args/other"), std::string::npos);
  EXPECT_FALSE(render("{{args/spec"));
  EXPECT_FALSE(render("{{}}"));
}

}  // namespace
}  // namespace teamster::engine
