// The scripted agent when it goes wrong on purpose, is treated badly, or dies and comes back.
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "e2e/fixture.h"
#include "e2e/scripted_agent.h"

namespace teamster::e2e {
namespace {

constexpr const char* kFaultyId = "56d2c8ef-1414-4528-88f8-409469726c6f";

// A command that runs until it is killed, and says its pid when it has begun.
constexpr const char* kForever = R"({"run":"echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 1000"})";

pid_t pid_in(const AgentPlace& place, const std::string& name = "pid") {
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(place.file(name)); })) << name;
  return static_cast<pid_t>(std::atoi(read_file(place.file(name)).c_str()));
}

bool is_alive(pid_t pid) { return pid > 0 && !has_ended(pid, 0ms); }

struct Life {
  std::vector<Json> lines;
  int exit = -1;
};

// One process, one prompt, until it has gone or given its result.
Life live(const AgentPlace& place, const Words& flags, const std::string& prompt) {
  ScriptedAgent agent(place, flags);
  agent.say(prompt);
  agent.close_input();
  agent.drain();
  return {agent.seen, agent.wait().value_or(-1)};
}

TEST(ScriptFaults, ACrashIsResumedBehindIt) {
  const AgentPlace place;
  place.turn(R"({"append":{"path":"log","text":"1"}},{"usage":{"input_tokens":10,"cost_usd":0.25}},{"say":"before"},
      {"crash":{"exit":7}},{"append":{"path":"log","text":"2"}},{"crash":{"signal":9}},
      {"append":{"path":"log","text":"3"}},{"say":"after {{TURN}}: {{HEARD}}"})");
  const Life first = live(place, {"--session-id", kFaultyId}, "one");
  EXPECT_EQ(first.exit, 7);
  EXPECT_EQ(first.lines.back()["message"]["content"][0]["text"], "before") << "all of it was printed";
  EXPECT_EQ(live(place, {"--resume", kFaultyId}, "two").exit, 128 + SIGKILL);
  const Life last = live(place, {"--resume", kFaultyId}, "three");
  EXPECT_EQ(last.exit, 0);
  EXPECT_EQ(last.lines.back()["result"], "after 3: one\ntwo\nthree");
  EXPECT_EQ(last.lines.back()["usage"]["input_tokens"], 10) << "of the whole turn";
  EXPECT_EQ(last.lines.back()["total_cost_usd"], 0.25);
  EXPECT_EQ(read_file(place.file("log")), "123") << "no step was done twice";
}

TEST(ScriptFaults, ASessionCanBeKilledAnywhereAndGoesOn) {
  const AgentPlace place;
  place.turn(
      R"({"append":{"path":"log","text":"1"}},{"run":"echo $$ > pid.tmp; mv pid.tmp pid; [ -e go ] || exec sleep 1000"},
      {"append":{"path":"log","text":"2"}},{"say":"done"})");
  {
    ScriptedAgent agent(place, {"--session-id", kFaultyId});
    agent.say("one");
    const pid_t command = pid_in(place);
    agent.kill(SIGKILL);
    EXPECT_EQ(agent.wait(), 128 + SIGKILL);
    EXPECT_TRUE(is_alive(command)) << "as with the real one, it stays behind";
  }
  write_file(place.file("go"), "");
  const Life life = live(place, {"--resume", kFaultyId}, "two");
  EXPECT_EQ(life.lines.back()["result"], "done");
  EXPECT_EQ(read_file(place.file("log")), "12");
}

