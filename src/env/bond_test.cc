#include "env/bond.h"

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace teamster::env {
namespace {

class Speaker {
 public:
  explicit Speaker(std::string& said) : said_(said) {}

  std::function<void(std::string)> listener() {
    return bond_.tie([this](const std::string& text) { said_ += text; });
  }
  std::function<bool()> question() {
    return bond_.tie([this] { return said_.empty(); });
  }
  // Says what it has to say until one of the calls has ended it.
  void repeat(int times, const std::function<void()>& between) {
    const auto witness = bond_.witness();
    for (int i = 0; i < times; ++i) {
      said_ += "x";
      between();
      if (witness.is_owner_gone()) return;
    }
  }

 private:
  std::string& said_;
  Bond bond_;
};

class BondTest : public testing::Test {
 protected:
  std::string said_;
  std::unique_ptr<Speaker> speaker_ = std::make_unique<Speaker>(said_);
};

TEST_F(BondTest, WhatIsTiedIsCalledWhileTheOwnerLives) {
  const auto listener = speaker_->listener();
  EXPECT_TRUE(speaker_->question()());
  listener("a");
  listener("b");
  EXPECT_EQ(said_, "ab");
}

TEST_F(BondTest, WhatIsTiedDoesNothingWhenTheOwnerIsGone) {
  const auto listener = speaker_->listener();
  const auto question = speaker_->question();
  speaker_.reset();
  listener("a");
  EXPECT_EQ(said_, "");
  EXPECT_FALSE(question());
}

TEST_F(BondTest, ACallbackMayEndItsOwner) {
  struct Owner {
    Bond bond;
  };
  auto owner = std::make_unique<Owner>();
  int called = 0;
  const std::function<void()> last = owner->bond.tie([&] {
    ++called;
    owner.reset();
  });
  last();
  last();
  EXPECT_EQ(called, 1);
}

TEST_F(BondTest, AWitnessTellsThatACallEndedTheOwner) {
  speaker_->repeat(3, [] {});
  EXPECT_EQ(said_, "xxx");
  speaker_->repeat(3, [this] { speaker_.reset(); });
  EXPECT_EQ(said_, "xxxx");
}

}  // namespace
}  // namespace teamster::env
