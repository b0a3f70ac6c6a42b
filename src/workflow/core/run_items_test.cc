#include "workflow/core/run_items.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

using ItemStatus = RunItem::Status;

std::vector<Json> items_in(const char* text) { return Json::parse(text).get<std::vector<Json>>(); }

RunItems items_of(const char* text) {
  RunItems items;
  const auto ordered = in_order(items_in(text));
  EXPECT_TRUE(ordered);
  for (const auto& item : *ordered) items.add(item);
  return items;
}

std::vector<std::string> ids_of(const RunItems& items) {
  std::vector<std::string> list;
  for (const auto& item : items.list()) list.push_back(item.id);
  return list;
}

std::string order_of(const char* text) {
  const auto ordered = in_order(items_in(text));
  if (!ordered) return "error: " + ordered.error().text();
  RunItems items;
  for (const auto& item : *ordered) items.add(item);
  std::string order;
  for (const auto& id : ids_of(items)) order += id + " ";
  return order;
}

TEST(InOrderTest, EachComesAfterThoseThatItIsBlockedBy) {
  EXPECT_EQ(order_of(R"(["x","y"])"), "#1 #2 ");
  EXPECT_EQ(order_of(R"([{},{},{"id":"c"}])"), "1 2 c ");
  EXPECT_EQ(order_of(R"([{"id":"a","blocked_by":["c"]},{"id":"b"},{"id":"c"}])"), "b c a ") << "otherwise as they were";
  EXPECT_EQ(order_of(R"([{"id":"d","blocked_by":["b","c"]},{"id":"b","blocked_by":["a"]},
      {"id":"c","blocked_by":["a"]},{"id":"a"}])"),
            "a b c d ");
  EXPECT_EQ(order_of(R"([{"id":1,"blocked_by":[2]},{"id":2}])"), "2 1 ") << "numbers are as good as texts";
}

TEST(InOrderTest, NumbersAreThoseThatTheItemsHadBeforeTheirOrderChanged) {
  EXPECT_EQ(order_of(R"([{"do":"x","blocked_by":["3"]},{"do":"y"},{"do":"z"}])"), "2 3 1 ");
  const auto ordered = in_order(items_in(R"([{"do":"x","blocked_by":["2"]},{"do":"y"}])"));
  ASSERT_TRUE(ordered);
  EXPECT_EQ((*ordered)[0], Json::parse(R"({"do":"y","id":"2"})")) << "and are written into them";
  // A text that moves does not take the name of an object.
  const RunItems items = items_of(R"([{"do":"x","blocked_by":["3"]},"text",{"do":"z"}])");
  EXPECT_EQ(ids_of(items), (std::vector<std::string>{"#1", "3", "1"}));
}

TEST(InOrderTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(order_of(R"([{"id":"a"},{"id":"a"}])"), "error: two items have the id 'a'");
  EXPECT_EQ(order_of(R"([{"id":"2"},{}])"), "error: two items have the id '2'");
  EXPECT_EQ(order_of(R"([{"id":"a","blocked_by":["b"]}])"),
            "error: item 1 is blocked by 'b', and there is no such item");
  EXPECT_EQ(order_of(R"(["x",{"blocked_by":["1"]}])"),
            "error: item 2 is blocked by '1', which is a text: make it an object with an id");
  EXPECT_EQ(order_of(R"([{"id":"a","blocked_by":["b"]},{"id":"b","blocked_by":["a"]},{"id":"c"}])"),
            "error: these items wait for each other: a, b");
  EXPECT_EQ(order_of(R"([{"id":"a","blocked_by":["a"]}])"), "error: these items wait for each other: a");
}

TEST(InOrderTest, ALaterGroupGoesOnWithTheNumbers) {
  RunItems items = items_of(R"([{"number":1},{"number":2}])");
  const auto is_known = [&](const std::string& id) { return items.has(id); };
  const auto later = in_order(items_in(R"([{"number":3},{"number":4,"blocked_by":["2","3"]}])"), is_known, 3);
  ASSERT_TRUE(later) << later.error().text();
  for (const auto& item : *later) items.add(item, {}, &item == &later->front());
  EXPECT_EQ(ids_of(items), (std::vector<std::string>{"1", "2", "3", "4"}));
  EXPECT_EQ(items.group_size(), 2);
  EXPECT_FALSE(in_order(items_in(R"([{"id":"2"}])"), is_known, 5)) << "an id is used once";
  EXPECT_EQ(RunItems::from_json(items.json()).group_size(), 2);
}

