// What goes wrong around an agent and what must not be lost by it: its conversation, the hub,
// a line, the shape of an answer; and what it must not get to see. Each with the script driver,
// and with the claude driver and a fake that speaks claude's wire format.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/text.h"
#include "e2e/hosted_agent.h"

namespace teamster::e2e {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class AgentFaults : public testing::TestWithParam<const char*> {
 protected:
  // Ends of turns as the journal has them.
  std::vector<Json> ended_turns() {
    std::vector<Json> ends;
    for (const auto& event : agent_.home().events("member.turn"))
      if (!event["body"].value("running", true)) ends.push_back(event["body"]);
    return ends;
  }
  bool notes(const std::string& part) const {
    for (const auto& note : agent_.transcript("note"))
      if (contains(note.value("text", ""), part)) return true;
    return false;
  }

  HostedAgent agent_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Drivers, AgentFaults, testing::Values("script", "claude"),
                         [](const auto& driver) { return std::string(driver.param); });

TEST_P(AgentFaults, ALostConversationComesBackWithWhatIsUnfinished) {
  agent_.script(Json::parse(R"([[{"say":"settled"}],
      [{"say":"begun"},{"run":"test -e begun || { touch begun; exec sleep 600; }"},{"say":"finished"}]])"));
  agent_.start();
  ASSERT_EQ(agent_.say("the first thing").exit, 0);
  const std::int64_t unfinished = agent_.tell("the second thing");
  ASSERT_TRUE(agent_.has_receipt(unfinished, "seen"));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(agent_.work() + "/begun"); }));
  ::kill(agent_.host(), SIGKILL);
  ASSERT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
  agent_.lose_conversations();
  // Without its place the script begins at its first turn.
  agent_.script(Json::parse(R"([[{"run":"true"},{"say":"finished: {{PROMPT}}"}]])"));
  agent_.start();
  ASSERT_TRUE(agent_.has_receipt(unfinished, "acted"));
  EXPECT_TRUE(notes("the conversation is lost"));
  const std::string told = agent_.transcript("told").back()["text"];
  EXPECT_TRUE(contains(told, "the second thing")) << told;
  EXPECT_TRUE(contains(told, "told some of this before")) << told;
  EXPECT_FALSE(contains(told, "the first thing")) << "what is settled is not told again: " << told;
  EXPECT_EQ(agent_.say("and then?").exit, 0) << "it goes on";
}

TEST_P(AgentFaults, OnlyNamedSecretsReachTheAgent) {
  agent_.add_variable("NPM_TOKEN=named-secret");
  agent_.add_variable("OTHER_TOKEN=hidden-secret");
  agent_.add_variable("LANG=C.UTF-8");
  agent_.script(Json::parse(R"([[{"run":"env > seen.txt"},{"say":"looked"}]])"));
  agent_.start({"--secret", "NPM_TOKEN"});
  ASSERT_EQ(agent_.say("look around").exit, 0);
  const auto seen = "\n" + read_file(agent_.work() + "/seen.txt");
  EXPECT_TRUE(contains(seen, "\nNPM_TOKEN=named-secret\n")) << seen;
  EXPECT_FALSE(contains(seen, "hidden-secret")) << seen;
  EXPECT_TRUE(contains(seen, "\nLANG=C.UTF-8\n")) << seen;
  EXPECT_TRUE(contains(seen, "\nTMPDIR=")) << seen;
  // Its token is a file: nobody reads it off a process.
  const std::string token(trimmed(read_file(agent_.home().token_file("alpha", "builder"))));
  ASSERT_GT(token.size(), 8U);
  EXPECT_FALSE(contains(seen, token));
  for (const pid_t pid : agent_.processes()) EXPECT_FALSE(contains(join(arguments_of(pid), " "), token)) << pid;
  EXPECT_FALSE(contains(read_file("/proc/" + std::to_string(agent_.agent()) + "/environ"), "hidden-secret"));
}

TEST_P(AgentFaults, TwoMembersOfOneHostTalkAndShareTasks) {
  agent_.whole_script(Json::parse(R"({"turns":[
      {"when":{"contains":"plan it"},
       "steps":[{"create_task":{"subject":"write it"}},{"send":{"to":"tester","body":"please take it"}},
                {"say":"planned"}]},
      {"when":{"contains":"please take it"},
       "steps":[{"claim":{}},{"update":{"status":"completed"}},{"send":{"to":"builder","body":"it is written"}},
                {"say":"done"}]}],
      "otherwise":[{"say":"thank you"}]})"));
  const Json started = agent_.start({"--member", "tester"});
  ASSERT_EQ(started["members"].size(), 2U);
  ASSERT_EQ(agent_.say("plan it").exit, 0);
  const Home& home = agent_.home();
  const auto sent = [&] { return home.events("message.sent"); };
  ASSERT_TRUE(eventually([&] { return sent().size() == 3; }));  // with ours
  for (const auto& event : sent()) EXPECT_TRUE(agent_.has_receipt(event["seq"], "acted")) << event;
  EXPECT_EQ(sent()[1]["body"]["from"], "builder");
  EXPECT_EQ(sent()[2]["body"]["from"], "tester");
  const Json task = home.ok({"task", "get", "--team", "alpha", "1"}).at("task");
  EXPECT_EQ(task["status"], "completed");
  EXPECT_EQ(task["owner"], "tester") << task;
  const Json agents = home.ok({"agent", "list"}).at("agents");
  ASSERT_EQ(agents.size(), 2U);
  EXPECT_EQ(agents[0]["host_pid"], agents[1]["host_pid"]);
  EXPECT_NE(agents[0]["agent_pid"], agents[1]["agent_pid"]);
  // One goes, the other stays.
  home.ok({"agent", "stop", "--team", "alpha", "--member", "tester"});
  EXPECT_EQ(agent_.say("still there?").exit, 0);
  home.ok({"agent", "stop", "--team", "alpha", "--member", "builder"});
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
}

