// The hub's socket under peers that break the protocol, are slow, greedy or many. After each
// test the hub that was there before still serves, and its store is in order.
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "e2e/raw_connection.h"

namespace teamster::e2e {
namespace {

class Protocol : public testing::Test {
 protected:
  void SetUp() override {
    home_.create_team("alpha", {"builder", "tester"});
    hub_ = home_.hub_pid();
  }
  void TearDown() override {
    EXPECT_TRUE(home_.store_is_sound());
    EXPECT_EQ(home_.hub_pid(), hub_) << "the hub died\n" << read_file(home_.file("hub.log"));
  }
  void expect_served() { EXPECT_EQ(home_.ok({"team", "list"}, {.limit = 10s})["teams"].size(), 1U); }

  Home home_;
  pid_t hub_ = 0;
};

std::string deep(const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += open;
  text += "1";
  for (int i = 0; i < 100000; ++i) text += close;
  return text;
}

TEST_F(Protocol, BrokenFramesEndTheConnectionWithAnError) {
  const std::vector<std::string> broken = {std::string("\xff\xff\xff\xff", 4),
                                           std::string("\0\0\0\0", 4),
                                           std::string("\x01\0\x80\0", 4),
                                           frame_of("not json"),
                                           frame_of("[]"),
                                           frame_of("7"),
                                           frame_of("{\"a\":"),
                                           frame_of("{}trailing"),
                                           frame_of("{\"id\":1,\"op\":\"\xff\"}"),
                                           frame_of(std::string("\0\0\0\0", 4)),
                                           frame_of(deep("[", "]")),
                                           frame_of(deep("{\"a\":", "}")),
                                           frame_of("{\"id\":1,\"op\":\"team.list\",\"args\":" + deep("[", "]") + "}"),
                                           "GET / HTTP/1.1\r\nHost: x\r\n\r\n"};
  for (const auto& bytes : broken) {
    for (const bool after_hello : {false, true}) {
      RawConnection connection = after_hello ? RawConnection::of_operator(home_) : RawConnection(home_);
      connection.send_bytes(bytes);
      const auto frames = connection.drain(15s);
      ASSERT_EQ(frames.size(), 1U) << bytes.substr(0, 40);
      EXPECT_TRUE(frames[0].contains("error")) << frames[0];
      EXPECT_TRUE(connection.ends_within(5s));
    }
  }
  expect_served();
}

TEST_F(Protocol, ATruncatedFrameHarmsNobody) {
  for (const std::string& bytes :
       {std::string("\x10"), std::string("\x10\0\0\0", 4), frame_of("{\"hello\":1}").substr(0, 9)}) {
    RawConnection connection(home_);
    connection.send_bytes(bytes);
    connection.finish_sending();
    EXPECT_TRUE(connection.ends_within(15s));
  }
  RawConnection half = RawConnection::of_operator(home_);
  half.send_bytes(
      frame_of(R"({"id":1,"op":"task.create","key":"k","args":{"team":"alpha","subject":"half"}})").substr(0, 30));
  { const RawConnection gone = std::move(half); }
  EXPECT_EQ(home_.ok({"task", "list", "--team", "alpha"})["tasks"].size(), 0U);
}

TEST_F(Protocol, ASlowPeerIsServedAndHoldsUpNobody) {
  RawConnection slow = RawConnection::of_operator(home_);
  const std::string frame = frame_of(R"({"id":5,"op":"hub.status"})");
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ASSERT_TRUE(slow.send_bytes(frame.substr(i, 1)));
    std::this_thread::sleep_for(100ms);  // the point of this test
    if (i == frame.size() / 2) expect_served();
  }
  const auto answer = slow.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ((*answer)["id"], 5);
  EXPECT_EQ((*answer)["ok"]["pid"], hub_);
}

std::map<std::string, Json> operations_on_teams() {
  return {{"team.create", {{"team", "gamma"}, {"members", {"x"}}, {"owner_pid", 1}}},
          {"team.join", {{"team", "alpha"}, {"member", "late"}}},
          {"team.leave", {{"team", "alpha"}, {"member", "nobody-there"}, {"reason", "r"}}},
          {"team.turn", {{"team", "alpha"}, {"member", "tester"}, {"running", true}}},
          {"turn.get", {{"team", "alpha"}, {"prompt", "w-1/build.1"}}},
          {"team.status", {{"team", "alpha"}}},
          {"team.shutdown", {{"team", "nowhere"}, {"reason", "r"}, {"deadline_ms", 1}}},
          {"team.delete", {{"team", "nowhere"}, {"force", true}}},
          {"message.send",
           {{"team", "alpha"},
            {"from", "builder"},
            {"to", "tester"},
            {"body", "b"},
            {"kind", "message"},
            {"summary", "s"},
            {"priority", "normal"}}},
          {"message.broadcast",
           {{"team", "alpha"},
            {"from", "builder"},
            {"body", "b"},
            {"kind", "signal"},
            {"summary", "s"},
            {"priority", "normal"}}},
          {"message.inbox",
           {{"team", "alpha"}, {"member", "tester"}, {"all", true}, {"mark", "seen"}, {"after", 0}, {"limit", 1}}},
          {"message.wait", {{"team", "alpha"}, {"member", "builder"}, {"mark", "seen"}, {"limit", 1}, {"wait_ms", 1}}},
          {"message.ack", {{"team", "alpha"}, {"member", "tester"}, {"ids", {1}}, {"mark", "acted"}}},
          {"message.receipt", {{"team", "alpha"}, {"id", 4}}},
          {"task.create",
           {{"team", "alpha"},
            {"subject", "s"},
            {"description", "d"},
            {"blocked_by", Json::array()},
            {"metadata", Json::object()}}},
          {"task.list", {{"team", "alpha"}, {"status", "pending"}, {"owner", "tester"}, {"after", 0}, {"limit", 1}}},
          {"task.get", {{"team", "alpha"}, {"id", 1}}},
          {"task.claim", {{"team", "alpha"}, {"member", "tester"}, {"id", 1}, {"wait_ms", 1}}},
          {"task.update",
           {{"team", "alpha"},
            {"id", 1},
            {"token", "t"},
            {"status", "failed"},
            {"subject", "s"},
            {"description", "d"},
            {"metadata", Json::object()},
            {"add_blocked_by", {1}},
            {"member", "tester"}}},
          {"journal.read", {{"after", 0}, {"team", "alpha"}, {"limit", 1}, {"wait_ms", 1}}},
          {"store.check", {{"rebuild", false}}},
          {"gc", {{"older_than_ms", 1000000}, {"dry_run", true}}},
          {"no.such.operation", {{"team", "alpha"}}},
          {"", {{"team", "alpha"}}}};
}

std::map<std::string, Json> operations_on_runs() {
  const char* run = "w-20261116-1a2b";
  const Json holder = {{"pid", 1}, {"start", 1}, {"boot", "b"}};
  return {{"run.start",
           {{"run", run}, {"workflow", "w"}, {"key", "k"}, {"holder", holder}, {"seconds", 1}, {"body", {{"a", 1}}}}},
          {"run.lease", {{"run", run}, {"holder", holder}, {"seconds", 1}}},
          {"run.append",
           {{"run", run}, {"lease", 1}, {"after", 1}, {"records", Json::parse(R"([{"kind":"a.b","body":{}}])")}}},
          {"run.renew", {{"run", run}, {"lease", 1}, {"seconds", 1}}},
          {"run.release", {{"run", run}, {"lease", 1}}},
          {"run.tell", {{"run", run}, {"what", "cancel"}, {"body", {{"a", 1}}}}},
          {"run.events", {{"run", run}, {"after", 0}, {"limit", 1}, {"from_others", true}, {"wait_ms", 1}}},
          {"run.list", {{"all", true}, {"after", 0}, {"limit", 1}}},
          {"run.get", {{"run", run}}}};
}

// Good arguments of each operation, to be spoilt one by one. None of them stops the hub.
std::map<std::string, Json> operations() {
  auto all = operations_on_runs();
  all.merge(operations_on_teams());
  return all;
}

TEST_F(Protocol, WrongTypesInEveryFieldAreAnsweredAndNeverABug) {
  const std::vector<Json> values = {nullptr,
                                    true,
                                    0,
                                    -1,
                                    1.5,
                                    1e300,
                                    INT64_MAX,
                                    INT64_MIN,
                                    UINT64_MAX,
                                    "",
                                    "x",
                                    std::string(5000, 'y'),
                                    Json::array(),
                                    Json({1, "x", nullptr}),
                                    Json({-1}),
                                    Json({INT64_MAX}),
                                    Json::object(),
                                    Json({{"a", {{"b", 1}}}})};
  RawConnection connection = RawConnection::of_operator(home_);
  std::int64_t id = 0;
  for (const auto& [op, args] : operations()) {
    for (const auto& [field, good] : args.items()) {
      for (const auto& value : values) {
        Json spoilt = args;
        spoilt[field] = value;
        const Json request = {{"id", ++id}, {"op", op}, {"key", fmt::format("w{}", id)}, {"args", spoilt}};
        const Json answer = connection.ask(request);
        ASSERT_TRUE(answer.is_object()) << "no answer to " << request;
        ASSERT_EQ(answer["id"], id) << answer;
        EXPECT_NE(error_code(answer), "internal") << request << answer;
        EXPECT_NE(error_code(answer), "unavailable") << request << answer;
        EXPECT_TRUE(answer.contains("ok") != answer.contains("error"));
      }
    }
  }
}

TEST_F(Protocol, WrongTypesInTheEnvelopeAreErrors) {
  const std::vector<Json> values = {nullptr,       true,           -1,    1.5,        "",
                                    Json::array(), Json::object(), 1e300, UINT64_MAX, std::string(5000, 'k')};
  for (const char* field : {"id", "op", "key", "args"}) {
    for (const auto& value : values) {
      RawConnection connection = RawConnection::of_operator(home_);
      Json request = {{"id", 3}, {"op", "task.create"}, {"key", "e"}, {"args", {{"team", "none"}, {"subject", "s"}}}};
      request[field] = value;
      EXPECT_TRUE(connection.ask(request).contains("error")) << request;
      request.erase(field);
      if (connection.send(request)) (void)connection.receive(5s);
    }
  }
  RawConnection twice = RawConnection::of_operator(home_);
  EXPECT_TRUE(twice.ask({{"hello", 1}, {"cookie", "x"}}).contains("error")) << "a hello is no request";
  expect_served();
}

TEST_F(Protocol, OneIdForTwoRequestsHarmsNobodyElse) {
  RawConnection connection = RawConnection::of_operator(home_);
  connection.send({{"id", 1},
                   {"op", "message.wait"},
                   {"key", "a"},
                   {"args", {{"team", "alpha"}, {"member", "tester"}, {"wait_ms", 300}}}});
  connection.send({{"id", 1}, {"op", "team.list"}});
  const auto frames = connection.drain(1s);
  EXPECT_GE(frames.size(), 1U);
  expect_served();
}

TEST_F(Protocol, FiveThousandPipelinedRequestsAreAllAnswered) {
  constexpr int kRequests = 5000;
  RawConnection connection = RawConnection::of_operator(home_);
  std::thread writer([&] {
    std::string bytes;
    for (int i = 0; i < kRequests; ++i)
      bytes += frame_of(
          Json({{"id", i},
                {"op", "message.send"},
                {"key", fmt::format("p{}", i)},
                {"args", {{"team", "alpha"}, {"from", "builder"}, {"to", "tester"}, {"body", std::to_string(i)}}}})
              .dump());
    EXPECT_TRUE(connection.send_bytes(bytes));
  });
  std::vector<int> answers(kRequests, 0);
  std::vector<std::string> acknowledged;
  for (int i = 0; i < kRequests; ++i) {
    const auto answer = connection.receive(30s);
    if (!answer || !answer->contains("id")) {
      ADD_FAILURE() << "answer " << i << " did not come: " << answer.value_or(Json());
      break;
    }
    const int id = (*answer)["id"];
    ++answers.at(static_cast<std::size_t>(id));
    if (answer->contains("ok"))
      acknowledged.push_back(std::to_string(id));
    else
      EXPECT_EQ(error_code(*answer), "refused") << *answer;  // more in flight than the limit
  }
  writer.join();
  for (const int count : answers) ASSERT_EQ(count, 1);
  EXPECT_GE(acknowledged.size(), 4096U);
  std::vector<std::string> stored;
  for (const auto& message : home_.inbox("alpha", "tester")) stored.push_back(message["body"]);
  EXPECT_EQ(stored.size(), acknowledged.size());
  EXPECT_TRUE(std::is_sorted(stored.begin(), stored.end(),
                             [](const auto& a, const auto& b) { return std::stoi(a) < std::stoi(b); }));
}

// The most memory that a process has had, in bytes.
std::int64_t peak_memory(pid_t pid) {
  const std::string status = read_file(fmt::format("/proc/{}/status", pid));
  const auto at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::stoll(status.substr(at + 6)) * 1024;
}

TEST_F(Protocol, AClientThatNeverReadsCostsBoundedMemoryAndTime) {
  ASSERT_EQ(
      home_.run({"message", "send", "--team", "alpha", "--to", "tester", "-"}, {.input = std::string(1024 * 1024, 'x')})
          .exit,
      0);
  std::vector<RawConnection> greedy;
  for (int c = 0; c < 2; ++c) {
    greedy.push_back(RawConnection::of_operator(home_));
    std::string bytes;
    for (int i = 0; i < 200; ++i)
      bytes += frame_of(Json({{"id", i},
                              {"op", "message.inbox"},
                              {"key", fmt::format("{}.{}", c, i)},
                              {"args", {{"team", "alpha"}, {"member", "tester"}, {"all", true}}}})
                            .dump());
    ASSERT_TRUE(greedy.back().send_bytes(bytes));
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) expect_served();
  const auto took = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - begin);
  std::printf("3 commands beside it took %lld ms; the hub has had %lld MiB\n", static_cast<long long>(took.count()),
              static_cast<long long>(peak_memory(hub_) >> 20));
  // Two connections may each have 32 MiB of answers unsent.
  EXPECT_LT(peak_memory(hub_), 250'000'000);
}

TEST_F(Protocol, ManyIdleConnectionsLeaveRoomForCommands) {
  constexpr rlim_t kConnections = 1200;  // more than the usual soft limit of descriptors
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < kConnections + 100) GTEST_SKIP() << "only " << limit.rlim_max << " descriptors are allowed";
  const rlimit more{std::max(limit.rlim_cur, kConnections + 100), limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &more), 0);
  {
    std::vector<RawConnection> idle;
    for (rlim_t i = 0; i < kConnections; ++i) {
      idle.push_back(RawConnection::of_operator(home_));
      if (!idle.back().is_open() || HasFailure()) break;
    }
    expect_served();
    EXPECT_GE(home_.ok({"hub", "--status"})["connections"], kConnections);
    home_.send("alpha", "builder", "tester", "through the crowd");
  }
  ::setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(eventually([&] { return home_.ok({"hub", "--status"})["connections"] < 10; }));
}

}  // namespace
}  // namespace teamster::e2e