TEST(RunItemsTest, AnItemIsReadyWhenAllThatItNeedsHavePassed) {
  RunItems items =
      items_of(R"([{"id":"a"},{"id":"b"},{"id":"c","blocked_by":["a","b"]},{"id":"d","blocked_by":["c"]}])");
  EXPECT_EQ(items.next_ready(), 1);
  EXPECT_EQ(items.next_ready(1), 2);
  EXPECT_EQ(items.next_ready(2), 0);
  EXPECT_EQ(items.waiting_for(1), (std::vector<std::int64_t>{3, 4})) << "through others, too";
  items.begin(1);
  EXPECT_EQ(items.next_ready(), 2) << "what has begun is not begun again";
  items.end(1, ItemStatus::passed, "A", "");
  items.end(2, ItemStatus::passed, "B", "");
  EXPECT_EQ(items.next_ready(), 3);
  EXPECT_EQ(items.left(), 2);
  items.end(3, ItemStatus::passed, "C", "");
  items.end(3, ItemStatus::failed, "", "too late");
  EXPECT_EQ(items.find(3)->status, ItemStatus::passed) << "over is over";
  EXPECT_EQ(items.next_ready(), 4);
  EXPECT_EQ(items.failed(), 0);
}

TEST(RunItemsTest, AFailedOneNeverCountsAsFinished) {
  for (const auto status : {ItemStatus::failed, ItemStatus::replaced}) {
    RunItems items = items_of(R"([{"id":"a"},{"id":"b","blocked_by":["a"]}])");
    items.end(1, status, {}, "it broke");
    EXPECT_EQ(items.next_ready(), 0);
    EXPECT_EQ(items.left(), 1);
    EXPECT_EQ(items.waiting_for(1), (std::vector<std::int64_t>{2}));
  }
}

TEST(RunItemsTest, NumbersThatThereAreNotAreNothing) {
  RunItems items = items_of(R"(["a"])");
  EXPECT_EQ(items.find(0), nullptr);
  EXPECT_EQ(items.find(2), nullptr);
  items.begin(2);
  items.end(2, ItemStatus::passed, {}, "");
  items.set_task(2, "7");
  EXPECT_TRUE(items.waiting_for(2).empty());
  EXPECT_EQ(items.left(), 1);
  EXPECT_TRUE(RunItems::from_json(Json::parse(R"(["a",{"status":"passed"},3])")).empty()) << "of an older program";
}

// What is derived from the list is the same after a snapshot, whatever has become of the items.
TEST(RunItemsTest, IsReadAsItWasWritten) {
  RunItems items = items_of(R"([{"id":"a"},{"id":"b"},{"id":"c","blocked_by":["a","b"]},{"id":"d"},
      {"id":"e","blocked_by":["d"]},{"id":"f","blocked_by":["c"]},"text"])");
  const auto check = [&] {
    const RunItems read = RunItems::from_json(Json::parse(items.json().dump()));
    EXPECT_EQ(read.json(), items.json());
    EXPECT_EQ(read.left(), items.left());
    EXPECT_EQ(read.failed(), items.failed());
    EXPECT_EQ(read.group_size(), items.group_size());
    EXPECT_EQ(ids_of(read), ids_of(items));
    for (std::int64_t number = 0; number <= items.size(); ++number) {
      EXPECT_EQ(read.next_ready(number), items.next_ready(number));
      EXPECT_EQ(read.waiting_for(number), items.waiting_for(number));
    }
  };
  check();
  items.begin(1);
  items.set_task(1, "task-1");
  check();
  items.end(1, ItemStatus::passed, {{"n", 1}}, "");
  check();
  items.end(4, ItemStatus::failed, {}, "it broke");
  check();
  items.end(5, ItemStatus::replaced, {}, "by another");
  check();
  items.add(Json::parse(R"({"id":"g","blocked_by":["a","b"]})"), Json::parse(R"(["too long"])"), true);
  check();
  items.end(2, ItemStatus::passed, "B", "");
  check();
  EXPECT_EQ(items.next_ready(3), 7);
  EXPECT_EQ(items.next_ready(7), 8);
}

}  // namespace
}  // namespace teamster::workflow
