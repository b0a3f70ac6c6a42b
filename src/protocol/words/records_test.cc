// What is written into a record is what its reader gets, and what the format's page says.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "protocol/words/message_records.h"
#include "protocol/words/run_records.h"
#include "protocol/words/task_records.h"
#include "protocol/words/team_records.h"

namespace teamster {
namespace {

const ProcessIdentity kHolder{4711, 99, "boot"};

TEST(TeamRecords, AnOwnerIsAProcessOrARun) {
  Json made = TeamCreated{"alpha", OwnerRecord{.process = kHolder}}.json();
  EXPECT_EQ(made, Json::parse(R"({"team":"alpha","owner":{"boot_id":"boot","pid":4711,"start_ticks":99}})"));
  EXPECT_EQ(TeamCreated::team_in(made), "alpha");
  EXPECT_EQ(OwnerRecord::parse(TeamCreated::owner_text_in(made))->process, kHolder);
  made = TeamCreated{"alpha", OwnerRecord{.run = "build-20261116-0001"}}.json();
  EXPECT_EQ(OwnerRecord::parse(TeamCreated::owner_text_in(made))->run, "build-20261116-0001");
  EXPECT_FALSE(OwnerRecord::parse(TeamCreated::owner_text_in(TeamCreated{"alpha"}.json())));
  EXPECT_FALSE(OwnerRecord::parse("damaged")->process) << "somebody owned it, and nobody knows who";
}

TEST(TeamRecords, AShutdownThatIsOverHasNoTime) {
  EXPECT_EQ(TeamShutdown::due_in(TeamShutdown{WallTime{7}, "over"}.json()), WallTime{7});
  EXPECT_FALSE(TeamShutdown::due_in(TeamShutdownOver{}.json()));
}

TEST(TeamRecords, AMemberIsNativeOnlyWhereItsRecordSaysSo) {
  const Json agent = MemberJoined{"builder", MemberId(2), Epoch(1)}.json();
  EXPECT_EQ(agent, Json::parse(R"({"member":"builder","member_id":2,"epoch":1})"));
  EXPECT_FALSE(MemberJoined::read(agent).is_native) << "as in what older programs wrote";
  EXPECT_TRUE(MemberJoined::read(MemberJoined{"lead", MemberId(3), Epoch(1), true}.json()).is_native);
}

TEST(TeamRecords, ATurnIsReadAsItWasWritten) {
  TurnAccount account{.turn = 3, .stop = "end_turn", .text = "done", .result = Json{{"ok", true}}};
  account.messages = {MessageId(5), MessageId(6)};
  account.usage = UsageRecord{1, 2, 3, 4, 500'000};
  const Json body = MemberTurn{"builder", MemberId(2), Epoch(1), false, account}.json();
  EXPECT_EQ(body["usage"]["cost_microusd"], 500'000);
  const MemberTurn turn = MemberTurn::read(body);
  EXPECT_EQ(turn.member, "builder");
  EXPECT_EQ(turn.member_id, member_id_in(body));
  EXPECT_EQ(turn.account.turn, 3);
  EXPECT_EQ(turn.account.text, "done");
  EXPECT_FALSE(turn.account.error);
  EXPECT_EQ(turn.account.messages->size(), 2U);
  EXPECT_EQ(turn.account.usage->cache_write_tokens, 4);
  EXPECT_TRUE(TurnAccount{}.is_empty());
  EXPECT_TRUE(MemberTurn::read(Json("x")).account.is_empty()) << "never throws";
}

TEST(MessageRecords, AMessageIsReadAsItWasWritten) {
  const Json schema = {{"type", "object"}};
  const Json body = MessageSent{.from = "a", .to = "b", .to_id = MemberId(7), .body = "hi", .schema = &schema}.json();
  EXPECT_EQ(body,
            Json::parse(R"({"from":"a","to":"b","to_id":7,"kind":"message","body":"hi","schema":{"type":"object"}})"))
      << "what is usual is left out";
  const MessageSent sent = MessageSent::read(body);
  EXPECT_EQ(sent.body, "hi");
  EXPECT_EQ(sent.priority, priority::kNormal);
  EXPECT_FALSE(sent.summary);
  EXPECT_EQ(*sent.schema, schema);
  EXPECT_EQ(MessageSent::to_id_in(body), MemberId(7));
  EXPECT_EQ(MessageSent::read(Json::object()).kind, message_kind::kMessage);
}

TEST(MessageRecords, WhatBecameOfMessagesNamesThem) {
  const std::vector<MessageId> ids = {MessageId(5), MessageId(6)};
  const Json marked = MessagesMarked{{"b", MemberId(7), ids}, Receipt::acted}.json();
  EXPECT_EQ(marked, Json::parse(R"({"member":"b","member_id":7,"ids":[5,6],"mark":"acted"})"));
  EXPECT_EQ(MessagesMarked::mark_in(marked), Receipt::acted);
  EXPECT_EQ(MemberMessages::ids_in(marked).size(), 2U);
  EXPECT_EQ((MessagesRequeued{{"b", MemberId(7), ids}, "new epoch"}).json()["why"], "new epoch");
}

TEST(TaskRecords, OnlyWhatChangedIsWritten) {
  TaskUpdated changes{.id = TaskId(3)};
  EXPECT_TRUE(changes.is_empty());
  changes.status = TaskStatus::completed;
  changes.add_blocked_by = {TaskId(1)};
  const Json body = std::move(changes).json();
  EXPECT_EQ(body, Json::parse(R"({"id":3,"status":"completed","add_blocked_by":[1]})"));
  EXPECT_EQ(task_id_in(body), TaskId(3));
  EXPECT_EQ(TaskUpdated::status_in(body), TaskStatus::completed);
  EXPECT_EQ(TaskUpdated::subject_in(body), nullptr);
  EXPECT_EQ(TaskUpdated::add_blocked_by_in(body)->size(), 1U);
}

TEST(TaskRecords, AClaimIsReadAsItWasWritten) {
  const Json body = TaskClaimed{TaskId(3), "b", MemberId(7), Epoch(2), "token"}.json();
  const TaskClaimed claimed = TaskClaimed::read(body);
  EXPECT_EQ(claimed.id, TaskId(3));
  EXPECT_EQ(claimed.epoch, Epoch(2));
  EXPECT_EQ(claimed.token, "token");
  const Json created = TaskCreated{.id = TaskId(3), .subject = "s", .description = ""}.json();
  EXPECT_EQ(created, Json::parse(R"({"id":3,"subject":"s","description":"","metadata":{},"blocked_by":[]})"));
  EXPECT_EQ(TaskCreated::read(created).reserved, "") << "as in what older programs wrote";
  const Json item = TaskCreated{.id = TaskId(4), .subject = "s", .description = "", .reserved = "an item"}.json();
  EXPECT_EQ(TaskCreated::read(item).reserved, "an item");
}

TEST(RunRecords, AStartHoldsWhatTheEngineGave) {
  const Json record = RunStarted{
      .run = "build-20261116-0001",
      .workflow = "build",
      .key = "08",
      .holder = kHolder,
      .lease_ms = 300'000,
      .body = {
          {"args", {}}}}.json();
  EXPECT_EQ(record["holder"], Json::parse(R"({"boot_id":"boot","pid":4711,"start_ticks":99})"));
  const RunStarted started = RunStarted::read(record);
  EXPECT_EQ(started.key, "08");
  EXPECT_EQ(started.holder, kHolder);
  EXPECT_TRUE(RunStarted::body_in(record).contains("args"));
}

TEST(RunRecords, ALeaseIsReadAsItWasWritten) {
  const Json record = RunLeased{Lease(2), kHolder, 60'000, "nobody had it"}.json();
  const RunLeased leased = RunLeased::read(record);
  EXPECT_EQ(leased.lease, Lease(2));
  EXPECT_EQ(leased.holder, kHolder);
  EXPECT_EQ(leased.why, "nobody had it");
  EXPECT_EQ(RunLeased::lease_in(Json("x")), Lease(0));
  EXPECT_EQ(RunRenewed::lease_ms_in(RunRenewed{Lease(2), 7}.json()), 7);
}

TEST(RunRecords, WhatWasToldIsReadAsItWasWritten) {
  const RunTold told = RunTold::read(Json::parse(run_told_text("answer", R"({"by":"x"})")));
  EXPECT_EQ(told.what, "answer");
  EXPECT_EQ(told.body["by"], "x");
  EXPECT_EQ(RunEnded::status_in(RunEnded{"done"}.json()), "done");
  EXPECT_FALSE(RunEnded::optional_status_in(Json::object()));
}

}  // namespace
}  // namespace teamster
