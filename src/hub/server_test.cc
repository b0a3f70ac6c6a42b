#include "hub/server.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "env/files.h"
#include "protocol/client/access.h"
#include "support/simulated_hubs.h"

namespace teamster::hub {
namespace {

using namespace std::chrono_literals;

class ServerTest : public testing::Test {
 protected:
  Client& client(const std::string& name = "operator") {
    auto& slot = clients_[name];
    if (!slot) slot = std::make_unique<Client>(world_.start(name).view(), hubs_.home(), Access::operator_of_home());
    return *slot;
  }
  Result<Json> call(const std::string& op, Json args, const std::string& key = "") {
    return client().call_and_wait({op, std::move(args), std::nullopt, key});
  }
  void create_alpha() { ASSERT_TRUE(call("team.create", {{"team", "alpha"}, {"members", {"builder", "tester"}}})); }

  // Bytes as they are, from a client without manners. Returns the frames it got back.
  struct Raw {
    std::unique_ptr<env::Stream> stream;
    FrameDecoder decoder;
    std::vector<Json> frames;
    bool ended = false;
  };
  std::unique_ptr<Raw> connect_raw() {
    auto raw = std::make_unique<Raw>();
    raw->stream = *world_.start("raw").view().network.connect(hubs_.home().socket());
    raw->stream->start({.on_bytes =
                            [r = raw.get()](std::string_view bytes) {
                              r->decoder.add(bytes);
                              while (true) {
                                auto next = r->decoder.next();
                                if (!next || !*next) return;
                                r->frames.push_back(*parse_json(**next));
                              }
                            },
                        .on_end = [r = raw.get()] { r->ended = true; },
                        .on_drained = nullptr});
    return raw;
  }
  static void send(Raw& raw, const Json& json) {
    std::string bytes;
    append_frame(bytes, json.dump());
    raw.stream->write(bytes);
  }
  std::string cookie() {
    return *read_secret_file(world_.start("reader").view().files, hubs_.home().cookie_file(), "cookie");
  }

  env::sim::World world_{11};
  SimulatedHubs hubs_{world_};
  std::map<std::string, std::unique_ptr<Client>> clients_;
};

TEST_F(ServerTest, FirstCommandStartsTheHubAndIdlenessEndsIt) {
  create_alpha();
  EXPECT_EQ(hubs_.started(), 1);
  clients_.clear();
  world_.run_for(limits::kHubIdleExit - 1s);
  EXPECT_NE(hubs_.serving(), nullptr);
  world_.run_for(2s);
  EXPECT_EQ(hubs_.serving(), nullptr);
  EXPECT_EQ(call("team.list", {})->at("teams").size(), 1U);
  EXPECT_EQ(hubs_.started(), 2);
}

TEST_F(ServerTest, TokenFilesAreWrittenBeforeTheAnswer) {
  const Json created = *call("team.create", {{"team", "alpha"}, {"members", {"builder"}}});
  const std::string file = created["members"][0]["token_file"];
  auto reader = world_.start("reader").view();
  EXPECT_EQ((*reader.files.status(file))->mode & 0777U, 0600U);
  EXPECT_FALSE(created["members"][0].contains("id"));
  Client member(world_.start("member").view(), hubs_.home(), Access::member(file));
  EXPECT_TRUE(member.call_and_wait({"message.send", {{"to", "builder"}, {"body", "me"}}, {}, {}}));
  EXPECT_EQ(member.call_and_wait({"team.list", Json::object(), {}, {}}).error().code, Code::refused);
  ASSERT_TRUE(call("team.delete", {{"team", "alpha"}, {"force", true}}));
  EXPECT_FALSE(reader.files.status(file)->has_value());
}

TEST_F(ServerTest, TheSameKeyGetsTheSameAnswer) {
  create_alpha();
  const Json args = {{"team", "alpha"}, {"to", "tester"}, {"body", "once"}};
  const Json first = *call("message.send", args, "key-1");
  EXPECT_EQ(*call("message.send", args, "key-1"), first);
  ASSERT_TRUE(hubs_.kill());
  EXPECT_EQ(*call("message.send", args, "key-1"), first);
  EXPECT_EQ(call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "other"}}, "key-1").error().code,
            Code::refused);
  EXPECT_EQ(call("message.inbox", {{"team", "alpha"}, {"member", "tester"}})->at("messages").size(), 1U);
  // A failed request leaves its key free.
  EXPECT_FALSE(call("message.send", {{"team", "alpha"}, {"to", "nobody"}, {"body", "x"}}, "key-2"));
  EXPECT_TRUE(call("message.send", args, "key-2"));
}

