#include "people/terminal/terminal_transport.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace teamster::people {
namespace {

class TerminalTransportTest : public testing::Test {
 protected:
  std::string shown() const {
    std::string all;
    for (const auto& line : lines_) all += line + "\n";
    return all;
  }

  std::vector<std::string> lines_;
  TerminalTransport terminal_{[this](const std::string& line) { lines_.push_back(line); }};
  std::vector<std::string> replies_;
  env::Registration registration_ =
      terminal_.on_reply([this](const TransportReply& reply) { replies_.push_back(reply.id + "=" + reply.text); });
};

TEST_F(TerminalTransportTest, ALineThatIsTypedAnswersTheQuestionThatIsAsked) {
  EXPECT_FALSE(terminal_.typed("hello")) << "nobody has asked";
  terminal_.post({"r/which.1", "kim", "Which way?\nThink.", {"left", "right"}, false});
  EXPECT_NE(shown().find("? r/which.1 asks kim:\n  Which way?\n  Think.\n    1) left\n    2) right\n"),
            std::string::npos)
      << shown();
  EXPECT_TRUE(terminal_.typed("3"));
  EXPECT_TRUE(replies_.empty()) << "no option";
  EXPECT_NE(shown().find("Choose one, or its number"), std::string::npos);
  EXPECT_TRUE(terminal_.typed("2"));
  EXPECT_EQ(replies_, std::vector<std::string>{"r/which.1=2"});
  EXPECT_FALSE(terminal_.is_asking());
}

TEST_F(TerminalTransportTest, SeveralAreAskedOneAfterTheOther) {
  terminal_.post({"r/a.1", "kim", "A?"});
  terminal_.post({"r/b.1", "sam", "B?"});
  terminal_.post({"r/b.1", "sam", "B?"});
  EXPECT_EQ(shown().find("B?"), std::string::npos);
  EXPECT_NE(shown().find("(1 more to answer after this one)"), std::string::npos) << shown();
  terminal_.typed("one");
  EXPECT_NE(shown().find("B?"), std::string::npos);
  terminal_.typed("two");
  EXPECT_EQ(replies_, (std::vector<std::string>{"r/a.1=one", "r/b.1=two"}));
}

TEST_F(TerminalTransportTest, WhatWasAnsweredElsewhereMakesRoom) {
  terminal_.post({"r/a.1", "kim", "A?"});
  terminal_.post({"r/b.1", "sam", "B?"});
  terminal_.withdraw("r/a.1", "kim answered it");
  EXPECT_NE(shown().find("r/a.1: kim answered it"), std::string::npos);
  EXPECT_NE(shown().find("B?"), std::string::npos) << "the next is asked";
  terminal_.typed("for b");
  EXPECT_EQ(replies_, std::vector<std::string>{"r/b.1=for b"}) << "what is typed now is not for the one that is gone";
}

TEST_F(TerminalTransportTest, AnEmptyLineShowsItAgain) {
  terminal_.post({"r/plan.1", "kim", "Is it right?", {}, true});
  lines_.clear();
  EXPECT_TRUE(terminal_.typed(" "));
  EXPECT_NE(shown().find("Is it right?"), std::string::npos);
  EXPECT_TRUE(replies_.empty());
}

}  // namespace
}  // namespace teamster::people
