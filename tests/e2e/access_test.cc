// Who may do what: cookie, tokens, epochs, and what other users of the machine can reach.
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "e2e/raw_connection.h"

namespace teamster::e2e {
namespace {

class Access : public testing::Test {
 protected:
  void SetUp() override {
    home_.create_team("alpha", {"builder", "tester"});
    home_.create_team("beta", {"builder"});
  }
  Words as_builder(Words words) {
    words.insert(words.end(), {"--token-file", home_.token_file("alpha", "builder")});
    return words;
  }
  // The token of the epoch that lives now, kept under another name.
  std::string keep_token(const std::string& team, const std::string& member) {
    const std::string copy = home_.scratch() + "/old-token";
    write_file(copy, read_file(home_.token_file(team, member)));
    ::chmod(copy.c_str(), 0600);
    return copy;
  }

  Home home_;
};

TEST_F(Access, ATokenActsAsItsMemberWithoutNamingIt) {
  home_.ok(as_builder({"message", "send", "--to", "tester", "hello"}));
  EXPECT_EQ(home_.inbox("alpha", "tester").at(0)["from"], "builder");
  home_.ok({"message", "send", "--to", "operator", "by environment"},
           {.environment = {"TEAMSTER_TOKEN_FILE=" + home_.token_file("alpha", "tester")}});
  EXPECT_EQ(home_.inbox("alpha", "operator").at(0)["from"], "tester");
  home_.ok(as_builder({"task", "create", "work"}));
  EXPECT_EQ(home_.ok(as_builder({"task", "claim"}))["task"]["owner"], "builder");
  EXPECT_EQ(home_.ok(as_builder({"team", "status"}))["team"], "alpha");
  EXPECT_EQ(home_.events("task.claimed").at(0)["actor"], "builder");
  home_.send("alpha", "builder", "tester", "spoken for");
  EXPECT_EQ(home_.events("message.sent").back()["actor"], "operator") << "who acts for another is recorded";
}

TEST_F(Access, ATokenCannotActAsAnotherOrElsewhere) {
  for (const Words& words :
       std::vector<Words>{{"message", "send", "--from", "tester", "--to", "builder", "forged"},
                          {"message", "send", "--from", "operator", "--to", "tester", "forged"},
                          {"message", "send", "--team", "beta", "--to", "builder", "forged"},
                          {"message", "broadcast", "--from", "tester", "forged"},
                          {"message", "inbox", "--member", "tester"},
                          {"message", "inbox", "--member", "operator"},
                          {"message", "wait", "--member", "tester", "--timeout", "100ms"},
                          {"message", "send", "--to", "tester", "--kind", "shutdown_request", "go"},
                          {"task", "create", "--team", "beta", "forged"},
                          {"task", "claim", "--member", "tester"},
                          {"task", "list", "--team", "beta"},
                          {"team", "status", "beta"}})
    EXPECT_EQ(home_.fails(3, as_builder(words)).code(), "refused");
  for (const char* member : {"tester", "operator", "builder"}) EXPECT_EQ(home_.inbox("alpha", member).size(), 0U);
  EXPECT_EQ(home_.inbox("beta", "builder").size(), 0U);
}

TEST_F(Access, WhatIsForTheOperatorIsRefusedToAMember) {
  for (const Words& words : std::vector<Words>{{"team", "list"},
                                               {"team", "create", "gamma", "--member", "x"},
                                               {"team", "join", "alpha", "--member", "x"},
                                               {"team", "leave", "alpha", "--member", "tester"},
                                               {"team", "delete", "alpha", "--force"},
                                               {"team", "delete", "alpha", "--shutdown"},
                                               {"team", "cleanup", "--yes"},
                                               {"log"},
                                               {"log", "alpha"},
                                               {"gc", "--older-than", "0s"},
                                               {"hub", "--status"},
                                               {"hub", "--stop"}})
    EXPECT_EQ(home_.fails(3, as_builder(words)).code(), "refused");
  auto member = RawConnection::of_member(home_, "alpha", "builder");
  for (const char* op : {"team.turn", "turn.get", "team.orphans", "store.check", "journal.read", "hub.status",
                         "hub.stop", "gc", "run.start", "run.lease", "run.append", "run.renew", "run.release",
                         "run.tell", "run.events", "run.list", "run.get"})
    EXPECT_EQ(error_code(member.call(
                  op, {{"team", "alpha"}, {"member", "tester"}, {"running", true}, {"older_than_ms", 0}}, op)),
              "refused")
        << op;
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 2U);
}

TEST_F(Access, NothingIsServedWithoutProof) {
  const auto refused = [&](const Json& first) {
    RawConnection connection(home_);
    connection.send(first);
    connection.send(
        {{"id", 7}, {"op", "team.create"}, {"key", "k"}, {"args", {{"team", "forged"}, {"members", {"x"}}}}});
    for (const auto& frame : connection.drain(15s))
      EXPECT_TRUE(frame.contains("error") && !frame.contains("id")) << frame;
  };
  refused({{"id", 1}, {"op", "team.list"}});
  refused({{"hello", 1}});
  refused({{"hello", 1}, {"cookie", ""}});
  refused({{"hello", 1}, {"cookie", std::string(64, '0')}});
  refused({{"hello", 1}, {"cookie", nullptr}, {"token", nullptr}});
  refused({{"hello", 1}, {"cookie", 5}});
  refused({{"hello", 1}, {"token", "tmst1.1.2.1." + std::string(64, '0')}});
  refused({{"hello", "1"}, {"cookie", trimmed(read_file(home_.file("cookie")))}});
  // A good token for another member, its signature kept.
  std::string token(trimmed(read_file(home_.token_file("alpha", "builder"))));
  const auto epoch = token.rfind('.', token.rfind('.') - 1);
  token[epoch - 1] = token[epoch - 1] == '3' ? '2' : '3';
  refused({{"hello", 1}, {"token", token}});
  RawConnection newer(home_);
  const Json answer = newer.ask({{"hello", 2}, {"cookie", trimmed(read_file(home_.file("cookie")))}});
  EXPECT_EQ(error_code(answer), "refused");
  EXPECT_NE(answer["error"]["what"].get<std::string>().find("1"), std::string::npos) << "names its own version";
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 2U) << "nothing was done";
}

