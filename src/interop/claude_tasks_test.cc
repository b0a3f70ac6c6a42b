#include "interop/claude_tasks.h"

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"

namespace teamster::interop {
namespace {

class ClaudeTasksTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(view_.files.make_private_directory("/tasks/list"));
    ASSERT_TRUE(view_.files.write_atomically("/tasks/list/" + name, text, 0600));
  }
  Result<std::vector<ClaudeTask>> read() { return read_claude_tasks(view_.files, "/tasks/list"); }

  env::sim::World world_{3};
  env::World view_ = world_.start("teamster").view();
};

TEST_F(ClaudeTasksTest, AreReadAsClaudeCodeWritesThem) {
  write(".lock", "");
  write(".highwatermark", "10");
  write("1.json", R"({"id":"1","subject":"Parser","description":"Write it","activeForm":"Writing","status":"completed",
                      "blocks":["10"],"blockedBy":[],"owner":"dave","metadata":{"size":2},"later":{"key":true}})");
  write("2.json", R"({"id":"2","subject":"Gone","status":"deleted","blocks":["10"],"blockedBy":[]})");
  write("10.json", R"({"id":"10","subject":"Printer","status":"in_progress","blocks":[],"blockedBy":["2"]})");
  const auto tasks = read();
  ASSERT_TRUE(tasks) << tasks.error().text();
  ASSERT_EQ(tasks->size(), 2U);
  const ClaudeTask& first = tasks->at(0);
  EXPECT_EQ(first.subject, "Parser");
  EXPECT_EQ(first.description, "Write it");
  EXPECT_TRUE(first.is_completed);
  EXPECT_EQ(first.metadata["size"], 2);
  EXPECT_EQ(first.metadata["imported"]["later"], Json::parse(R"({"key":true})")) << "what nobody knows stays";
  EXPECT_EQ(first.metadata["imported"]["owner"], "dave");
  EXPECT_EQ(tasks->at(1).id, "10");
  EXPECT_FALSE(tasks->at(1).is_completed);
  EXPECT_EQ(tasks->at(1).blocked_by, std::vector<std::string>{"1"}) << "by what the other says; 2 is gone";
}

TEST_F(ClaudeTasksTest, ComeAfterThoseThatBlockThem) {
  write("1.json", R"({"subject":"a","status":"pending","blockedBy":["3"]})");
  write("2.json", R"({"subject":"b","status":"pending","blockedBy":["1"]})");
  write("3.json", R"({"subject":"c","status":"pending"})");
  const auto tasks = read();
  ASSERT_TRUE(tasks);
  EXPECT_EQ(tasks->at(0).id, "3");
  EXPECT_EQ(tasks->at(1).id, "1");
  EXPECT_EQ(tasks->at(2).id, "2");
}

TEST_F(ClaudeTasksTest, OneThatIsBrokenIsNamedAndNothingIsRead) {
  EXPECT_EQ(read().error().code, Code::not_found);
  for (const char* text :
       {"", "[]", "{ torn", R"({"status":"pending"})", R"({"subject":"a"})", R"({"subject":"a","status":"later"})",
        R"({"subject":"a","status":"pending","id":[]})", R"({"subject":"a","status":"pending","blockedBy":"1"})",
        R"({"subject":"a","status":"pending","blocks":[null]})",
        R"({"subject":"a","status":"pending","blockedBy":["1"]})"}) {
    write("1.json", text);
    const auto tasks = read();
    ASSERT_FALSE(tasks) << text;
    EXPECT_EQ(tasks.error().code, Code::invalid) << text;
    EXPECT_NE(tasks.error().what.find("/tasks/list"), std::string::npos) << tasks.error().text();
    EXPECT_NE(tasks.error().next.find("nothing has been imported"), std::string::npos);
  }
  write("1.json", R"({"subject":"a","status":"pending"})");
  write("2.json", R"({"id":"1","subject":"b","status":"pending"})");
  EXPECT_NE(read().error().what.find("2.json: another file has the id '1'"), std::string::npos)
      << read().error().text();
}

}  // namespace
}  // namespace teamster::interop
