#include "agent/record.h"

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"

namespace teamster::agent {
namespace {

class RecordTest : public testing::Test {
 protected:
  RecordTest() { EXPECT_TRUE(files_.make_private_directory(kDirectory)); }
  void write(const std::string& text) { ASSERT_TRUE(files_.write_atomically(kDirectory + "/agent.json", text, 0600)); }

  const std::string kDirectory = "/home/user/teams/alpha/builder";
  env::sim::World world_{3};
  env::Files& files_ = world_.start("host").view().files;
};

TEST_F(RecordTest, ComesBackAsItWas) {
  Record record;
  record.driver = "claude";
  record.model = "opus";
  record.directory = "/src";
  record.host = {4711, 18'000'000'000'000'000'000U, "boot"};
  record.agent_pid = 4712;
  record.epoch = 3;
  record.turns = 12;
  record.resume_token = "abc";
  record.cost_usd = 1.25;
  record.state = "failing";
  record.trouble = "line one\nline \"two\" \xC3\xA4";
  for (const bool synced : {true, false}) {
    ASSERT_TRUE(record.save(files_, kDirectory, synced));
    const auto back = Record::load(files_, kDirectory);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->driver, "claude");
    EXPECT_EQ(back->model, "opus");
    EXPECT_EQ(back->directory, "/src");
    EXPECT_EQ(back->host, record.host);
    EXPECT_EQ(back->agent_pid, 4712);
    EXPECT_EQ(back->epoch, 3);
    EXPECT_EQ(back->turns, 12);
    EXPECT_EQ(back->resume_token, "abc");
    EXPECT_EQ(back->cost_usd, 1.25);
    EXPECT_EQ(back->state, "failing");
    EXPECT_EQ(back->trouble, record.trouble);
    EXPECT_EQ((*files_.status(kDirectory + "/agent.json"))->mode & 0777U, 0600U) << "the token is the member's";
  }
}

TEST_F(RecordTest, OneThatWasNotUnderstoodIsNone) {
  EXPECT_FALSE(Record::load(files_, kDirectory));
  for (const char* text : {"", "{", "[]", "null", "7", R"({"driver":7})", R"({"host":7})", R"({"host":{"pid":"x"}})",
                           R"({"cost_usd":"much"})", R"({"turns":[]})"}) {
    write(text);
    EXPECT_FALSE(Record::load(files_, kDirectory)) << text;
  }
  write(std::string(1024 * 1024, 'x'));
  EXPECT_FALSE(Record::load(files_, kDirectory));
}

TEST_F(RecordTest, WhatIsMissingIsEmpty) {
  write(R"({"driver":"script","future":true})");
  const auto record = Record::load(files_, kDirectory);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->driver, "script");
  EXPECT_EQ(record->host.pid, 0);
  EXPECT_EQ(record->turns, 0);
  EXPECT_TRUE(record->resume_token.empty());
}

TEST_F(RecordTest, ADirectoryThatIsGoneIsAnError) {
  EXPECT_FALSE(Record().save(files_, "/nowhere", false));
  EXPECT_FALSE(Record().save(files_, "/nowhere", true));
}

}  // namespace
}  // namespace teamster::agent
