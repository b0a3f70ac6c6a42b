// The commands around agents: what they refuse and why, the shapes of their documents, hosts
// in the foreground, and the command driver.
#include <sys/stat.h>

#include <csignal>
#include <sstream>

#include "e2e/hosted_agent.h"

namespace teamster::e2e {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class AgentCommands : public testing::Test {
 protected:
  AgentCommands() {
    agent_.script(R"([[{"say":"hi"}]])"_json);
    script_ = agent_.home().scratch() + "/play.json";
  }
  // teamster agent start in the foreground, for `builder` of `alpha`.
  Words start_words(const Words& more) const {
    Words words = {"agent", "start", "--team", "alpha", "--member", "builder", "--cwd", agent_.work()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Outcome refused(int exit, const Words& more, const Words& environment = {}) {
    return agent_.home().fails(exit, start_words(more), {.environment = environment});
  }
  std::string file(const std::string& name, const std::string& content) {
    write_file(agent_.home().scratch() + "/" + name, content);
    return agent_.home().scratch() + "/" + name;
  }

  HostedAgent agent_{"script"};
  std::string script_;
};

TEST_F(AgentCommands, AMistakeIsToldBeforeAnythingStarts) {
  EXPECT_TRUE(has(refused(2, {"--driver", "clode"}).next(), "claude"));
  EXPECT_TRUE(has(refused(2, {"--driver", "script"}).next(), "--script"));
  EXPECT_TRUE(has(refused(2, {"--driver", "command"}).next(), "--"));
  EXPECT_TRUE(has(refused(2, {"--driver", "script", "--script", script_, "--allow", "Bash("}).next(), "Bash(git *)"));
  EXPECT_TRUE(has(refused(2, {"--driver", "script", "--script", script_, "--deny", "(x)"}).what(), "rule"));
  EXPECT_TRUE(has(refused(2, {"--driver", "script", "--script", script_, "--auth", "file"}).what(), "--auth-file"));
  EXPECT_TRUE(has(refused(2, {"--driver", "script", "--script", script_, "--auth-file", "x"}).what(), "--auth file"));
  EXPECT_EQ(refused(2, {"--driver", "script", "--script", script_, "--auth", "magic"}).exit, 2);
  EXPECT_TRUE(has(refused(2, {"--driver", "script", "--script", script_, "--once"}).next(), "--prompt"));
  const std::string bad = file("bad.json", R"({"type":"strnig"})");
  EXPECT_TRUE(has(refused(2, {"--driver", "script", "--script", script_, "--prompt", "x", "--schema", bad}).what(),
                  "bad.json"));
  EXPECT_EQ(agent_.home()
                .fails(2, {"agent", "start", "--team", "alpha", "--member", "builder", "--driver", "script", "--script",
                           script_, "--cwd", "/nonexistent"})
                .exit,
            2);
  EXPECT_EQ(agent_.home().ok({"team", "status", "alpha"})["members"][0]["epoch"], 1) << "nobody joined";
}

TEST_F(AgentCommands, WhatCannotRunLeavesAnErrorAndNoMember) {
  const Outcome missing = refused(1, {"--driver", "claude"}, {"TEAMSTER_CLAUDE=/nonexistent/claude"});
  EXPECT_TRUE(has(missing.next(), "TEAMSTER_CLAUDE")) << missing;
  const Outcome program = refused(1, {"--driver", "command", "--", "no-such-program"});
  EXPECT_TRUE(has(program.what(), "no-such-program")) << program;
  const Outcome secret = refused(2, {"--driver", "script", "--script", script_, "--secret", "NPM_TOKEN"});
  EXPECT_TRUE(has(secret.what(), "NPM_TOKEN")) << secret;
  const Outcome key =
      refused(1, {"--driver", "script", "--script", script_, "--auth", "file", "--auth-file", "/nonexistent"});
  EXPECT_TRUE(has(key.what(), "/nonexistent")) << key;
  const Json members = agent_.home().ok({"team", "status", "alpha"})["members"];
  for (const auto& member : members) EXPECT_FALSE(member.value("running", false)) << member;
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
}

TEST_F(AgentCommands, AScriptThatCannotBePlayedIsNamed) {
  const Outcome missing =
      refused(1, {"--driver", "script", "--script", "/nonexistent/play.json", "--prompt", "x", "--once"});
  EXPECT_TRUE(has(missing.out + missing.err, "/nonexistent/play.json")) << missing;
  const Outcome wrong =
      refused(1, {"--driver", "script", "--script", file("typo.json", R"({"turns":[{"steps":[{"sya":"x"}]}]})"),
                  "--prompt", "x", "--once"});
  EXPECT_TRUE(has(wrong.out + wrong.err, "/turns/0/steps/0")) << "names the place: " << wrong;
}

TEST_F(AgentCommands, ADetachedStartThatFailsSaysWhy) {
  const Outcome failed = refused(1, {"--detach", "--driver", "command", "--", "no-such-program"});
  EXPECT_TRUE(has(failed.what(), "no-such-program")) << failed;
  // Found out by the host that was started.
  const Outcome secret = refused(1, {"--detach", "--driver", "script", "--script", script_, "--secret", "NPM_TOKEN"});
  EXPECT_TRUE(has(secret.what(), "NPM_TOKEN is not set")) << secret;
}

TEST_F(AgentCommands, AMemberCannotStartAgents) {
  const Outcome refused_to_member =
      agent_.home().fails(3, start_words({"--driver", "script", "--script", script_, "--token-file",
                                          agent_.home().token_file("alpha", "tester")}));
  EXPECT_TRUE(has(refused_to_member.what(), "member")) << refused_to_member;
  const Outcome schema = agent_.home().fails(
      3, {"agent", "start", "--team", "alpha", "--member", "builder", "--driver", "script", "--script", script_},
      {.environment = {"TEAMSTER_TOKEN_FILE=" + agent_.home().token_file("alpha", "builder")}});
  EXPECT_EQ(schema.code(), "refused");
}

TEST_F(AgentCommands, OneHostPerMember) {
  const Json started = agent_.start();
  const Outcome second = refused(3, {"--driver", "script", "--script", script_});
  EXPECT_TRUE(has(second.what(), std::to_string(started["host_pid"].get<int>()))) << second;
  EXPECT_TRUE(has(second.next(), "agent stop")) << second;
  EXPECT_EQ(agent_.say("still there?").exit, 0);
}

TEST_F(AgentCommands, NobodyToTalkTo) {
  const Outcome say = agent_.home().fails(3, {"agent", "say", "--team", "alpha", "--member", "builder", "x"});
  EXPECT_TRUE(has(say.next(), "agent start"));
  EXPECT_EQ(agent_.home().inbox("alpha", "builder").size(), 0U) << "it was not sent";
  EXPECT_TRUE(
      has(agent_.home().fails(1, {"agent", "attach", "--team", "alpha", "--member", "builder"}).next(), "agent start"));
  EXPECT_EQ(agent_.home().ok({"agent", "list"})["agents"], Json::array());
  EXPECT_EQ(agent_.home().fails(1, {"agent", "list", "--team", "nowhere"}).exit, 1);
  EXPECT_NE(agent_.home().run({"agent", "stop", "--team", "nowhere", "--member", "builder"}).exit, 0);
}

TEST_F(AgentCommands, TheirDocuments) {
  const Json started = agent_.start({"--model", "tiny"});
  ASSERT_TRUE(started.is_object());
  EXPECT_EQ(started["team"], "alpha");
  EXPECT_EQ(started["members"][0]["name"], "builder");
  EXPECT_EQ(started["members"][0]["driver"], "script");
  EXPECT_EQ(started["members"][0]["epoch"], 2);
  const Outcome said = agent_.say("hello");
  for (const char* key : {"id", "turn", "text", "usage"}) EXPECT_TRUE(said.json.contains(key)) << key;
  EXPECT_FALSE(said.json.contains("error"));
  const Json listed = agent_.listed();
  for (const char* key : {"team", "member", "driver", "state", "epoch", "host_pid", "agent_pid", "directory", "turns",
                          "unread", "usage", "model"})
    EXPECT_TRUE(listed.contains(key)) << key;
  EXPECT_EQ(listed["directory"], agent_.work());
  EXPECT_EQ(listed["model"], "tiny");
  EXPECT_EQ(listed["host_pid"], started["host_pid"]);
  const Json drivers = agent_.home().ok({"agent", "drivers"});
  ASSERT_EQ(drivers["drivers"].size(), 3U);
  for (const auto& driver : drivers["drivers"]) {
    for (const char* key : {"name", "summary", "installed", "program", "version", "problem", "abilities"})
      EXPECT_TRUE(driver.contains(key)) << key;
    for (const char* key : {"injects", "interrupts", "resumes", "has_tools", "asks", "costs"})
      EXPECT_TRUE(driver["abilities"].contains(key)) << key;
  }
  const Json stopped = agent_.home().ok({"agent", "stop", "--team", "alpha", "--member", "builder"});
  EXPECT_EQ(stopped["stopped"], true);
  EXPECT_EQ(stopped["released"], Json::array());
  EXPECT_EQ(agent_.listed()["state"], "gone");
}

TEST_F(AgentCommands, StoppingAMemberThatNeverRanDoesNotEndItsEpoch) {
  const Words stop = {"agent", "stop", "--team", "alpha", "--member", "builder"};
  const auto builder = [&] { return agent_.home().ok({"team", "status", "alpha"})["members"][0]; };
  agent_.home().ok({"task", "create", "--team", "alpha", "build"});
  agent_.home().ok({"task", "claim", "--team", "alpha", "--member", "builder"});
  EXPECT_NE(agent_.home().fails(3, stop).next().find("team leave alpha --member builder"), std::string::npos);
  EXPECT_EQ(builder()["state"], "live");
  EXPECT_EQ(builder()["epoch"], 1);
  EXPECT_EQ(agent_.home().ok({"task", "get", "--team", "alpha", "1"})["task"]["owner"], "builder");
  // Nor does an agent of an earlier epoch make one of this.
  agent_.start();
  agent_.home().ok(stop);
  EXPECT_EQ(builder()["state"], "gone");
  agent_.home().ok({"team", "join", "alpha", "--member", "builder"});
  agent_.home().fails(3, stop);
  EXPECT_EQ(builder()["state"], "live");
}

TEST_F(AgentCommands, ADirectoryHasNoSlashAtItsEnd) {
  agent_.home().ok({"agent", "start", "--detach", "--team", "alpha", "--member", "builder", "--driver", "script",
                    "--script", script_, "--cwd", agent_.work() + "//"});
  EXPECT_EQ(agent_.listed()["directory"], agent_.work());
}

TEST_F(AgentCommands, DriversTellWhatIsInstalledAndWhatIsNot) {
  const auto claude = [&](const std::string& program) {
    const Json drivers =
        agent_.home().ok({"agent", "drivers"}, {.environment = {"TEAMSTER_CLAUDE=" + program}})["drivers"];
    for (const auto& driver : drivers)
      if (driver["name"] == "claude") return driver;
    return Json();
  };
  const Json there = claude(agent_.home().scratch() + "/claude");
  EXPECT_EQ(there["installed"], true) << there;
  EXPECT_TRUE(has(there["version"], "2.1.")) << there;
  const Json missing = claude("/nonexistent/claude");
  EXPECT_EQ(missing["installed"], false);
  EXPECT_FALSE(missing["problem"].get<std::string>().empty());
  const std::string broken = file("broken", "#!/bin/sh\necho cannot find node >&2\nexit 3\n");
  ::chmod(broken.c_str(), 0755);
  EXPECT_TRUE(has(claude(broken)["problem"], "cannot find node")) << claude(broken);
}

TEST_F(AgentCommands, AttachShowsTheTranscriptAndGoesOnUntilTheEnd) {
  agent_.script(R"([[{"say":"first answer"}],[{"say":"second answer"}]])"_json);
  agent_.start();
  agent_.say("one");
  const Outcome shown = agent_.home().run({"agent", "attach", "--team", "alpha", "--member", "builder", "--no-follow"});
  EXPECT_EQ(shown.exit, 0);
  EXPECT_TRUE(has(shown.out, "first answer")) << shown;
  EXPECT_TRUE(has(shown.out, "turn 1 done")) << shown;
  Process follower = agent_.home().start({"agent", "attach", "--team", "alpha", "--member", "builder", "--json"});
  ASSERT_TRUE(eventually([&] { return has(follower.out(), "first answer"); }));
  agent_.say("two");
  EXPECT_TRUE(eventually([&] { return has(follower.out(), "second answer"); })) << follower.out();
  EXPECT_TRUE(follower.is_running());
  agent_.home().ok({"agent", "stop", "--team", "alpha", "--member", "builder"});
  EXPECT_EQ(follower.wait(10s), 0) << follower.out();
  std::istringstream lines(follower.out());
  for (std::string line; std::getline(lines, line);) {
    const Json entry = Json::parse(line, nullptr, false);
    ASSERT_TRUE(entry.is_object()) << line;
    for (const char* key : {"at", "kind", "turn"}) EXPECT_TRUE(entry.contains(key)) << line;
  }
}

TEST_F(AgentCommands, CtrlCLeavesAnAttachedAgentAlone) {
  agent_.start();
  Process follower = agent_.home().start({"agent", "attach", "--team", "alpha", "--member", "builder"});
  ASSERT_TRUE(eventually([&] { return has(follower.out(), "started"); })) << follower.out();
  follower.kill(SIGINT);
  EXPECT_EQ(follower.wait(10s), 0);
  EXPECT_EQ(agent_.say("still there?").exit, 0);
}

TEST_F(AgentCommands, OnceRunsAPromptInTheForeground) {
  agent_.script(
      R"([[{"run":"pwd"},{"say":"It is {\"score\":3}"}],[{"say":"no JSON"}],[{"say":"no JSON"}],[{"error":{"status":401}}]])"_json);
  const std::string schema = file("score.json", R"({"type":"object","required":["score"]})");
  const Words base = {"--driver", "script", "--script", script_, "--once"};
  const auto once = [&](const Words& more) {
    Words words = base;
    words.insert(words.end(), more.begin(), more.end());
    return agent_.home().run(start_words(words));
  };
  const Outcome good = once({"--prompt", "rate it", "--schema", schema, "--json"});
  EXPECT_EQ(good.exit, 0) << good;
  EXPECT_EQ(good.json["members"][0]["result"], Json({{"score", 3}})) << good;
  const Outcome wrong = once({"--prompt", "rate it", "--schema", schema});
  EXPECT_EQ(wrong.exit, 1) << wrong;
  EXPECT_TRUE(has(wrong.out, "there is no JSON in the answer")) << wrong;
  const Outcome refused_login = once({"--prompt", "x", "--json"});
  EXPECT_EQ(refused_login.exit, 1) << refused_login;
  EXPECT_TRUE(has(refused_login.json["members"][0].value("error", ""), "401")) << refused_login;
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
}

TEST_F(AgentCommands, CtrlCStopsAHostInTheForeground) {
  agent_.script(R"([[{"say":"busy"},{"run":"sleep 600"}]])"_json);
  Process host = agent_.home().start(start_words({"--driver", "script", "--script", script_, "--prompt", "work"}));
  ASSERT_TRUE(eventually([&] { return has(host.out(), "sleep 600"); })) << host.out() << host.err();
  host.kill(SIGINT);
  EXPECT_EQ(host.wait(15s), 0) << host.out() << host.err();
  EXPECT_TRUE(has(host.out(), "gone")) << host.out();
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
  EXPECT_NE(agent_.home().ok({"team", "status", "alpha"})["members"][0]["state"], "live");
}

class AgentCommand : public testing::Test {
 protected:
  void start(const std::string& script, const Words& more = {}) {
    Words words = more;
    words.insert(words.end(), {"--", "/bin/sh", "-c", script});
    agent_.start(words);
  }
  HostedAgent agent_{"command"};
};

TEST_F(AgentCommand, GetsThePromptAndItsOutputIsTheAnswer) {
  start("cat; pwd; echo $TMPDIR");
  const Outcome said = agent_.say("count these words");
  ASSERT_EQ(said.exit, 0) << said;
  const std::string text = said.json["text"];
  EXPECT_TRUE(has(text, "count these words"));
  EXPECT_TRUE(has(text, "from=\"operator\""));
  EXPECT_TRUE(has(text, agent_.work() + "\n")) << "it runs where it was told to";
  EXPECT_TRUE(has(text, "/tmp")) << text;
}

TEST_F(AgentCommand, AnExitCodeIsAFailedTurnWithItsReason) {
  start("cat >/dev/null; echo half; echo the reason >&2; exit 7");
  const Outcome failed = agent_.say("x");
  EXPECT_EQ(failed.exit, 1) << failed;
  EXPECT_TRUE(has(failed.json["error"], "code 7")) << failed;
  EXPECT_TRUE(has(failed.json["error"], "the reason")) << failed;
  EXPECT_EQ(failed.json["text"], "half\n");
  EXPECT_EQ(agent_.listed()["state"], "failing");
}

TEST_F(AgentCommand, OutputOverTheLimitIsCutOff) {
  start("exec yes");
  const Outcome failed = agent_.say("x");
  EXPECT_EQ(failed.exit, 1) << failed.exit;
  EXPECT_TRUE(has(failed.json["error"], "16777216")) << failed.json["error"];
  EXPECT_TRUE(eventually([&] { return agent_.processes().size() == 1; })) << agent_.leftovers();
}

TEST_F(AgentCommand, AnAnswerWithAShapeIsMendedByRunningItAgain) {
  const std::string schema = agent_.home().scratch() + "/score.json";
  write_file(schema, R"({"type":"object","required":["score"]})");
  start(R"(grep -q 'JSON only' && echo '{"score":1}' || echo 'one, I think')");
  const Outcome said = agent_.say("rate it", {"--schema", schema});
  ASSERT_EQ(said.exit, 0) << said;
  EXPECT_EQ(said.json["result"], Json({{"score", 1}}));
}

TEST_F(AgentCommand, AnInterruptEndsTheRun) {
  start("read line; case $(cat) in *stop*) echo stopped;; *) exec sleep 600;; esac");
  agent_.tell("work");
  ASSERT_TRUE(agent_.is_working());
  const Outcome said = agent_.say("stop", {"--interrupt"});
  ASSERT_EQ(said.exit, 0) << said;
  EXPECT_EQ(said.json["text"], "stopped\n");
}

TEST_F(AgentCommand, ASilentOneIsCut) {
  start("cat > /dev/null; exec sleep 600", {"--silence", "200ms"});
  const Outcome failed = agent_.say("x");
  EXPECT_EQ(failed.exit, 1) << failed;
  EXPECT_TRUE(has(failed.json["error"], "said nothing")) << failed;
}

}  // namespace
}  // namespace teamster::e2e
