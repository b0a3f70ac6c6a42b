#include "workflow/core/asked_text.h"

#include <gtest/gtest.h>

namespace teamster::workflow {
namespace {

event::Asked asked_with(const std::string& text) {
  event::Asked asked{.member = "builder", .team = "t", .message = 1, .text = text};
  read_asked_text(asked);
  return asked;
}

TEST(AskedText, HasOptionsAndWhoKnows) {
  const auto asked =
      asked_with("QUESTION: Which?\n1. red (recommended)\n2) blue\nRelevant Expertise: backend/security\n");
  EXPECT_EQ(asked.options, (std::vector<std::string>{"red (recommended)", "blue"}));
  EXPECT_EQ(asked.expertise, "backend/security");
}

TEST(AskedText, OfAnEscalationIsForTheOwnerWithItsOptions) {
  const auto asked = asked_with("ESCALATION: stuck\nTried:\n1. a\n2. b\n3. c\nOptions:\n1. go on\n2. stop\n");
  EXPECT_EQ(asked.options, (std::vector<std::string>{"go on", "stop"}));
  EXPECT_EQ(asked.expertise, "owner");
}

TEST(AskedText, MayBeAnything) {
  const auto asked = asked_with("How long?\n1. only this");
  EXPECT_TRUE(asked.options.empty());
  EXPECT_EQ(asked.expertise, "");
}

}  // namespace
}  // namespace teamster::workflow
