// The surface that scripts rely on, as real commands: documents, keys, exit codes.
#include <regex>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

TEST(Surface, TeamCreateNamesMembersEpochsAndTokenFiles) {
  const Home home;
  const Json answer = home.ok({"team", "create", "alpha", "--member", "builder", "--member", "tester"});
  EXPECT_EQ(answer["team"], "alpha");
  ASSERT_EQ(answer["members"].size(), 2U);
  EXPECT_EQ(answer["members"][0]["name"], "builder");
  EXPECT_EQ(answer["members"][1]["name"], "tester");
  for (const auto& member : answer["members"]) {
    EXPECT_EQ(member["epoch"], 1);
    const auto file = member["token_file"].get<std::string>();
    EXPECT_EQ(mode_of(file), 0600U) << file;
    EXPECT_FALSE(read_file(file).empty());
  }
  EXPECT_EQ(mode_of(home.path()), 0700U);
  EXPECT_EQ(mode_of(home.file("cookie")), 0600U);
  EXPECT_EQ(mode_of(home.file("hub.sock")), 0600U);
  EXPECT_EQ(home.fails(3, {"team", "create", "alpha", "--member", "x"}).code(), "refused");
}

TEST(Surface, AMessageGoesFromQueuedToActed) {
  const Home home;
  home.create_team("alpha", {"builder", "tester"});
  const Json sent = home.ok({"message", "send", "--team", "alpha", "--from", "builder", "--to", "tester", "text"});
  EXPECT_EQ(sent["receipt"], "queued");
  const auto id = sent["id"].get<std::int64_t>();
  const auto receipt = [&] {
    return home.ok({"message", "receipt", "--team", "alpha", std::to_string(id)})["message"];
  };
  EXPECT_EQ(receipt()["receipt"], "queued");

  const auto messages = home.inbox("alpha", "tester");
  ASSERT_EQ(messages.size(), 1U);
  const Json& message = messages[0];
  EXPECT_EQ(message["id"], id);
  EXPECT_EQ(message["from"], "builder");
  EXPECT_EQ(message["to"], "tester");
  EXPECT_EQ(message["kind"], "message");
  EXPECT_EQ(message["body"], "text");
  EXPECT_EQ(message["receipt"], "delivered");
  EXPECT_TRUE(
      std::regex_match(message["sent"].get<std::string>(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)")));
  EXPECT_EQ(receipt()["receipt"], "delivered");

  EXPECT_EQ(home.inbox("alpha", "tester", {"--mark", "seen"}).at(0)["receipt"], "seen");
  EXPECT_EQ(home.inbox("alpha", "tester").size(), 1U) << "seen is not yet acted on";
  EXPECT_EQ(home.ok({"message", "ack", "--team", "alpha", "--member", "tester", std::to_string(id)})["acknowledged"],
            Json({id}));
  EXPECT_EQ(receipt()["receipt"], "acted");
  EXPECT_TRUE(home.inbox("alpha", "tester").empty());
  EXPECT_EQ(home.inbox("alpha", "tester", {"--all"}).at(0)["receipt"], "acted");
  EXPECT_EQ(home.inbox("alpha", "tester", {"--all", "--mark", "seen"}).at(0)["receipt"], "acted")
      << "receipts only go forward";
  EXPECT_FALSE(receipt().contains("body"));
}

TEST(Surface, TheInboxIsOldestFirstAndStdinIsABody) {
  const Home home;
  home.create_team("alpha", {"builder", "tester"});
  for (const char* text : {"one", "two"}) home.send("alpha", "builder", "tester", text);
  home.ok({"message", "send", "--team", "alpha", "--from", "builder", "--to", "tester", "-"},
          {.input = "three\nlines\n"});
  const auto messages = home.inbox("alpha", "tester", {"--all", "--mark", "acted"});
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0]["body"], "one");
  EXPECT_EQ(messages[1]["body"], "two");
  EXPECT_EQ(messages[2]["body"], "three\nlines\n");
  EXPECT_EQ(messages[2]["receipt"], "acted");
}