TEST_F(Access, AConnectionThatSaysNothingIsEnded) {
  RawConnection silent(home_);
  RawConnection busy = RawConnection::of_operator(home_);
  EXPECT_TRUE(silent.ends_within(15s));
  EXPECT_EQ(busy.call("team.list", Json::object())["ok"]["teams"].size(), 2U) << "one that has said hello may stay";
}

TEST_F(Access, ABadTokenFileIsAClearError) {
  const auto outcome = [&](const std::string& file) {
    return home_.run({"message", "inbox", "--json", "--token-file", file});
  };
  const Outcome missing = outcome(home_.scratch() + "/none");
  EXPECT_EQ(missing.exit, 1) << missing;
  EXPECT_NE(missing.what().find("/none"), std::string::npos);
  write_file(home_.scratch() + "/empty", "");
  EXPECT_EQ(outcome(home_.scratch() + "/empty").exit, 1);
  write_file(home_.scratch() + "/garbage", std::string(3000, 'x'));
  EXPECT_EQ(outcome(home_.scratch() + "/garbage").exit, 3);
  EXPECT_NE(outcome(home_.scratch()).exit, 0);
  EXPECT_NE(outcome("/dev/zero").exit, 0);
}

TEST_F(Access, ATokenNeverStartsAHubButWaitsForOne) {
  home_.end_hub();
  Process member = home_.start(as_builder({"message", "send", "--to", "tester", "patience"}));
  // Long enough for a hub to be started, if it would.
  EXPECT_FALSE(eventually([&] { return !home_.hub_pids().empty() || !member.is_running(); }, 1s)) << member.err();
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 2U);
  ASSERT_EQ(member.wait(10s), 0) << member.err();
  EXPECT_EQ(home_.inbox("alpha", "tester").size(), 1U);
}

