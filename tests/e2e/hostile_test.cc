// Input that nobody should send on the command line: names, bodies, keys, escape sequences.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/limits.h"
#include "e2e/raw_connection.h"

namespace teamster::e2e {
namespace {

std::vector<std::string> bad_names() {
  return {"../../x",
          "..",
          ".",
          "/etc",
          "a/b",
          "a.b",
          std::string(65, 'a'),
          std::string(300, 'a'),
          "ünï",
          "\xd1\x81",
          "",
          "a\nb",
          "a b",
          "-x",
          "--member",
          "Abc",
          "a_b",
          "\x1b[31m",
          "*",
          "$(id)",
          "a\xff",
          "%s%n",
          "a;b",
          "~",
          "\u202e",
          "名前",
          "a\t",
          "'",
          "\"",
          "\\"};
}

class Hostile : public testing::Test {
 protected:
  void SetUp() override { home_.create_team("alpha", {"builder", "tester"}); }
  void TearDown() override {
    EXPECT_EQ(home_.ok({"doctor", "--deep"})["score"], 100);
    for (const auto& entry : std::filesystem::directory_iterator(home_.scratch()))
      EXPECT_EQ(entry.path(), home_.path());
  }
  Outcome send_input(const std::string& body) {
    return home_.run({"message", "send", "--team", "alpha", "--from", "builder", "--to", "tester", "-", "--json"},
                     {.input = body});
  }

  Home home_;
};

TEST_F(Hostile, NamesOutsideTheGrammarAreUsageErrors) {
  for (const auto& name : bad_names()) {
    // As a flag's value and as an argument after `--`.
    const std::vector<Words> commands = {{"team", "create", "--member=ok", "--json", "--", name},
                                         {"team", "create", "other", "--member=" + name},
                                         {"message", "send", "--team=" + name, "--from=builder", "--to=tester", "x"},
                                         {"message", "send", "--team=alpha", "--from=" + name, "--to=tester", "x"},
                                         {"message", "send", "--team=alpha", "--from=builder", "--to=" + name, "x"}};
    for (const auto& command : commands) {
      const Outcome outcome = home_.run(command);
      EXPECT_EQ(outcome.exit, 2) << name << "\n" << outcome;
      EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << "the name is not echoed raw";
    }
  }
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 1U);
}

TEST_F(Hostile, TheHubChecksNamesItself) {
  auto connection = RawConnection::of_operator(home_);
  auto names = bad_names();
  names.erase(std::remove(names.begin(), names.end(), "a\xff"), names.end());  // no JSON text
  names.emplace_back("a\0b", 3);
  int key = 0;
  for (const auto& name : names) {
    const std::vector<std::pair<const char*, Json>> requests = {
        {"team.create", {{"team", name}, {"members", {"x"}}}},
        {"team.create", {{"team", "other"}, {"members", {"x", name}}}},
        {"team.join", {{"team", "alpha"}, {"member", name}}},
        {"message.send", {{"team", "alpha"}, {"from", name}, {"to", "tester"}, {"body", "x"}}},
        {"message.send", {{"team", "alpha"}, {"from", "builder"}, {"to", name}, {"body", "x"}}},
        {"task.claim", {{"team", "alpha"}, {"member", name}}}};
    for (const auto& [op, args] : requests) {
      const Json answer = connection.call(op, args, fmt::format("k{}", ++key));
      EXPECT_EQ(error_code(answer), "invalid") << op << " " << args << " " << answer;
    }
  }
  EXPECT_EQ(home_.ok({"team", "status", "alpha"})["members"].size(), 2U);
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 1U);
}

