#include "protocol/client/run_calls.h"

#include <fmt/format.h>

#include "protocol/client/calls_for_test.h"
#include "protocol/words/record_kinds.h"
#include "protocol/words/told.h"

namespace teamster::hub {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRun = "build-20261116-0001";

class RunCallsTest : public CallsTest {
 protected:
  ProcessIdentity self() { return host_.view().processes.self(); }
  StartRun start_of(const std::string& run) {
    return {.run = run, .workflow = "build", .holder = self(), .lease_time = 60s, .body = {{"args", {{"spec", "08"}}}}};
  }
};

TEST_F(RunCallsTest, AStartedRunIsListedAndFoundWithItsBeginning) {
  StartRun start = start_of(kRun);
  start.key = "08";
  const GrantedLease grant = call(start);
  EXPECT_EQ(grant.lease, Lease(1));
  EXPECT_EQ(grant.n, 1);
  const auto found = call(GetRun{kRun});
  EXPECT_EQ(found.run.run, kRun);
  EXPECT_EQ(found.run.workflow, "build");
  EXPECT_EQ(found.run.key, "08");
  EXPECT_TRUE(found.run.started);
  EXPECT_FALSE(found.run.has_ended());
  ASSERT_TRUE(found.run.holder);
  EXPECT_EQ(found.run.holder->pid, self().pid);
  EXPECT_TRUE(found.run.is_driven());
  EXPECT_EQ(found.run.holder->until->unix_ms - found.run.started->unix_ms, 60'000);
  EXPECT_EQ(found.body["args"]["spec"], "08");
  const auto listed = call(ListRuns{});
  ASSERT_EQ(listed.items.size(), 1U);
  EXPECT_EQ(listed.items.front().run, kRun);
  EXPECT_EQ(listed.items.front().lease, Lease(1));
  EXPECT_FALSE(listed.next);
}

TEST_F(RunCallsTest, ALeaseIsRenewedReleasedAndTakenAgain) {
  call(start_of(kRun));
  const auto renewed = call(RenewLease{kRun, Lease(1), 3600s});
  EXPECT_EQ(renewed.lease, Lease(1));
  EXPECT_GT(renewed.until->unix_ms, host_.view().clock.wall_now().unix_ms + 3'500'000);
  call(ReleaseLease{kRun, Lease(1)});
  EXPECT_FALSE(call(GetRun{kRun}).run.holder);
  EXPECT_FALSE(try_call(ReleaseLease{kRun, Lease(1)}));
  const GrantedLease again = call(LeaseRun{kRun, self()});
  EXPECT_EQ(again.lease, Lease(2));
  EXPECT_EQ(again.n, call(GetRun{kRun}).run.n);
}

TEST_F(RunCallsTest, WhatWasAppendedAndToldIsReadBack) {
  const GrantedLease grant = call(start_of(kRun));
  const auto written = call(AppendToRun{
      kRun, grant.lease, grant.n, {{"step.begun", {{"step", "a"}}}, {"step.done", {{"text", "\"quoted\"\n"}}}}});
  EXPECT_EQ(written.n, 3);
  EXPECT_EQ(call(TellRun{kRun, told::kCancel, {{"by", "operator"}}}).n, 4);
  const auto page = call(ReadRun{.run = kRun, .after = 1});
  ASSERT_EQ(page.items.size(), 3U);
  EXPECT_EQ(page.last, 4);
  EXPECT_FALSE(page.next);
  EXPECT_FALSE(page.has_ended);
  EXPECT_EQ(page.items[1].n, 3);
  EXPECT_EQ(page.items[1].kind, "step.done");
  EXPECT_EQ(page.items[1].body["text"], "\"quoted\"\n");
  EXPECT_GT(page.items[1].at.unix_ms, 0);
  const auto others = call(ReadRun{.run = kRun, .from_others = true});
  ASSERT_EQ(others.items.size(), 1U);
  EXPECT_EQ(others.items[0].kind, kind::kRunTold);
  EXPECT_EQ(others.items[0].body["what"], told::kCancel);
  call(AppendToRun{kRun, grant.lease, 4, {{kind::kRunEnded, {{"status", "done"}}}}});
  const auto ended = call(GetRun{kRun}).run;
  EXPECT_TRUE(ended.has_ended());
  EXPECT_EQ(ended.status, "done");
  EXPECT_TRUE(call(ListRuns{}).items.empty());
  EXPECT_EQ(call(ListRuns{.all = true}).items.size(), 1U);
}

TEST_F(RunCallsTest, EveryPageOfRunsAndRecordsIsRead) {
  for (int i = 1; i <= 5; ++i) call(start_of(fmt::format("build-20261116-000{}", i)));
  const auto runs = ask_for_all_and_wait(client_, ListRuns{.limit = 2});
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 5U);
  EXPECT_EQ(runs->back().run, "build-20261116-0005");
  std::optional<std::size_t> from_loop;
  ask_for_all(client_, ListRuns{.limit = 2},
              [&](Result<std::vector<ListedRun>> all) { from_loop = all ? all->size() : 0; });
  EXPECT_FALSE(from_loop) << "never from inside the call";
  world_.run_until([&] { return from_loop.has_value(); });
  EXPECT_EQ(from_loop, 5U);
  std::vector<RecordToAppend> records(7, RecordToAppend{"step.done"});
  call(AppendToRun{kRun, Lease(1), 1, records});
  const auto events = ask_for_all_and_wait(client_, ReadRun{.run = kRun, .limit = 3});
  ASSERT_TRUE(events);
  EXPECT_EQ(events->size(), 8U);
  EXPECT_EQ(events->back().n, 8);
}

TEST_F(RunCallsTest, AFailureInTheMiddleOfAListIsItsAnswer) {
  std::optional<Code> code;
  ask_for_all(client_, ReadRun{.run = "build-20261116-ffff"}, [&](Result<std::vector<RunJournalEvent>> all) {
    ASSERT_FALSE(all);
    code = all.error().code;
  });
  world_.run_until([&] { return code.has_value(); });
  EXPECT_EQ(code, Code::not_found);
}

TEST_F(RunCallsTest, WaitsForWhatOthersTell) {
  call(start_of(kRun));
  std::optional<std::string> heard;
  ask(client_, ReadRun{.run = kRun, .after = 1, .from_others = true}, {.wait = 60s}, [&](Result<ReadRun::Answer> page) {
    ASSERT_TRUE(page && page->items.size() == 1);
    heard = page->items[0].body["what"].get<std::string>();
  });
  world_.run_for(1s);
  EXPECT_FALSE(heard);
  call(TellRun{.run = kRun, .what = told::kDecide});
  world_.run_until([&] { return heard.has_value(); });
  EXPECT_EQ(heard, told::kDecide);
}

TEST_F(RunCallsTest, TheSameKeyIsTheSameCall) {
  const GrantedLease first = call(start_of(kRun), {.key = "k"});
  const GrantedLease again = call(start_of(kRun), {.key = "k"});
  EXPECT_EQ(first.n, again.n);
  EXPECT_EQ(call(ListRuns{}).items.size(), 1U);
}

TEST(RunCalls, AnAnswerThatIsNoneNamesTheOperation) {
  const auto read = read_answer<StartRun>(Json{{"run", kRun}});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::internal);
  EXPECT_NE(read.error().what.find("run.start"), std::string::npos);
  EXPECT_NE(read.error().what.find("lease"), std::string::npos);
}

TEST(PageCursor, RefusesAListThatDoesNotGetOn) {
  PageCursor cursor("run.list");
  EXPECT_TRUE(*cursor.advance(7));
  EXPECT_EQ(cursor.after(), 7);
  EXPECT_FALSE(cursor.advance(7));
  EXPECT_FALSE(*cursor.advance(std::nullopt));
}

}  // namespace
}  // namespace teamster::hub