TEST(Surface, WaitReturnsWhatIsQueuedOrIsWokenByALaterSend) {
  const Home home;
  home.create_team("alpha", {"builder", "tester"});
  const Words wait = {"message", "wait", "--team", "alpha", "--member", "tester", "--timeout"};
  const auto with = [&](const char* time) {
    Words words = wait;
    words.emplace_back(time);
    return words;
  };
  const Outcome late = home.fails(1, with("100ms"));
  EXPECT_EQ(late.json["messages"], Json::array());
  home.send("alpha", "builder", "tester", "first");
  EXPECT_EQ(home.ok(with("30s"))["messages"].at(0)["receipt"], "delivered");
  home.fails(1, with("50ms"));

  Words parked = with("50s");
  parked.emplace_back("--json");
  Process waiter = home.start(parked);
  ASSERT_TRUE(eventually([&] { return home.ok({"hub", "--status"})["parked"] == 1; }));
  home.send("alpha", "builder", "tester", "later");
  ASSERT_EQ(waiter.wait(10s), 0) << waiter.err();
  EXPECT_EQ(Json::parse(waiter.out())["messages"].at(0)["body"], "later");
}

TEST(Surface, TasksAreCreatedClaimedAndCompleted) {
  const Home home;
  home.create_team("alpha", {"builder", "tester"});
  const Json first = home.ok({"task", "create", "--team", "alpha", "subject", "--description", "D"})["task"];
  EXPECT_EQ(first["id"], 1);
  EXPECT_EQ(first["status"], "pending");
  EXPECT_EQ(first["description"], "D");
  const Json second =
      home.ok({"task", "create", "--team", "alpha", "next", "--blocked-by", "1", "--metadata", R"({"a":1})"})["task"];
  EXPECT_EQ(second["blocked_by"], Json({1}));
  EXPECT_EQ(second["metadata"], Json({{"a", 1}}));

  const Json claimed = home.ok({"task", "claim", "--team", "alpha", "--member", "builder"})["task"];
  EXPECT_EQ(claimed["id"], 1);
  EXPECT_EQ(claimed["owner"], "builder");
  EXPECT_EQ(claimed["status"], "in_progress");
  const Outcome none = home.fails(1, {"task", "claim", "--team", "alpha", "--member", "tester"});
  EXPECT_TRUE(none.json.contains("task") && none.json["task"].is_null()) << none;
  EXPECT_EQ(home.fails(3, {"task", "claim", "--team", "alpha", "--member", "tester", "1"}).code(), "refused");
  EXPECT_EQ(home.fails(3, {"task", "update", "--team", "alpha", "1", "--status", "completed"}).code(), "refused");
  const auto token = claimed["token"].get<std::string>();
  const Json done =
      home.ok({"task", "update", "--team", "alpha", "1", "--status", "completed", "--token", token})["task"];
  EXPECT_EQ(done["status"], "completed");
  EXPECT_EQ(home.ok({"task", "claim", "--team", "alpha", "--member", "tester", "2"})["task"]["id"], 2);
  EXPECT_EQ(home.ok({"task", "list", "--team", "alpha", "--status", "completed"})["tasks"].size(), 1U);
  EXPECT_EQ(home.ok({"task", "get", "--team", "alpha", "2"})["task"]["waiting_for"], Json::array());
  home.fails(1, {"task", "get", "--team", "alpha", "99"});
}

TEST(Surface, ExitCodesAndErrorDocuments) {
  const Home home;
  home.create_team("alpha", {"builder"});
  home.fails(2, {"message", "send", "--team", "alpha", "hello"});
  home.fails(2, {"message", "inbox", "--team", "alpha", "--member", "builder", "--mark", "eaten"});
  home.fails(2, {"message", "wait", "--team", "alpha", "--member", "builder", "--timeout", "soon"});
  home.fails(2, {"task", "get", "--team", "alpha", "one"});
  home.fails(3, {"message", "send", "--team", "alpha", "--to", "nobody", "hello"});
  home.fails(1, {"team", "status", "omega"});
  const Outcome refused = home.fails(3, {"message", "send", "--team", "omega", "--to", "x", "hello"});
  EXPECT_EQ(refused.code(), "refused");
  EXPECT_NE(refused.what().find("omega"), std::string::npos);
  EXPECT_FALSE(refused.next().empty());
  EXPECT_NE(refused.err.find("omega"), std::string::npos) << "the same for people, on stderr";
  const Outcome bare = home.run({});
  EXPECT_EQ(bare.exit, 2);
  EXPECT_NE(bare.out.find("message"), std::string::npos);
}