TEST_P(AgentFaults, AHubKilledInATurnLosesNothing) {
  agent_.script(Json::parse(R"([[{"usage":{"input_tokens":70}},{"say":"busy"},
      {"run":"until test -e go; do sleep 0.02; done"},{"say":"finished"}],[{"say":"next"}]])"));
  agent_.start();
  Process waiting = agent_.home().start(
      {"agent", "say", "--team", "alpha", "--member", "builder", "--timeout", "40s", "--json", "work"});
  ASSERT_TRUE(agent_.is_working());
  const std::int64_t first = agent_.home().events("message.sent").at(0)["seq"];
  ASSERT_TRUE(agent_.has_receipt(first, "seen"));
  agent_.home().end_hub(SIGKILL);
  write_file(agent_.work() + "/go", "");
  ASSERT_TRUE(eventually([&] { return !agent_.transcript("turn_ended").empty(); }));
  ASSERT_EQ(waiting.wait(), 0) << waiting.out() << waiting.err();
  EXPECT_EQ(Json::parse(waiting.out())["text"], "finished");
  EXPECT_TRUE(agent_.has_receipt(first, "acted"));
  const auto ends = ended_turns();
  ASSERT_EQ(ends.size(), 1U) << "recorded, and once";
  EXPECT_EQ(ends[0]["text"], "finished");
  EXPECT_EQ(ends[0]["messages"], Json::array({first}));
  EXPECT_EQ(agent_.listed()["usage"]["input_tokens"], 70);
  EXPECT_EQ(agent_.say("go on").json["text"], "next");
}

TEST_P(AgentFaults, StructuredOutputThatIsMissingIsMendedOnceThenAFailure) {
  const std::string shape = R"({"type":"object","required":["score"],"properties":{"score":{"type":"integer"}}})";
  const std::string schema = agent_.home().scratch() + "/schema.json";
  write_file(schema, shape);
  agent_.script(Json::parse(R"([[{"answer":{"score":3}}],[{"say":"I am done"}],[{"answer":{"score":4}}],
                                [{"say":"I am done"}],[{"say":"really"}],[{"answer":{"score":5}}]])"));
  agent_.start({"--", "--json-schema", shape});
  EXPECT_EQ(agent_.say("rate it", {"--schema", schema}).json["result"], (Json{{"score", 3}}));
  const Outcome mended = agent_.say("rate it again", {"--schema", schema});
  ASSERT_EQ(mended.exit, 0) << mended;
  EXPECT_EQ(mended.json["result"], (Json{{"score", 4}}));
  const Outcome missing = agent_.say("and again", {"--schema", schema});
  EXPECT_EQ(missing.exit, 1) << missing;
  EXPECT_TRUE(contains(missing.json.value("error", ""), "there is no JSON in the answer")) << missing;
  EXPECT_FALSE(missing.json.contains("result"));
  EXPECT_EQ(agent_.transcript("told").size(), 5U) << "three prompts, each mended once at most";
  EXPECT_EQ(agent_.say("a last time", {"--schema", schema}).json["result"], (Json{{"score", 5}}));
}

TEST_P(AgentFaults, ALineThatComesInPartsIsOneAndHalfALineIsNoise) {
  const std::string line =
      R"({"type":"assistant","message":{"model":"scripted","content":[{"type":"text","text":"in two parts"}]}})";
  agent_.script({Json::array({{{"partial", line.substr(0, 40)}},
                              {{"sleep", "50ms"}},
                              {{"partial", line.substr(40) + "\n"}},
                              {{"partial", R"({"type":"assi)"}},
                              {{"say", "spoilt"}},
                              {{"say", "whole again"}}}),
                 Json::array({{{"say", "next"}}})});
  agent_.start();
  const Outcome said = agent_.say("speak");
  ASSERT_EQ(said.exit, 0) << said;
  EXPECT_EQ(said.json["text"], "whole again");
  std::vector<std::string> texts;
  for (const auto& entry : agent_.transcript("text")) texts.push_back(entry["text"]);
  EXPECT_EQ(texts, (std::vector<std::string>{"in two parts", "whole again"}));
  const auto noise = agent_.transcript("noise");
  ASSERT_EQ(noise.size(), 1U);
  EXPECT_TRUE(contains(noise[0]["text"], "assi")) << noise[0];
  EXPECT_EQ(agent_.say("again").json["text"], "next");
  EXPECT_EQ(agent_.listed()["state"], "idle");
}

}  // namespace
}  // namespace teamster::e2e