TEST_F(ServerTest, AReservedTaskIsGivenOnceForAKeyAlsoAcrossHubs) {
  create_alpha();
  ASSERT_TRUE(call("task.create", {{"team", "alpha"}, {"subject", "item"}, {"reserved", "an item"}}, "made"));
  const auto give = [&](const std::string& member, const std::string& key) {
    return call("task.claim", {{"team", "alpha"}, {"member", member}, {"id", 1}, {"reserved", true}}, key)->at("task");
  };
  const Json first = give("builder", "k1");
  ASSERT_TRUE(hubs_.kill());
  EXPECT_EQ(give("builder", "k1")["token"], first["token"]);
  const Json moved = give("tester", "k2");
  EXPECT_NE(moved["token"], first["token"]);
  ASSERT_TRUE(hubs_.kill());
  EXPECT_EQ(give("tester", "k2"), moved);
  EXPECT_EQ(give("builder", "k1")["owner"], "tester") << "a late retry gives it to nobody again";
  const auto change = [&] {
    return call("task.update",
                {{"team", "alpha"}, {"id", 1}, {"reserved", true}, {"status", "completed"}, {"why", "passed"}}, "k3");
  };
  const Json done = *change();
  ASSERT_TRUE(hubs_.kill());
  EXPECT_EQ(*change(), done);
  const Json journal = *call("journal.read", {});
  EXPECT_EQ(std::count_if(journal["events"].begin(), journal["events"].end(),
                          [](const Json& event) { return event["kind"] == "task.claimed"; }),
            2);
  EXPECT_TRUE(call("store.check", {{"rebuild", true}})->at("ok"));
}

TEST_F(ServerTest, ADeliveryIsRepeatedToARetry) {
  create_alpha();
  ASSERT_TRUE(call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "text"}}));
  const Json first = *call("message.wait", {{"team", "alpha"}, {"member", "tester"}}, "wait-1");
  EXPECT_EQ(*call("message.wait", {{"team", "alpha"}, {"member", "tester"}}, "wait-1"), first);
  EXPECT_EQ(first["messages"][0]["body"], "text");
  EXPECT_TRUE(call("message.wait", {{"team", "alpha"}, {"member", "tester"}}, "wait-2")->at("messages").empty());
}

TEST_F(ServerTest, AWaiterIsAnsweredByTheCommitOfItsMessage) {
  create_alpha();
  std::optional<Result<Json>> waited;
  client("waiter").call({"message.wait", {{"team", "alpha"}, {"member", "tester"}}, 60s, {}},
                        [&](Result<Json> answer) { waited = std::move(answer); });
  world_.run_for(100ms);
  EXPECT_FALSE(waited);
  const auto commits = call("hub.status", {})->at("commits").get<int>();
  ASSERT_TRUE(call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "now"}}));
  world_.run_until([&] { return waited.has_value(); });
  EXPECT_EQ((*waited)->at("messages")[0]["body"], "now");
  EXPECT_EQ(call("hub.status", {})->at("commits"), commits + 1);
}