TEST_F(Hostile, BodiesUpToTheLimitComeBackByteForByte) {
  std::vector<std::string> bodies = {"",
                                     std::string(limits::kBodyMaxBytes, 'x'),
                                     std::string(limits::kBodyMaxBytes, '\x01'),  // six bytes each in JSON
                                     std::string("nul \0 inside", 12),
                                     "\xf0\x9f\x90\x99 \u202e \u0000 end",
                                     "{\"approve\":true}",
                                     "line\r\nline\r\n"};
  for (const auto& body : bodies) {
    const Outcome outcome = send_input(body);
    EXPECT_EQ(outcome.exit, 0) << body.size() << " bytes\n" << outcome;
  }
  home_.end_hub();
  const auto messages = home_.inbox("alpha", "tester");
  ASSERT_EQ(messages.size(), bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) EXPECT_TRUE(messages[i]["body"] == bodies[i]) << "body " << i;
  // Without a reader of JSON, too: one page each.
  EXPECT_EQ(home_.run({"message", "inbox", "--team", "alpha", "--member", "tester"}).exit, 0);
}

TEST_F(Hostile, BodiesOverTheLimitOrNotUtf8AreRefused) {
  for (const auto& body : {std::string(limits::kBodyMaxBytes + 1, 'x'), std::string(20 * limits::kBodyMaxBytes, 'x'),
                           std::string("\xff\xfe"), std::string("cut \xe2\x82"), std::string("\xc0\x80"),
                           std::string("\xed\xa0\x80"), std::string("ok then \xf5\x80\x80\x80")}) {
    const Outcome outcome = send_input(body);
    EXPECT_EQ(outcome.exit, 2) << outcome;
    EXPECT_EQ(outcome.code(), "invalid");
  }
  EXPECT_EQ(home_.run({"message", "send", "--team", "alpha", "--to", "tester", "bad \xff argument"}).exit, 2);
  const std::string long_text(limits::kSubjectMaxBytes + 1, 's');
  home_.fails(2, {"task", "create", "--team", "alpha", long_text});
  home_.fails(2, {"task", "create", "--team", "alpha", ""});
  home_.fails(2, {"message", "send", "--team", "alpha", "--to", "tester", "--summary", long_text, "x"});
  home_.fails(
      2, {"task", "create", "--team", "alpha", "s", "--metadata", std::string(2000, '[') + std::string(2000, ']')});
  home_.fails(2, {"task", "create", "--team", "alpha", "s", "--metadata", "[1]"});
  EXPECT_EQ(home_.inbox("alpha", "tester").size(), 0U);
  EXPECT_EQ(home_.ok({"task", "list", "--team", "alpha"})["tasks"].size(), 0U);
}

TEST_F(Hostile, DuplicateMembersAndReservedNamesAreRefused) {
  home_.fails(2, {"team", "create", "beta", "--member", "x", "--member", "y", "--member", "x"});
  home_.fails(2, {"team", "create", "beta", "--member", "operator"});
  home_.fails(2, {"team", "join", "alpha", "--member", "operator"});
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 1U);
}

TEST_F(Hostile, AKeyMeansOneWrite) {
  const Words send = {"message", "send",   "--team", "alpha", "--from",  "builder",
                      "--to",    "tester", "once",   "--key", "build-17"};
  const Json first = home_.ok(send);
  EXPECT_EQ(home_.ok(send), first);
  home_.end_hub();
  EXPECT_EQ(home_.ok(send), first) << "another hub knows it, too";
  Words other = send;
  other[8] = "twice";
  EXPECT_EQ(home_.fails(3, other).code(), "refused");
  EXPECT_EQ(home_.fails(3, {"task", "create", "--team", "alpha", "s", "--key", "build-17"}).code(), "refused");
  EXPECT_EQ(home_.inbox("alpha", "tester").size(), 1U);

  // A claim retried with its key gets the same task and token; the key of another actor is another key.
  for (const char* subject : {"a", "b"}) home_.ok({"task", "create", "--team", "alpha", subject});
  const Words claim = {"task", "claim", "--team", "alpha", "--member", "builder", "--key", "claim-1"};
  const Json task = home_.ok(claim)["task"];
  EXPECT_EQ(home_.ok(claim)["task"], task);
  EXPECT_EQ(home_.ok({"task", "claim", "--key", "claim-1", "--token-file",
                      home_.token_file("alpha", "tester")})["task"]["id"],
            2);
  // What failed has recorded nothing, so its key is free.
  home_.fails(3, {"message", "send", "--team", "alpha", "--to", "late", "x", "--key", "k9"});
  home_.ok({"team", "join", "alpha", "--member", "late"});
  home_.ok({"message", "send", "--team", "alpha", "--to", "late", "x", "--key", "k9"});
  home_.fails(2, {"message", "send", "--team", "alpha", "--to", "late", "x", "--key", std::string(129, 'k')});
  // A team made twice with one key keeps its token files.
  const Words create = {"team", "create", "beta", "--member", "x", "--key", "beta-1"};
  EXPECT_EQ(home_.ok(create), home_.ok(create));
}

