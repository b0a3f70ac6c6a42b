#include <gtest/gtest.h>

#include "cli/framework/outside_for_test.h"

namespace teamster::cli {
namespace {

class TaskCommandsTest : public testing::Test {
 protected:
  static Json task(std::int64_t id) {
    return Json::
        parse(R"({"team":"demo","subject":"Write the parser","description":"all of\nit","status":"pending","owner":null,
        "blocks":[],"blocked_by":[1],"waiting_for":[1],"metadata":{"size":"s"},"updated":"2027-01-15T07:59:00.000Z"})")
            .patch(Json::array({{{"op", "add"}, {"path", "/id"}, {"value", id}}}));
  }
  FakeOutside outside_;
};

TEST_F(TaskCommandsTest, Create) {
  outside_.answers({{"task", task(2)}});
  EXPECT_EQ(outside_.run({"task", "create", "--team", "demo", "Write the parser", "--blocked-by", "1", "--metadata",
                          R"({"size":"s"})"}),
            0);
  EXPECT_EQ(outside_.requests[0].args,
            Json::parse(R"({"team":"demo","subject":"Write the parser","blocked_by":[1],"metadata":{"size":"s"}})"));
  EXPECT_EQ(outside_.out.captured,
            "2 Write the parser\n"
            "  status       pending\n"
            "  blocked by   1\n"
            "  waiting for  1\n"
            "  metadata     {\"size\":\"s\"}\n"
            "  updated      60 s ago\n"
            "    all of\n    it\n");
}

TEST_F(TaskCommandsTest, MetadataMustBeAnObject) {
  EXPECT_EQ(outside_.run({"task", "create", "--team", "demo", "x", "--metadata", "3"}), 2);
  EXPECT_TRUE(outside_.requests.empty());
}

TEST_F(TaskCommandsTest, ListIsATable) {
  outside_.answers({{"tasks", {task(2)}}, {"next", 2}}).answers({{"tasks", {task(13)}}, {"next", nullptr}});
  EXPECT_EQ(outside_.run({"task", "list", "--team", "demo", "--status", "pending", "--owner", "lead"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","status":"pending","owner":"lead"})"));
  EXPECT_EQ(outside_.requests[0].key, "read") << "no key of its own";
  EXPECT_EQ(outside_.out.captured,
            "ID  STATUS   OWNER  WAITS FOR  SUBJECT\n"
            "2   pending  -      1          Write the parser\n"
            "13  pending  -      1          Write the parser\n");
}

TEST_F(TaskCommandsTest, Get) {
  outside_.answers({{"task", task(2)}});
  EXPECT_EQ(outside_.run({"task", "get", "--team", "demo", "2", "--json"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","id":2})"));
  EXPECT_EQ(outside_.document(), (Json{{"task", task(2)}}));
}

TEST_F(TaskCommandsTest, ClaimOfNothingIsExitCodeOne) {
  outside_.answers({{"task", nullptr}});
  EXPECT_EQ(outside_.run({"task", "claim", "--team", "demo", "--member", "lead", "--json"}), 1);
  EXPECT_EQ(outside_.requests[0].wait, std::nullopt);
  EXPECT_EQ(outside_.document(), Json::parse(R"({"task":null})"));
}

TEST_F(TaskCommandsTest, ClaimShowsTheToken) {
  Json claimed = task(2);
  claimed["token"] = "secret";
  outside_.answers({{"task", claimed}});
  EXPECT_EQ(outside_.run({"task", "claim", "--team", "demo", "--member", "lead", "2", "--wait", "30s"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","member":"lead","id":2})"));
  EXPECT_EQ(outside_.requests[0].wait, std::chrono::seconds(30));
  EXPECT_NE(outside_.out.captured.find("token        secret\n"), std::string::npos);
}

TEST_F(TaskCommandsTest, Update) {
  outside_.answers({{"task", task(2)}});
  EXPECT_EQ(outside_.run({"task", "update", "--team", "demo", "2", "--status", "completed", "--token", "t",
                          "--metadata", R"({"a":null})", "--blocked-by", "3", "--member", "lead"}),
            0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","id":2,"status":"completed","token":"t",
      "metadata":{"a":null},"add_blocked_by":[3],"member":"lead"})"));
  EXPECT_EQ(outside_.run({"task", "update", "--team", "demo", "2", "--token", "t"}), 2);
  EXPECT_TRUE(outside_.requests.empty());
}

}  // namespace
}  // namespace teamster::cli