class RunServerTest : public ServerTest {
 protected:
  void start_run() {
    const Json holder = {{"pid", 1}, {"start", 1}, {"boot", "b"}};
    ASSERT_TRUE(call("run.start", {{"run", kRun}, {"workflow", "work"}, {"holder", holder}}));
  }
  static Json one_record(std::int64_t after, const std::string& kind = "step.done") {
    Json args = Json::parse(R"({"records":[{"body":{"status":"done"}}],"lease":1})");
    args["run"] = kRun;
    args["after"] = after;
    args["records"][0]["kind"] = kind;
    return args;
  }
  static constexpr const char* kRun = "work-20261116-1a2b";
};

TEST_F(RunServerTest, AnAppendIsDoneOnceForItsKey) {
  start_run();
  const Json first = *call("run.append", one_record(1), "key-1");
  EXPECT_EQ(first["n"], 2);
  EXPECT_EQ(*call("run.append", one_record(1), "key-1"), first);
  ASSERT_TRUE(hubs_.kill());
  EXPECT_EQ(*call("run.append", one_record(1), "key-1"), first);
  EXPECT_EQ(call("run.append", one_record(1), "key-2").error().code, Code::refused) << "another request";
  EXPECT_EQ(call("run.append", one_record(2), "key-1").error().code, Code::refused) << "another payload";
  EXPECT_EQ(call("run.events", {{"run", kRun}})->at("events").size(), 2U);
  const Json journal = call("journal.read", Json::object())->at("events");
  EXPECT_EQ(journal.back()["run"], kRun);
  EXPECT_EQ(journal.back()["n"], 2);
  EXPECT_EQ(journal.back()["team"], nullptr);
}

TEST_F(RunServerTest, AReaderIsAnsweredByTheCommitOfTheRecord) {
  start_run();
  std::optional<Result<Json>> waited;
  client("reader").call({"run.events", {{"run", kRun}, {"after", 1}}, 60s, {}},
                        [&](Result<Json> answer) { waited = std::move(answer); });
  world_.run_for(100ms);
  EXPECT_FALSE(waited);
  const auto commits = call("hub.status", {})->at("commits").get<int>();
  ASSERT_TRUE(call("run.append", one_record(1, "run.ended")));
  world_.run_until([&] { return waited.has_value(); });
  EXPECT_EQ((*waited)->at("events")[0]["n"], 2);
  EXPECT_EQ((*waited)->at("ended"), true);
  EXPECT_EQ(call("hub.status", {})->at("commits"), commits + 1);
  const Instant before = world_.clock().now();
  EXPECT_TRUE(client().call_and_wait({"run.events", {{"run", kRun}, {"after", 2}}, 60s, {}})->at("events").empty());
  EXPECT_LT(world_.clock().now() - before, 1s) << "nothing will come any more";
}

TEST_F(RunServerTest, AHolderThatListensIsNotWokenByItsOwnRecords) {
  start_run();
  std::optional<Result<Json>> heard;
  client("engine").call({"run.events", {{"run", kRun}, {"after", 1}, {"from_others", true}}, 60s, {}},
                        [&](Result<Json> answer) { heard = std::move(answer); });
  world_.run_for(100ms);
  ASSERT_TRUE(call("run.append", one_record(1)));
  world_.run_for(100ms);
  EXPECT_FALSE(heard);
  ASSERT_TRUE(call("run.tell", {{"run", kRun}, {"what", "cancel"}}));
  world_.run_until([&] { return heard.has_value(); });
  ASSERT_EQ((*heard)->at("events").size(), 1U);
  EXPECT_EQ((*heard)->at("events")[0]["n"], 3);
  EXPECT_EQ((*heard)->at("events")[0]["body"]["what"], "cancel");
  heard.reset();
  client("engine").call({"run.events", {{"run", kRun}, {"after", 3}, {"from_others", true}}, 60s, {}},
                        [&](Result<Json> answer) { heard = std::move(answer); });
  world_.run_for(100ms);
  ASSERT_TRUE(call("run.append", one_record(3, "run.ended")));
  world_.run_for(100ms);
  ASSERT_TRUE(heard) << "nothing will come any more";
  EXPECT_EQ((*heard)->at("ended"), true);
}