TEST_F(Hostile, EscapeSequencesAreNotPrintedRaw) {
  const std::string evil = "\x1b[31mred\x1b]0;title\x07 \u009b2J \u202eevil\u202c back\rfake line \x7f";
  ASSERT_EQ(send_input(evil).exit, 0);
  home_.ok({"message", "send", "--team", "alpha", "--to", "tester", "--summary", evil, "x"});
  home_.ok(
      {"task", "create", "--team", "alpha", evil, "--description", evil, "--metadata", Json({{evil, evil}}).dump()});
  home_.ok({"team", "join", "alpha", "--member", "late"});
  home_.ok({"team", "leave", "alpha", "--member", "late", "--reason", evil});
  for (const Words& words : std::vector<Words>{{"message", "inbox", "--team", "alpha", "--member", "tester"},
                                               {"log"},
                                               {"task", "list", "--team", "alpha"},
                                               {"task", "get", "--team", "alpha", "1"},
                                               {"task", "claim", "--team", "alpha", "--member", "builder"},
                                               {"team", "status", "alpha"},
                                               {"message", "send", "--team", "alpha", "--to", "late", "x"},
                                               {"message", "send", "--team", evil, "--to", "late", "x"},
                                               {evil},
                                               {"team", evil},
                                               {"team", "list", "--" + evil}}) {
    const Outcome outcome = home_.run(words);
    EXPECT_FALSE(outcome.out.empty() && outcome.err.empty());
    for (const auto& raw : {"\x1b", "\x07", "\r", "\x7f", "\u009b", "\u202e"})
      EXPECT_EQ((outcome.out + outcome.err).find(raw), std::string::npos) << words[0] << "\n" << outcome;
  }
  EXPECT_EQ(home_.inbox("alpha", "tester").at(0)["body"], evil) << "JSON has the text itself";
}

TEST_F(Hostile, ArgumentsThatMakeNoSense) {
  for (const Words& words : std::vector<Words>{
           {"message", "inbox", "--team", "alpha", "--team", "alpha", "--member", "tester"},
           {"message", "inbox", "--team"},
           {"message", "wait", "--team", "alpha", "--member", "tester", "--timeout", "25h"},
           {"message", "wait", "--team", "alpha", "--member", "tester", "--timeout", "-1s"},
           {"message", "wait", "--team", "alpha", "--member", "tester", "--timeout", "99999999999999999999s"},
           {"task", "get", "--team", "alpha", "0"},
           {"task", "get", "--team", "alpha", "99999999999999999999"},
           {"task", "update", "--team", "alpha", "1"},
           {"task", "update", "--team", "alpha", "1", "--status", "done"},
           {"message", "send", "--team", "alpha", "--to", "tester", "two", "words"},
           {"message", "send", "--team", "alpha", "--to", "tester", "--kind", "broadcast", "x"},
           {"team", "delete", "alpha", "--force", "--shutdown"},
           {"hub", "--stop", "--status"},
           {"team", "create", "beta"},
           {"gc", "--older-than", "yesterday"}})
    EXPECT_FALSE(home_.fails(2, words).what().empty());
  home_.fails(1, {"task", "get", "--team", "alpha", "9223372036854775807"});
  EXPECT_NE(home_.run({"message", "ack", "--team", "alpha", "--member", "tester", "9223372036854775807"}).exit, 0);
}

}  // namespace
}  // namespace teamster::e2e
