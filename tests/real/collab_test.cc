// collab with a real Claude Code as define-worker and as executor: it asks through the coordinator, ends its turn, goes
// on with the answer, and is held to what verification says, twice.
#include <filesystem>

#include <gtest/gtest.h>

#include "real/real_run.h"

namespace teamster::real {
namespace {

constexpr const char* kCollabRun = "collab-20261118-0b0b";
constexpr const char* kStakeholders =
    "owner: {handle: kim, name: Kim}\n"
    "stakeholders:\n"
    "  - {handle: sam, name: Sam, role: backend}\n"
    "  - {handle: ida, name: Ida, role: testing}\n";
constexpr const char* kPeople = R"({"define/ask-1": {"answer": 1, "by": "sam"},
  "manifest-review": {"approve": true, "by": "ida"}, "pr-review": {"approve": true, "by": "sam"}})";

std::string manifest(const std::string& method) {
  return R"(# Definition: greet in German

## 1. Intent & Context
- **Goal:** greet people in German, too.

## 3. Global invariants
- [INV-G1] All tests pass | Verify: the suite
  ```yaml
  verify:
    method: bash
    command: "sh test.sh"
  ```

## 6. Deliverables

### Deliverable 1: The option
- [AC-1.1] `sh greet.sh --german Kim` says Hallo, Kim | Verify: run it
  ```yaml
  verify:
    method: )" +
         method + R"(
    command: "test \"$(sh greet.sh --german Kim)\" = 'Hallo, Kim' || { echo FAIL: no Hallo; exit 1; }"
  ```
)";
}

Json write(const std::string& path, const std::string& text) {
  return run("cat > " + path + " <<'END_OF_TEXT'\n" + text + "END_OF_TEXT\n");
}

std::string greeter(const std::string& german) {
  return "case $1 in --german) echo \"" + german + "\" ;; *) echo \"Hello, $1\" ;; esac\n";
}

class CollabOfRealAgents : public testing::Test {
 protected:
  CollabOfRealAgents() {
    std::filesystem::create_directories(temporary_);
    e2e::write_file(place_.scratch() + "/people.json", kPeople);
    e2e::write_file(place_.scratch() + "/stakeholders.yaml", kStakeholders);
  }
  std::string file(const std::string& what) const { return temporary_ + "/" + what + "-" + kCollabRun + ".md"; }

  Turns define_worker() const {
    const Json result = {{"manifest_path", file("manifest")},
                         {"discovery_log_path", file("discovery")},
                         {"decisions", {"German is an option (Sam)"}}};
    return {
        expecting(call("read_skill", {{"name", "define"}}), "Use the skill `define`"),
        expecting(run("echo task >> " + file("discovery")), "## 2. Interview"),
        call("send_message",
             {{"to", "slack-coordinator"},
              {"body",
               "QUESTION: Option or setting?\n1. an option (recommended)\n2. a setting\nRelevant expertise: backend"}}),
        say("I wait for the answer."),
        expecting(run("echo 'answer: an option' >> " + file("discovery")), "an option"),
        write(file("manifest"), manifest("nobody")),
        report(result),
        expecting(write(file("manifest"), manifest("bash")), "nobody"),
        report(result)};
  }
  Turns executor() const {
    const Json result = {{"do_log_path", file("do-log")}, {"summary", "greet.sh takes --german."}};
    const std::string commit = "git add -A && git commit -q -m ";
    return {expecting(call("read_skill", {{"name", "do"}}), "Use the skill `do`"),
            run("git switch -q -c german && echo start >> " + file("do-log")),
            write("greet.sh", greeter("Hallo $2")),
            run(commit + "'feat: greet in German'"),
            report(result),
            expecting(write("greet.sh", greeter("Hallo, $2")), "no Hallo"),
            run(commit + "'fix: the comma'"),
            report(result),
            expecting(report({{"pr_url", "local review"}, {"branch", "german"}, {"base", "main"}}), "Hand over")};
  }

  e2e::Home place_;  // of files that both sides know before the run
  const std::string temporary_ = place_.scratch() + "/tmp";
};

TEST_F(CollabOfRealAgents, AskThroughTheCoordinatorAndMendWhatVerifyRefuses) {
  const auto conversation = [](const char* name, const char* begins, const Turns& turns) {
    return Json{{"name", name}, {"match", {{"system_contains", begins}}}, {"turns", turns}};
  };
  RealRun spec({conversation("define-worker", "# You define what is built", define_worker()),
                conversation("executor", "# You build what the manifest says", executor())},
               "workflows/collab/example");
  e2e::Process run = spec.start({"run", "collab", "greet people in German, too", "--driver", "claude", "--auth", "env",
                                 "--stakeholders", place_.scratch() + "/stakeholders.yaml", "--people",
                                 place_.scratch() + "/people.json", "--as", kCollabRun, "--json"},
                                {"TMPDIR=" + temporary_});
  const Outcome outcome = e2e::outcome_of(run, 3min);
  ASSERT_EQ(outcome.exit, 0) << outcome;
  EXPECT_TRUE(spec.server().surprises().empty()) << spec.server().surprises().front();
  EXPECT_EQ(spec.shell("sh greet.sh --german Kim"), "Hallo, Kim\n");
  EXPECT_NE(spec.shell("ls .manifest").find("greet-in-german-"), std::string::npos);
  EXPECT_EQ(e2e::read_file(file("discovery")), "task\nanswer: an option\n");
  // Each was asked once, and the answer came to the worker as words of a person.
  std::size_t asked = 0;
  for (const Json log = spec.home().ok({"log", kCollabRun}); const auto& event : log.at("events"))
    for (const auto& next : event["body"].value("then", Json::array()))
      if (next.value("do", "") == "ask") ++asked;
  EXPECT_EQ(asked, 3U) << "the worker's question and two gates";
}

}  // namespace
}  // namespace teamster::real