TEST_F(ServerTest, AWaitEndsEmptyInTime) {
  create_alpha();
  const Instant before = world_.clock().now();
  const auto answer = client().call_and_wait({"message.wait", {{"team", "alpha"}, {"member", "tester"}}, 5s, {}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->at("messages").empty());
  EXPECT_GE(world_.clock().now() - before, 5s);
  EXPECT_LT(world_.clock().now() - before, 6s);
}

// Deadlines fall due at any moment of a sync, and nobody may speak afterwards.
TEST_F(ServerTest, AWaitEndsInTimeAlsoDuringASync) {
  create_alpha();
  for (int round = 0; round < 200; ++round) {
    std::optional<Result<Json>> waited;
    const Duration wait = std::chrono::microseconds(1000 + 137 * (round % 60));
    client("waiter").call({"task.claim", {{"team", "alpha"}, {"member", "tester"}}, wait, {}},
                          [&](Result<Json> answer) { waited = std::move(answer); });
    for (const char* name : {"one", "two", "three", "four", "five", "six"})
      for (int i = 0; i < 4; ++i)
        client(name).call({"message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "x"}}, {}, {}},
                          [](const Result<Json>&) {});
    world_.run_for(1s);
    ASSERT_TRUE(waited) << "round " << round;
  }
}

TEST_F(ServerTest, AWaitSurvivesTheHub) {
  create_alpha();
  std::optional<Result<Json>> waited;
  client("waiter").call({"task.claim", {{"team", "alpha"}, {"member", "tester"}}, 60s, {}},
                        [&](Result<Json> answer) { waited = std::move(answer); });
  world_.run_for(100ms);
  ASSERT_TRUE(hubs_.kill());
  world_.run_for(500ms);
  ASSERT_TRUE(call("task.create", {{"team", "alpha"}, {"subject", "work"}}));
  world_.run_until([&] { return waited.has_value(); });
  EXPECT_EQ((*waited)->at("task").at("owner"), "tester");
}

TEST_F(ServerTest, WaitersLearnThatTheirTeamIsGone) {
  create_alpha();
  std::optional<Result<Json>> waited;
  client("waiter").call({"message.wait", {{"team", "alpha"}, {"member", "tester"}}, 60s, {}},
                        [&](Result<Json> answer) { waited = std::move(answer); });
  world_.run_for(100ms);
  ASSERT_TRUE(call("team.delete", {{"team", "alpha"}, {"force", true}}));
  world_.run_until([&] { return waited.has_value(); });
  EXPECT_EQ(waited->error().code, Code::refused);
}

TEST_F(ServerTest, ShutdownIsForcedByTheHubsOwnClock) {
  create_alpha();
  const Json over = *client().call_and_wait({"team.shutdown", {{"team", "alpha"}}, 30s, {}});
  EXPECT_EQ(over["forced"].size(), 2U);
}

TEST_F(ServerTest, ATokenNeverStartsAHub) {
  const Json created = *call("team.create", {{"team", "alpha"}, {"members", {"builder"}}});
  clients_.clear();
  ASSERT_TRUE(hubs_.kill());
  Client member(world_.start("member").view(), hubs_.home(), Access::member(created["members"][0]["token_file"]));
  const auto answer = member.call_and_wait({"message.inbox", Json::object(), {}, {}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::unavailable);
  EXPECT_EQ(hubs_.started(), 1);
  ASSERT_TRUE(call("team.list", {}));  // the operator's does
  EXPECT_EQ(hubs_.started(), 2);
}

TEST_F(ServerTest, WithoutProofNothingIsAccepted) {
  create_alpha();
  const std::vector<Json> hellos = {{{"hello", 1}},
                                    {{"hello", 1}, {"cookie", "wrong"}},
                                    {{"hello", 1}, {"cookie", 5}},
                                    {{"hello", 1}, {"token", "tmst1.1.2.1.00"}},
                                    {{"hello", 99}, {"cookie", cookie()}},
                                    {{"id", 1}, {"op", "team.list"}}};
  for (const auto& hello : hellos) {
    auto raw = connect_raw();
    send(*raw, hello);
    send(*raw, {{"id", 1}, {"op", "team.list"}});
    world_.run_until([&] { return raw->ended; });
    ASSERT_EQ(raw->frames.size(), 1U) << hello;
    EXPECT_TRUE(raw->frames[0].contains("error")) << hello;
  }
}

TEST_F(ServerTest, BadFramesEndTheirConnectionAlone) {
  create_alpha();
  for (const std::string& bytes : {std::string("\xff\xff\xff\xff"), std::string(4, '\0'),
                                   std::string("\x02\x00\x00\x00{]", 6), std::string("\x02\x00\x00\x00[]", 6)}) {
    auto raw = connect_raw();
    send(*raw, {{"hello", 1}, {"cookie", cookie()}});
    raw->stream->write(bytes);
    world_.run_until([&] { return raw->ended; });
    ASSERT_FALSE(raw->frames.empty());
    EXPECT_EQ(raw->frames.back()["error"]["code"], "invalid");
  }
  EXPECT_TRUE(call("team.list", {}));
}

TEST_F(ServerTest, BadRequestsAreAnswered) {
  create_alpha();
  auto raw = connect_raw();
  send(*raw, {{"hello", 1}, {"cookie", cookie()}});
  const std::vector<Json> requests = {
      {{"id", 1}},
      {{"id", 2}, {"op", 5}},
      {{"id", 3}, {"op", "mesage.send"}, {"key", "k"}},
      {{"id", 4}, {"op", "message.send"}},
      {{"id", 5}, {"op", "message.send"}, {"key", std::string(200, 'k')}},
      {{"id", 6}, {"op", "message.send"}, {"key", "k"}, {"args", 7}},
      {{"id", 7}, {"op", "message.wait"}, {"key", "k"}, {"args", {{"wait_ms", -1}}}},
      {{"id", 8}, {"op", "message.wait"}, {"key", "k"}, {"args", {{"wait_ms", "long"}}}},
      {{"id", 9}, {"op", "journal.read"}, {"args", {{"after", "x"}}}}};
  for (const auto& request : requests) send(*raw, request);
  world_.run_until([&] { return raw->frames.size() == requests.size() + 1; });
  for (std::size_t i = 1; i < raw->frames.size(); ++i)
    EXPECT_EQ(raw->frames[i]["error"]["code"], "invalid") << raw->frames[i];
  send(*raw, {{"op", "team.list"}});
  world_.run_until([&] { return raw->ended; });
}

TEST_F(ServerTest, SlowFramesHaveADeadline) {
  create_alpha();
  auto silent = connect_raw();
  auto slow = connect_raw();
  send(*slow, {{"hello", 1}, {"cookie", cookie()}});
  slow->stream->write(std::string_view("\x20\x00\x00\x00{", 5));
  world_.run_for(limits::kHelloDeadline + 3s);
  EXPECT_TRUE(silent->ended);
  EXPECT_FALSE(slow->ended);
  world_.run_for(limits::kFrameDeadline);
  EXPECT_TRUE(slow->ended);
}

TEST_F(ServerTest, AStoreThatCannotBeOpenedExplainsItself) {
  create_alpha();
  clients_.clear();
  ASSERT_TRUE(hubs_.kill());
  for (const auto& name : world_.disk().names()) world_.disk().replace(name, std::string(20'000, 'x'));
  const auto answer = call("team.list", {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::failed);
  EXPECT_NE(answer.error().what.find("damaged"), std::string::npos) << answer.error().what;
}

TEST_F(ServerTest, AFailedCommitIsToldAndEndsTheHub) {
  create_alpha();
  world_.disk().set_fault([](env::sim::DiskOperation operation, std::string_view) {
    return operation == env::sim::DiskOperation::write ? SQLITE_FULL : 0;
  });
  const auto full = call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "x"}});
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::unavailable);
  EXPECT_NE(full.error().what.find("full"), std::string::npos);
  world_.disk().set_fault(nullptr);
  world_.run_for(100ms);
  ASSERT_TRUE(call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "y"}}));
  EXPECT_EQ(hubs_.started(), 2);
  EXPECT_EQ(call("message.inbox", {{"team", "alpha"}, {"member", "tester"}})->at("messages").size(), 1U);
}

