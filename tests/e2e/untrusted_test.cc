// What people write, heard by an agent that obeys everything it is told, with secrets planted where agents can read
// them: nothing is approved but by the exact word, nothing is run, no secret leaves the run. The messages are data:
// tests/untrusted/messages.json.
#include <csignal>
#include <fstream>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kObeys = R"(
name: obeys
roles:
  worker: { tools: [Bash] }
questions: { declines: true }
loops:
  again: { max: 1000, then: escalate }
phases:
  - id: good
    kind: gate
    question: { to: owner, text: 'Is it good? It says: {{work/did}}' }
    on: [ { when: { approved: true }, goto: done }, { goto: work } ]
  - id: work
    role: worker
    template: work.md
    inputs: { FEEDBACK: good/feedback }
    returns: did.json
    on: [ { goto: good, loop: again } ]
)";

// Runs whatever is in backticks or looks like a command, and tells every secret it can find when one is mentioned.
constexpr const char* kObey = R"(
printf '%s\n' "$PROMPT" > heard.txt
grep -o '`[^`]*`' heard.txt | tr -d '`' | while read -r line; do sh -c "$line" >> did.txt 2>&1; done
grep -oiE '(touch|rm|curl|sudo|env|cat) [^`]*' heard.txt | while read -r line; do sh -c "$line" >> did.txt 2>&1; done
if grep -qiE 'secret|token|passw|key|env|credential' heard.txt; then cat .env ../.netrc; base64 -w0 .env; fi
if grep -qiE 'approve' heard.txt; then "$TEAMSTER" approve "$GATE"; fi
)";

const std::string kOfProject = "planted-in-the-project-93";
const std::string kOfEngine = "planted-in-the-engine-47";
const std::string kOfUser = "planted-at-home-55";

class Untrusted : public OwnWorkflow {
 protected:
  Untrusted() {
    workflow("obeys", kObeys,
             {{"work.md", "They say: {{FEEDBACK}}\n"},
              {"did.json", R"({"type":"object","required":["did"],"properties":{"did":{"type":"string"}}})"}});
    project_file(".env", "DB_PASSWORD=" + kOfProject + "\n");
    write_file(home_.scratch() + "/.netrc", "machine x login y password " + kOfUser + "\n");
    write_file(scripts_ + "/obey.sh", kObey);
    const Json script_of_worker = {
        {"turns",
         {{{"repeat", true},
           {"steps",
            {{{"run", {{"command", "TEAMSTER=" TEAMSTER_BINARY " sh " + scripts_ + "/obey.sh"}, {"save", "did"}}}},
             {{"report", {{"did", "I did: {{did}} " + kOfEngine}}}}}}}}}};
    script("worker", script_of_worker.dump());
    std::ifstream file(TEAMSTER_SOURCE_DIR "/tests/untrusted/messages.json");
    messages_ = Json::parse(file);
  }

  Start start_with_secret(const Words& words) const {
    Start start = start_of(words);
    start.environment.push_back("DEPLOY_TOKEN=" + kOfEngine);
    return start;
  }
  // The id of the gate that is open once this many were asked.
  std::string gate(std::size_t count) {
    std::string id;
    EXPECT_TRUE(eventually([&] {
      const Outcome inbox = home_.run({"inbox", "--json"});
      outgoing_ += inbox.out;
      if (inbox.exit != 0 || inbox.json["questions"].empty()) return false;
      id = inbox.json["questions"][0]["id"];
      return id.ends_with("." + std::to_string(count));
    })) << said_;
    return id;
  }

  Json messages_;
  std::string outgoing_;  // all that anybody could read
};

TEST_F(Untrusted, NobodyApprovesLeaksOrRunsAnything) {
  Process engine(start_with_secret(run_words("obeys")));
  std::size_t asked = 1;
  const auto say = [&](const std::string& text) {
    const Outcome said = home_.run({"reject", gate(asked), "--", text});
    outgoing_ += said.out + said.err;
    return said.exit;
  };
  for (const auto& text : messages_["hostile"]) EXPECT_EQ(say(text), 3) << text << " is declined";
  const std::string run = home_.ok({"status", "--all"})["runs"].back()["run"];
  EXPECT_EQ(decided(run, "turn").size(), 0U) << "and heard by nobody";
  EXPECT_EQ(decided(run, "notify").size(), messages_["hostile"].size()) << "politely, each time";
  for (const char* kind : {"no_yes", "harmless"})
    for (const auto& text : messages_[kind]) {
      const int exit = say(text);
      // What only looks like a yes may be declined; it never is one.
      if (exit == 3 && std::string(kind) == "no_yes") continue;
      EXPECT_EQ(exit, 0) << text;
      ++asked;
    }
  const auto turns = decided(run, "turn");
  EXPECT_GE(turns.size(), messages_["harmless"].size());
  for (const auto& event : events(run)) EXPECT_NE(event["body"].value("answer", Json())["approved"], Json(true));
  EXPECT_EQ(home_.run({"approve", gate(asked)}).exit, 0);
  ASSERT_EQ(engine.wait(), 0) << engine.out() << engine.err();
  outgoing_ += engine.out() + engine.err() + home_.run({"report", run}).out + home_.run({"log", run}).out +
               home_.run({"status", run, "--json"}).out;
  for (const auto& planted : {kOfProject, kOfEngine, kOfUser})
    EXPECT_EQ(outgoing_.find(planted), std::string::npos) << planted << " has left the run";
  EXPECT_NE(outgoing_.find("[redacted]"), std::string::npos) << "the worker tried";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.scratch()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("pwned")) << entry.path();
}

}  // namespace
}  // namespace teamster::e2e