TEST(Surface, DidYouMean) {
  const Home home;
  const auto hint = [&](const Words& words) { return home.fails(2, words).next(); };
  EXPECT_NE(hint({"mesage", "send"}).find("message"), std::string::npos);
  EXPECT_NE(hint({"message", "snd"}).find("send"), std::string::npos);
  EXPECT_NE(hint({"team", "create", "a", "--membr", "x"}).find("--member"), std::string::npos);
  EXPECT_TRUE(home.hub_pids().empty()) << "a usage error starts no hub";
}

TEST(Surface, EveryCommandExplainsItself) {
  const Home home;
  const Outcome overview = home.run({"--help"});
  EXPECT_EQ(overview.exit, 0);
  const std::vector<Words> commands = {{"team", "create"},
                                       {"team", "join"},
                                       {"team", "leave"},
                                       {"team", "list"},
                                       {"team", "status"},
                                       {"team", "delete"},
                                       {"team", "cleanup"},
                                       {"message", "send"},
                                       {"message", "broadcast"},
                                       {"message", "inbox"},
                                       {"message", "wait"},
                                       {"message", "ack"},
                                       {"message", "receipt"},
                                       {"task", "create"},
                                       {"task", "list"},
                                       {"task", "get"},
                                       {"task", "claim"},
                                       {"task", "update"},
                                       {"log"},
                                       {"doctor"},
                                       {"gc"},
                                       {"hub"},
                                       {"completion"},
                                       {"help"}};
  for (const auto& command : commands) {
    Words words = command;
    words.emplace_back("--help");
    const Outcome help = home.run(words);
    EXPECT_EQ(help.exit, 0) << help;
    EXPECT_NE(help.out.find("teamster " + command[0]), std::string::npos) << help;
    EXPECT_NE(help.out.find("xample"), std::string::npos) << help;
    EXPECT_TRUE(help.err.empty()) << help;
    Words as_verb = {"help"};
    as_verb.insert(as_verb.end(), command.begin(), command.end());
    EXPECT_EQ(home.run(as_verb).out, help.out);
  }
  for (const char* word : {"team", "message", "task"}) {
    EXPECT_EQ(home.run({word, "--help"}).exit, 0);
    EXPECT_EQ(home.run({word}).exit, 2);
  }
  EXPECT_EQ(home.run({"--version"}).out.rfind("teamster ", 0), 0U);
  EXPECT_TRUE(home.hub_pids().empty());
}

TEST(Surface, CompletionScriptsAreMadeForEachShell) {
  const Home home;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = home.run({"completion", shell});
    EXPECT_EQ(script.exit, 0);
    EXPECT_NE(script.out.find("complete -- "), std::string::npos) << "it asks the program";
  }
  EXPECT_EQ(home.run({"complete", "--", "message", "b"}).out,
            "broadcast\tSend a message to every live member but the sender\n");
  EXPECT_EQ(home.run({"completion", "tcsh"}).exit, 2);
}

TEST(Surface, TheLogShowsEventsInOrderWithoutClaimTokens) {
  const Home home;
  home.create_team("alpha", {"builder"});
  home.create_team("beta", {"builder"});
  home.ok({"task", "create", "--team", "alpha", "T"});
  const auto token =
      home.ok({"task", "claim", "--team", "alpha", "--member", "builder"})["task"]["token"].get<std::string>();
  const Outcome all = home.fails(0, {"log"});
  std::int64_t last = 0;
  for (const auto& event : all.json["events"]) {
    EXPECT_GT(event["seq"], last);
    last = event["seq"];
    for (const char* field : {"at", "kind", "team", "actor", "body"}) EXPECT_TRUE(event.contains(field)) << event;
  }
  EXPECT_GE(last, 6);
  EXPECT_EQ(all.out.find(token), std::string::npos);
  for (const Json log = home.ok({"log", "beta"}); const auto& event : log["events"]) EXPECT_EQ(event["team"], "beta");
  EXPECT_EQ(home.ok({"log", "--limit", "2"})["events"].size(), 2U);
  EXPECT_EQ(home.ok({"log", "--after", std::to_string(last)})["events"].size(), 0U);
  EXPECT_EQ(home.events("task.claimed").size(), 1U);

  Process follower = home.start({"log", "--follow", "--json", "--after", std::to_string(last)});
  home.send("alpha", "builder", "operator", "news");
  ASSERT_TRUE(eventually([&] { return follower.out().find("news") != std::string::npos; })) << follower.err();
  EXPECT_TRUE(follower.is_running());
}

}  // namespace
}  // namespace teamster::e2e