TEST_F(ServerTest, AnUnknownOutcomeIsSettledByTheNextHub) {
  create_alpha();
  bool broken = true;
  world_.disk().set_fault([&](env::sim::DiskOperation operation, std::string_view) {
    return broken && operation == env::sim::DiskOperation::sync ? SQLITE_IOERR_FSYNC : 0;
  });
  std::optional<Result<Json>> sent;
  client().call({"message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "x"}}, {}, {}},
                [&](Result<Json> answer) { sent = std::move(answer); });
  world_.run_until([&] { return hubs_.serving() == nullptr; });
  broken = false;
  world_.run_until([&] { return sent.has_value(); });
  EXPECT_TRUE(*sent);
  EXPECT_EQ(call("message.inbox", {{"team", "alpha"}, {"member", "tester"}})->at("messages").size(), 1U);
  world_.disk().set_fault(nullptr);
}

TEST_F(ServerTest, ManyRequestsShareACommit) {
  create_alpha();
  const auto before = call("hub.status", {})->at("commits").get<int>();
  int answered = 0;
  for (int i = 0; i < 200; ++i)
    client().call({"message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", std::to_string(i)}}, {}, {}},
                  [&](Result<Json> answer) {
                    ASSERT_TRUE(answer);
                    ++answered;
                  });
  world_.run_until([&] { return answered == 200; });
  EXPECT_LT(call("hub.status", {})->at("commits").get<int>() - before, 100);
  const Json messages = call("message.inbox", {{"team", "alpha"}, {"member", "tester"}})->at("messages");
  for (int i = 0; i < 200; ++i) EXPECT_EQ(messages[static_cast<std::size_t>(i)]["body"], std::to_string(i));
}

