#include "workflow/format/spec_words.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

TEST(SpecWords, NameEveryKindOfPhase) {
  EXPECT_EQ(word_of(Phase::Kind::agent), "agent");
  EXPECT_EQ(word_of(Phase::Kind::notify), "notify");
  EXPECT_EQ(word_of(Phase::Kind::commit), "commit");
  EXPECT_EQ(phase_kinds().size(), static_cast<std::size_t>(Phase::Kind::commit) + 1);
}

TEST(SpecWords, SayWhatALoopDoesWhenItIsSpent) {
  Loop loop;
  EXPECT_EQ(then_text(loop), "block");
  loop.then = Loop::Then::escalate;
  EXPECT_EQ(then_text(loop), "escalate");
  loop.then = Loop::Then::go;
  loop.target = "plan";
  EXPECT_EQ(then_text(loop), "goto plan");
}

}  // namespace
}  // namespace teamster::workflow