TEST(ScriptFaults, SigtermEndsItAndItsCommand) {
  const AgentPlace place;
  place.turn(kForever);
  ScriptedAgent agent(place);
  agent.say("x");
  const pid_t command = pid_in(place);
  agent.kill(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_TRUE(has_ended(command));
  agent.drain();
  for (const auto& line : agent.seen) EXPECT_NE(line["type"], "result");
}

TEST(ScriptFaults, OtherSignals) {
  const AgentPlace place;
  place.turn(kForever);
  ScriptedAgent idle(place);
  idle.control({{"subtype", "initialize"}});
  idle.until("control_response");
  idle.kill(SIGINT);
  EXPECT_EQ(idle.wait(), 0);
  ScriptedAgent busy(place);
  busy.say("x");
  const pid_t command = pid_in(place);
  busy.kill(SIGINT);
  EXPECT_EQ(busy.result()["terminal_reason"], "aborted_tools");
  EXPECT_EQ(busy.wait(), 0);
  EXPECT_TRUE(has_ended(command));
}

TEST(ScriptFaults, BadInputEndsIt) {
  const AgentPlace place;
  place.turn(kForever);
  for (const char* line : {"not json\n", "{\"type\":\"user\"}\n", "{\"type\":\"control_request\"}\n"}) {
    ScriptedAgent agent(place);
    agent.write(line);
    EXPECT_EQ(agent.wait(), 1) << line;
    EXPECT_FALSE(agent.err().empty()) << line;
    EXPECT_TRUE(agent.line().is_null()) << line;
  }
  ScriptedAgent agent(place);
  agent.say("x");
  const pid_t command = pid_in(place);
  agent.write("not json\n");
  EXPECT_EQ(agent.wait(), 1);
  EXPECT_TRUE(agent.err().starts_with("Error parsing streaming input line")) << agent.err();
  EXPECT_TRUE(has_ended(command));
}

TEST(ScriptFaults, StrangeInputIsIgnored) {
  const AgentPlace place;
  place.turn(R"({"say":"a"})");
  ScriptedAgent agent(place);
  agent.write("\n[1]\n\"x\"\n{\"type\":\"nonsense\"}\n{}\n");
  agent.say(std::string(3 * 1024 * 1024, 'x'));
  EXPECT_EQ(agent.result()["result"], "a") << "a long prompt, too";
}

TEST(ScriptFaults, SessionsAreThereOnceAndOnlyWhenSpokenTo) {
  const AgentPlace place;
  place.turn(R"({"say":"a"})");
  ScriptedAgent unknown(place, {"--resume", kFaultyId});
  EXPECT_EQ(unknown.wait(), 1);
  EXPECT_EQ(unknown.err(), std::string("No conversation found with session ID: ") + kFaultyId + "\n");
  EXPECT_EQ(unknown.line()["errors"][0], std::string("No conversation found with session ID: ") + kFaultyId);
  {
    ScriptedAgent never(place, {"--session-id", kFaultyId});
    never.close_input();
    EXPECT_EQ(never.wait(), 0);
  }
  EXPECT_EQ(live(place, {"--session-id", kFaultyId}, "x").exit, 0) << "it was never spoken to";
  ScriptedAgent again(place, {"--session-id", kFaultyId});
  EXPECT_EQ(again.wait(), 1);
  EXPECT_EQ(again.err(), std::string("Error: Session ID ") + kFaultyId + " is already in use.\n");
}

TEST(ScriptFaults, ADamagedSessionIsNamed) {
  const AgentPlace place;
  place.turn(R"({"say":"a"})");
  EXPECT_EQ(live(place, {"--session-id", kFaultyId}, "x").exit, 0);
  std::ofstream(place.file("sessions/" + std::string(kFaultyId) + ".jsonl"), std::ios::app) << "rubbish\n";
  ScriptedAgent agent(place, {"--resume", kFaultyId});
  EXPECT_EQ(agent.wait(), 1);
  EXPECT_NE(agent.err().find("is damaged: line 5"), std::string::npos) << agent.err();
}

TEST(ScriptFaults, AFailedRequestIsASuccessThatIsAnError) {
  const AgentPlace place;
  place.turn(R"({"error":{"status":529,"message":"busy","retries":2}})");
  ScriptedAgent agent(place);
  agent.say("x", "u1");
  const Json result = agent.result();
  EXPECT_EQ(result["subtype"], "success");
  EXPECT_EQ(result["is_error"], true);
  EXPECT_EQ(result["terminal_reason"], "api_error");
  EXPECT_EQ(result["api_error_status"], 529);
  int retries = 0;
  for (const auto& line : agent.seen) retries += line.value("subtype", "") == "api_retry" ? 1 : 0;
  EXPECT_EQ(retries, 2);
  EXPECT_EQ(agent.line()["state"], "cancelled");
  EXPECT_TRUE(agent.is_running());
}

TEST(ScriptFaults, GarbageAndHalfLines) {
  const AgentPlace place;
  place.turn(R"({"garble":"}{ not json"},{"partial":"{\"type\":\"assi"},{"say":"a"},{"say":"b"})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.line();
  EXPECT_EQ(agent.raw_line(), "}{ not json");
  const auto glued = agent.raw_line();
  ASSERT_TRUE(glued);
  EXPECT_TRUE(glued->starts_with(R"({"type":"assi{)")) << *glued;
  EXPECT_EQ(agent.result()["result"], "b");
}

TEST(ScriptFaults, AHalfLineMayBeTheLastThingItSays) {
  const AgentPlace place;
  place.turn(R"({"partial":"{\"type\":\"resu"},{"crash":{"exit":1}})");
  ScriptedAgent agent(place);
  agent.say("x");
  EXPECT_EQ(agent.wait(), 1);
  agent.drain();
  EXPECT_EQ(agent.seen.size(), 1U) << "the init; the rest is no line";
}

// More than a pipe holds: it waits for its reader and loses nothing, also when it dies right after.
TEST(ScriptFaults, AHugeLineComesWhole) {
  const AgentPlace place;
  place.turn(R"({"huge":{"bytes":10485760}},{"crash":{"exit":3}})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.line();
  const auto huge = agent.raw_line();
  ASSERT_TRUE(huge);
  EXPECT_GT(huge->size(), 10485760U);
  EXPECT_EQ(Json::parse(*huge)["message"]["content"][0]["text"].get<std::string>().size(), 10485760U);
  EXPECT_EQ(agent.wait(), 3);
}

TEST(ScriptFaults, AReaderThatGoesDoesNotLeaveItBehind) {
  const AgentPlace place;
  place.turn(R"({"huge":{"bytes":10485760}},{"say":"a"})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.line();
  agent.close_output();
  agent.close_input();
  EXPECT_TRUE(agent.wait());
}

TEST(ScriptFaults, AMuteOneLivesOnInSilence) {
  const AgentPlace place;
  place.turn(R"({"say":"a"},{"mute":{}},{"say":"never"})");
  ScriptedAgent agent(place, {"--session-id", kFaultyId});
  agent.say("x");
  agent.until("assistant");
  const std::string session = place.file("sessions/" + std::string(kFaultyId) + ".jsonl");
  ASSERT_TRUE(eventually([&] { return read_file(session).find(R"("step":1)") != std::string::npos; })) << "it is mute";
  agent.say("y", "u2");
  agent.control({{"subtype", "interrupt"}});
  EXPECT_TRUE(agent.is_silent(300ms));
  EXPECT_TRUE(agent.is_running());
  agent.kill(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
}

TEST(ScriptFaults, ADeafOneIgnoresSigtermAndTheEnd) {
  const AgentPlace place;
  place.turn(R"({"deaf":{"eof":true}},{"say":"a"})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.result();
  agent.kill(SIGTERM);
  agent.close_input();
  agent.kill(SIGTERM);
  EXPECT_FALSE(agent.wait(300ms));
  agent.kill(SIGKILL);
  EXPECT_EQ(agent.wait(), 128 + SIGKILL);
}

TEST(ScriptFaults, AForkedChildOutlivesItAndKeepsItsOutputOpen) {
  const AgentPlace place;
  place.turn(R"({"fork":{"command":"echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 1000"}},{"say":"a"})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.result();
  const pid_t child = pid_in(place);
  EXPECT_EQ(::getpgid(child), agent.pid()) << "killing the group reaches it";
  agent.close_input();
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(is_alive(child));
  EXPECT_TRUE(agent.is_silent(200ms));
  ::kill(child, SIGKILL);
  agent.drain();
}

TEST(ScriptFaults, ADetachedChildIsOnItsOwn) {
  const AgentPlace place;
  place.turn(
      R"({"fork":{"command":"echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 1000","detached":true}},{"crash":{"exit":1}})");
  ScriptedAgent agent(place);
  agent.say("x");
  EXPECT_EQ(agent.wait(), 1);
  const pid_t child = pid_in(place);
  EXPECT_EQ(::getsid(child), child);
  agent.drain();  // nobody keeps the output open
  ::kill(-agent.pid(), SIGKILL);
  EXPECT_TRUE(is_alive(child));
  ::kill(child, SIGKILL);
}

TEST(ScriptFaults, AnUnsolicitedResultFollows) {
  const AgentPlace place;
  place.turn(R"({"unsolicited":{"text":"by the way"}},{"say":"a"})");
  ScriptedAgent agent(place);
  agent.say("x");
  EXPECT_EQ(agent.result()["result"], "a");
  const Json extra = agent.result();
  EXPECT_EQ(extra["origin"]["kind"], "task-notification");
  EXPECT_EQ(extra["result"], "by the way");
}

Outcome run(const AgentPlace& place, const Words& words) {
  Words command = {TEAMSTER_BINARY, "script-agent"};
  command.insert(command.end(), words.begin(), words.end());
  Process process(Start{.command = command, .environment = {"HOME=" + place.path(), place.mark()}});
  return outcome_of(process);
}

TEST(ScriptFaults, TheCommandLineIsChecked) {
  const AgentPlace place;
  place.turn(R"({"say":"a"})");
  const Outcome unknown = run(place, {"-p", "--frobnicate"});
  EXPECT_EQ(unknown.exit, 1);
  EXPECT_EQ(unknown.err, "error: unknown option '--frobnicate'\n");
  const Outcome version = run(place, {"--version"});
  EXPECT_EQ(version.exit, 0);
  EXPECT_EQ(version.out, "2.1.325 (Claude Code, scripted)\n");
  EXPECT_EQ(run(place, {"--check", place.file("script.json")}).out, place.file("script.json") + ": 1 turns, 1 steps\n");
  EXPECT_EQ(run(place, {}).exit, 1);
}

TEST(ScriptFaults, AWrongScriptIsNamedByItsPlace) {
  const AgentPlace place;
  place.turn(R"({"sai":"a"})");
  const Words flags = {"--input-format", "stream-json", "--output-format", "stream-json"};
  for (Words words : {Words{"--check", place.file("script.json")}, Words{"--script", place.file("script.json")}}) {
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome outcome = run(place, words);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_NE(outcome.err.find("script.json at /turns/0/steps/0: there is no step 'sai'"), std::string::npos)
        << outcome;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(run(place, {"--check", place.file("none.json")}).exit, 2);
}

// CPU time and memory of a process, from /proc.
struct Cost {
  long ticks = 0;
  long rss_pages = 0;
};
Cost cost_of(pid_t pid) {
  Cost cost;
  std::istringstream stat(read_file("/proc/" + std::to_string(pid) + "/stat"));
  std::string word;
  for (int field = 1; field <= 24 && stat >> word; ++field) {
    if (field == 14 || field == 15) cost.ticks += std::stol(word);
    if (field == 24) cost.rss_pages = std::stol(word);
  }
  return cost;
}

TEST(ScriptFaults, AnIdleOneCostsNothing) {
  const AgentPlace place;
  place.turn(R"({"huge":{"bytes":10485760}},{"say":"a"})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.result();
  const Cost before = cost_of(agent.pid());
  EXPECT_TRUE(agent.is_silent(1s));
  EXPECT_LE(cost_of(agent.pid()).ticks - before.ticks, 1) << "one may have been due";
  EXPECT_LT(before.rss_pages * ::sysconf(_SC_PAGESIZE), 16L * 1024 * 1024) << "also after a burst";
}

// The system kills it in the middle of its write.
TEST(ScriptFaults, AKillInTheMiddleOfAWriteLeavesNothingElse) {
  const AgentPlace place;
  std::filesystem::create_directories(place.file("src"));
  place.turn(R"({"write":{"path":"src/a.txt","text":")" + std::string(20'000, 'x') + R"("}})");
  ScriptedAgent agent(place);
  const rlimit small{4096, 4096};
  ASSERT_EQ(::prlimit(agent.pid(), RLIMIT_FSIZE, &small, nullptr), 0);
  agent.say("x");
  EXPECT_EQ(agent.wait(), 128 + SIGXFSZ);
  for (const auto& entry : std::filesystem::directory_iterator(place.file("src")))
    ADD_FAILURE() << entry.path() << " is left";
}

}  // namespace
}  // namespace teamster::e2e