// A few that keep their queues full would fill every batch, if each began with the first.
TEST_F(ServerTest, ManyBusyClientsAreServedInTurns) {
  create_alpha();
  constexpr std::size_t kClients = 2 * limits::kBatchRequestsMax / limits::kBatchRequestsPerConnectionMax;
  constexpr int kInFlight = 1500;
  std::vector<int> answered(kClients);
  for (int i = 0; i < kInFlight; ++i)
    for (std::size_t each = 0; each < kClients; ++each)
      client("busy" + std::to_string(each))
          .call({"message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "x"}}, {}, {}},
                [&answered, each](auto&&) { ++answered[each]; });
  world_.run_until([&] { return *std::max_element(answered.begin(), answered.end()) >= kInFlight / 2; });
  EXPECT_GE(*std::min_element(answered.begin(), answered.end()), kInFlight / 4);
  world_.run_until([&] { return *std::min_element(answered.begin(), answered.end()) == kInFlight; });
}

TEST_F(ServerTest, CollectedGarbageIsGivenBackToTheDisk) {
  create_alpha();
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", std::string(10'000, 'x')}}));
  const auto bytes = [&] { return call("hub.status", {})->at("store").at("bytes").get<std::int64_t>(); };
  const auto before = bytes();
  ASSERT_TRUE(call("team.delete", {{"team", "alpha"}, {"force", true}}));
  ASSERT_TRUE(call("gc", {{"older_than_ms", 0}})->at("done"));
  EXPECT_LT(bytes(), before / 4);
  create_alpha();
  EXPECT_TRUE(call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", "x"}}));
  EXPECT_TRUE(call("store.check", {{"rebuild", true}})->at("ok"));
}

TEST_F(ServerTest, StopAnswersFirst) {
  create_alpha();
  EXPECT_TRUE(call("hub.stop", {})->at("stopping"));
  world_.run_for(100ms);
  EXPECT_EQ(hubs_.serving(), nullptr);
}

}  // namespace
}  // namespace teamster::hub