TEST_F(Access, WhatAnOlderEpochSendsIsRecordedAndHasNoEffect) {
  home_.ok({"task", "create", "--team", "alpha", "work"});
  const std::string old = keep_token("alpha", "builder");
  const auto claim = home_.ok({"task", "claim", "--token-file", old})["task"]["token"].get<std::string>();
  EXPECT_EQ(home_.ok({"team", "join", "alpha", "--member", "builder"})["member"]["epoch"], 2);
  const std::vector<Words> writes = {{"message", "send", "--to", "tester", "from the grave"},
                                     {"message", "broadcast", "from the grave"},
                                     {"message", "inbox"},
                                     {"message", "wait", "--timeout", "1s"},
                                     {"task", "create", "more"},
                                     {"task", "claim"},
                                     {"task", "update", "1", "--status", "completed", "--token", claim}};
  for (Words words : writes) {
    words.insert(words.end(), {"--token-file", old});
    const Outcome outcome = home_.fails(3, words);
    EXPECT_NE(outcome.what().find("epoch"), std::string::npos) << outcome;
  }
  const auto stale = home_.events("stale.refused");
  EXPECT_EQ(stale.size(), writes.size());
  for (const auto& event : stale) {
    EXPECT_EQ(event["team"], "alpha");
    EXPECT_EQ(event["body"]["member"], "builder");
    EXPECT_EQ(event["body"]["epoch"], 1);
  }
  EXPECT_EQ(home_.inbox("alpha", "tester").size(), 0U);
  EXPECT_EQ(home_.ok({"task", "get", "--team", "alpha", "1"})["task"]["status"], "pending");
  home_.ok(as_builder({"message", "send", "--to", "tester", "the new one speaks"}));

  const std::string second = keep_token("alpha", "builder");
  home_.ok({"team", "leave", "alpha", "--member", "builder"});
  EXPECT_EQ(home_.fails(3, {"message", "send", "--to", "tester", "x", "--token-file", second}).code(), "refused");
  EXPECT_EQ(home_.inbox("alpha", "tester").size(), 1U);
}

TEST_F(Access, AnotherUserReachesNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  if (const auto reason = why_not_as_nobody(); !reason.empty()) GTEST_SKIP() << reason;
  ASSERT_EQ(::chmod(home_.scratch().c_str(), 0755), 0);
  const auto as_nobody = [&](const Words& words) {
    Start start{.command = {TEAMSTER_BINARY}, .environment = {"TEAMSTER_HOME=" + home_.path()}, .uid = kNobody};
    start.command.insert(start.command.end(), words.begin(), words.end());
    Process process(start);
    const int exit = process.wait().value_or(-1);
    EXPECT_NE(process.err().find(home_.path()), std::string::npos) << process.err();
    const bool says_why = process.err().find("belongs to root") != std::string::npos ||
                          process.err().find("ermission") != std::string::npos;
    EXPECT_TRUE(says_why) << process.err();
    return exit;
  };
  EXPECT_EQ(as_nobody({"team", "list"}), 3);
  EXPECT_EQ(as_nobody({"message", "inbox", "--token-file", home_.token_file("alpha", "builder")}), 3);
  EXPECT_EQ(home_.hub_pids().size(), 1U);

  // Even with the directories open, secrets and socket are their owner's alone.
  for (const auto& place :
       {home_.path(), home_.file("teams"), home_.file("teams/alpha"), home_.file("teams/alpha/builder")})
    ASSERT_EQ(::chmod(place.c_str(), 0755), 0) << place;
  EXPECT_EQ(as_nobody({"team", "list"}), 3);
  EXPECT_EQ(as_nobody({"message", "inbox", "--token-file", home_.token_file("alpha", "builder")}), 3);
}

TEST(AccessOfAUser, FilesArePrivateForANormalUserToo) {
  if (const auto reason = why_not_as_nobody(); !reason.empty()) GTEST_SKIP() << reason;
  const Home home(::geteuid() == 0 ? std::optional(kNobody) : std::nullopt);
  home.create_team("alpha", {"builder"});
  home.send("alpha", "operator", "builder", "private");
  EXPECT_EQ(mode_of(home.path()), 0700U);
  for (const char* name : {"cookie", "hub.sock", "hub.lock", "hub.log", "teams/alpha/builder/token"})
    EXPECT_EQ(mode_of(home.file(name)) & 0777U, 0600U) << name;
  for (const char* name : {"teams", "teams/alpha", "teams/alpha/builder"})
    EXPECT_EQ(mode_of(home.file(name)), 0700U) << name;
  EXPECT_EQ(home.ok({"doctor"})["score"], 100);
}

}  // namespace
}  // namespace teamster::e2e
