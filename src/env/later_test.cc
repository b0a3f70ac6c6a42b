#include "env/later.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"

namespace teamster::env {
namespace {

class LaterTest : public testing::Test {
 protected:
  void pass() { world_.run_for(std::chrono::milliseconds(1)); }

  sim::World world_{3};
  Loop& loop_ = world_.start("owner").view().loop;
  std::unique_ptr<Later> later_ = std::make_unique<Later>(loop_);
  std::string order_;
};

TEST_F(LaterTest, CallsInOrderAndNeverFromInside) {
  for (const char* each : {"a", "b", "c"}) later_->call([this, each] { order_ += each; });
  EXPECT_EQ(order_, "");
  pass();
  EXPECT_EQ(order_, "abc");
  later_->call([this] { order_ += "d"; });
  pass();
  EXPECT_EQ(order_, "abcd");
}

TEST_F(LaterTest, WhatACallbackAddsComesLast) {
  later_->call([this] {
    order_ += "a";
    later_->call([this] { order_ += "c"; });
  });
  later_->call([this] { order_ += "b"; });
  pass();
  EXPECT_EQ(order_, "abc");
}

TEST_F(LaterTest, NothingIsCalledWhenTheOwnerIsGone) {
  later_->call([this] { order_ += "a"; });
  later_.reset();
  pass();
  EXPECT_EQ(order_, "");
}

TEST_F(LaterTest, ACallbackMayEndTheOwner) {
  later_->call([this] {
    order_ += "a";
    later_.reset();
  });
  later_->call([this] { order_ += "b"; });
  pass();
  EXPECT_EQ(order_, "a");
}

}  // namespace
}  // namespace teamster::env
