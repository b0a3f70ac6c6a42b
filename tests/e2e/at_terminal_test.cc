// What a person sees and does before the terminal of a run: questions, Ctrl-C, the live line, and words of agents that
// want to be more than words. Real processes on a pseudo-terminal.
#include <csignal>
#include <filesystem>

#include "e2e/fixture.h"
#include "e2e/terminal.h"

namespace teamster::e2e {
namespace {

constexpr const char* kChoice = R"(
name: choice
about: Something to approve and to choose.
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
    on: [ { when: { approved: false }, block: 'no' } ]
  - id: which
    kind: ask
    question: { text: 'Which way?', options: [left, right] }
)";

constexpr const char* kWork = R"(
name: work
about: One turn.
roles:
  worker: { about: works }
team: { name: work, scope: run }
phases:
  - id: build
    role: worker
    template: build.md
    returns: build.json
report:
  template: report.md
  inputs: { SUMMARY: { from: build/summary, default: nothing } }
)";

class AtTerminal : public testing::Test {
 protected:
  AtTerminal() {
    for (const auto& [name, text] : std::map<std::string, std::string>{{"choice", kChoice}, {"work", kWork}}) {
      std::filesystem::create_directories(project_ + "/.teamster/workflows/" + name);
      write_file(project_ + "/.teamster/workflows/" + name + "/workflow.yaml", text);
    }
    const std::string work = project_ + "/.teamster/workflows/work/";
    write_file(work + "build.md", "Build it.");
    write_file(work + "build.json", R"({ "type": "object" })");
    write_file(work + "report.md", "Report: {{SUMMARY}}\n");
    std::filesystem::create_directories(scripts_);
  }

  // The program in the project, or a shell there.
  Start start(const Words& command) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_};
    start.command.insert(start.command.end(), command.begin(), command.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(),
                         "HOME=" + home_.scratch(),
                         "PATH=/usr/bin:/bin",
                         "TERM=xterm",
                         "USER=ada",
                         "PS1=",
                         "LANG=C.UTF-8"};
    start.environment.insert(start.environment.end(), variables_.begin(), variables_.end());
    return start;
  }
  Terminal teamster(Words words) const {
    words.insert(words.begin(), TEAMSTER_BINARY);
    return Terminal(start(words));
  }
  Terminal shell(const std::string& script) const { return Terminal(start({"/bin/bash", "--norc", "-c", script})); }
  // What the worker does in its only turn.
  Terminal work(const std::string& steps) const {
    write_file(scripts_ + "/worker.json", R"({ "turns": [ { "steps": [)" + steps + "] } ] }");
    return teamster({"run", "work", "--driver", "script", "--scripts", scripts_});
  }
  std::string only_run() const { return home_.ok({"status", "--all"})["runs"][0]["run"]; }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string scripts_ = home_.scratch() + "/scripts";
  Words variables_;
};

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST_F(AtTerminal, AQuestionIsAskedAndAnsweredThere) {
  Terminal run = teamster({"run", "choice"});
  ASSERT_TRUE(run.shows("Type approve and Enter")) << run.screen();
  EXPECT_TRUE(run.shows("asks kim:")) << run.screen();
  run.type("approve\n");
  ASSERT_TRUE(run.shows("  2) right")) << run.screen();
  run.type("up\n");
  ASSERT_TRUE(run.shows("Choose one, or its number")) << run.screen();
  run.type("2\n");
  EXPECT_EQ(run.wait(), 0) << run.screen();
  EXPECT_TRUE(run.shows("which.1 done by ada: right")) << run.screen();
}

TEST_F(AtTerminal, OneThatIsAnsweredElsewhereIsWithdrawn) {
  Terminal run = teamster({"run", "choice"});
  ASSERT_TRUE(run.shows("Type approve and Enter")) << run.screen();
  const std::string id = only_run() + "/approve.1";
  run.type("1");  // in the middle of an answer
  EXPECT_EQ(home_.ok({"approve", id, "--as", "mia"})["recorded"], true);
  ASSERT_TRUE(run.shows(id + ": mia answered it")) << run.screen();
  ASSERT_TRUE(run.shows("Type an option or its number")) << run.screen();
  run.type("\n");
  ASSERT_TRUE(eventually([&] { return times(run.screen(), "Type an option or its number") == 2; }))
      << "what was typed for the one that is gone is no answer to the next: " << run.screen();
  run.type("2\n");
  EXPECT_EQ(run.wait(), 0) << run.screen();
  EXPECT_TRUE(run.shows("which.1 done by ada: right")) << run.screen();
}

TEST_F(AtTerminal, WhatWasTypedBeforeAQuestionIsShownIsNoAnswer) {
  Terminal run = teamster({"run", "choice"});
  ASSERT_TRUE(run.shows("Type approve and Enter")) << run.screen();
  run.type("approve\n1\n");
  ASSERT_TRUE(run.shows("Type an option or its number")) << run.screen();
  EXPECT_FALSE(run.wait(500ms)) << run.screen();
  EXPECT_EQ(home_.ok({"answer", "which", "left"})["recorded"], true);
  EXPECT_EQ(run.wait(), 0);
}

TEST_F(AtTerminal, WhatIsTypedDoesNotEndUpInTheShell) {
  Terminal both = shell(std::string(TEAMSTER_BINARY) + " run choice; read -t 1 line; echo \"read: <$line>\"");
  ASSERT_TRUE(both.shows("Type approve and Enter")) << both.screen();
  const std::string run = only_run();
  both.type("rm -rf precious");
  ASSERT_TRUE(both.shows("precious"));
  ASSERT_EQ(home_.ok({"cancel", run})["status"], "cancelled");
  ASSERT_TRUE(both.shows("read: <")) << both.screen();
  EXPECT_TRUE(both.shows("read: <>")) << both.screen();
}

TEST_F(AtTerminal, CtrlCAsksAlsoWhileAQuestionIsOpen) {
  Terminal run = teamster({"run", "choice"});
  ASSERT_TRUE(run.shows("Type approve and Enter")) << run.screen();
  run.type("\x03");
  ASSERT_TRUE(run.shows("leave it to the background")) << run.screen();
  run.type("approve\n");
  ASSERT_TRUE(eventually([&] { return times(run.screen(), "leave it to the background") == 2; }))
      << "that was no answer to the choice, and none to the gate: " << run.screen();
  run.type("\n");
  ASSERT_TRUE(eventually([&] { return times(run.screen(), "Type approve and Enter") == 2; })) << run.screen();
  run.type("approve\n");
  ASSERT_TRUE(run.shows("Which way?")) << run.screen();
  run.type("\x03");
  ASSERT_TRUE(eventually([&] { return times(run.screen(), "leave it to the background") == 3; })) << run.screen();
  run.type("c\n");
  EXPECT_EQ(run.wait(), 1) << run.screen();
  EXPECT_EQ(home_.run({"status", only_run(), "--json"}).json["status"], "cancelled");
}

TEST_F(AtTerminal, AtTheEndOfInputItSaysHowToAnswerElsewhere) {
  Terminal run = teamster({"run", "choice"});
  ASSERT_TRUE(run.shows("Type approve and Enter")) << run.screen();
  run.type("\x04");
  ASSERT_TRUE(run.shows("answer with: teamster approve choice-")) << run.screen();
  EXPECT_EQ(home_.ok({"approve", "approve"})["recorded"], true);
  ASSERT_TRUE(run.shows("answer with: teamster answer choice-")) << run.screen();
  EXPECT_EQ(home_.ok({"answer", "which", "1"})["recorded"], true);
  EXPECT_EQ(run.wait(), 0) << run.screen();
}

TEST_F(AtTerminal, NoWaitLeavesAtTheFirstQuestion) {
  Terminal run = teamster({"run", "choice", "--no-wait"});
  EXPECT_EQ(run.wait(), 4) << run.screen();
  EXPECT_TRUE(run.shows("answer with: teamster approve choice-")) << run.screen();
  EXPECT_FALSE(run.shows("Type approve", 0ms)) << "nobody waits for what is typed";
}

TEST_F(AtTerminal, InTheBackgroundOfAShellItLeavesTheTerminalAlone) {
  Terminal both = shell("set -m; " + std::string(TEAMSTER_BINARY) +
                        " run choice & sleep 1; while read line; do echo \"shell: <$line>\"; done");
  ASSERT_TRUE(both.shows("Type approve and Enter")) << both.screen();
  both.type("hello\n");
  ASSERT_TRUE(both.shows("shell: <hello>")) << both.screen();
  EXPECT_EQ(home_.ok({"approve", "approve"})["recorded"], true) << "it was not stopped for reading";
}

constexpr const char* kHostile = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b2J\\u202e";

TEST_F(AtTerminal, NoWordsOfAgentsAreActedOnByTheTerminal) {
  const std::string hostile = kHostile;
  Terminal run =
      work(R"({"say": ")" + hostile + R"("}, {"run": {"command": "echo )" + hostile +
           R"("}}, {"report": {"status": ")" + hostile + R"(", "summary": ")" + hostile + R"("}}, {"say": "done"})");
  ASSERT_EQ(run.wait(), 0) << run.screen();
  EXPECT_TRUE(run.shows("Report: \\x1b]0;owned\\x07")) << run.screen();
  std::string all = run.bytes();
  const std::string name = only_run();
  for (const Words& words : std::vector<Words>{{"log", name}, {"watch", name}, {"status", name}, {"report", name}}) {
    Terminal look = teamster(words);
    EXPECT_EQ(look.wait(), 0) << look.screen();
    EXPECT_TRUE(look.shows("x1b]0;owned", 0ms) || words[0] == "status") << look.screen();
    all += look.bytes();
  }
  Terminal journal = teamster({"log"});
  EXPECT_EQ(journal.wait(), 0);
  all += journal.bytes();
  for (const char* sequence : {"\x1b]", "\x1b[2J", "\xc2\x9b", "\xe2\x80\xae"})
    EXPECT_EQ(all.find(sequence), std::string::npos) << all;
}

TEST_F(AtTerminal, NoQuestionErrorOrNoteIsActedOnByTheTerminal) {
  std::string asking = kChoice;
  asking.replace(asking.find("'Shall it go on?'"), 17, "\"Shall" + std::string(kHostile) + " it?\"");
  write_file(project_ + "/.teamster/workflows/choice/workflow.yaml", asking);
  Terminal run = teamster({"run", "choice"});
  ASSERT_TRUE(run.shows("Shall\\x1b]0;owned")) << run.screen();
  std::string all = run.bytes();
  for (const Words& words : std::vector<Words>{{"inbox"}, {"status"}}) {
    Terminal look = teamster(words);
    EXPECT_EQ(look.wait(), 0) << look.screen();
    EXPECT_TRUE(look.shows("Shall\\x1b]0;owned")) << look.screen();
    all += look.bytes();
  }
  Terminal failing = work(R"({"error": {"status": 400, "message": ")" + std::string(kHostile) + R"(\nfake"}})");
  EXPECT_TRUE(failing.shows("x1b]0;owned")) << failing.screen();
  all += failing.bytes();
  for (const char* sequence : {"\x1b]", "\x1b[2J", "\xc2\x9b", "\xe2\x80\xae"})
    EXPECT_EQ(all.find(sequence), std::string::npos) << all;
}

TEST_F(AtTerminal, ALiveLineSaysWhatTheAgentDoes) {
  Terminal run =
      work(R"({"say": "I look around."}, {"sleep": "1500ms"}, {"usage": {"input_tokens": 1500, "cost_usd": 0.5}},
      {"run": {"command": "sleep 2; : compile the parser"}}, {"report": {"summary": "built"}}, {"say": "done"})");
  ASSERT_TRUE(run.shows("build.1 worker  0:0")) << run.screen();
  ASSERT_TRUE(run.shows("I look around.")) << run.screen();
  ASSERT_TRUE(run.shows("Bash sleep 2; : compile the parser")) << run.screen();
  const auto lines = run.lines();
  EXPECT_EQ(times(run.screen(), "build.1 worker  "), 1U) << "it is drawn in place: " << run.screen();
  EXPECT_EQ(run.wait(), 0);
  EXPECT_EQ(run.screen().find("build.1 worker  "), std::string::npos) << "nothing of it is left: " << run.screen();
  EXPECT_TRUE(run.shows("build.1 done: built")) << run.screen();
  EXPECT_TRUE(run.shows("Report: built"));
}

TEST_F(AtTerminal, TheLiveLineFitsANarrowScreenAndATypedLineLeavesNothingOfIt) {
  write_file(scripts_ + "/worker.json",
             R"({"turns": [{"steps": [{"run": {"command": "sleep 3; : a command that is too long for the screen"}},
                                       {"report": {"summary": "built"}}, {"say": "done"}]}]})");
  Terminal run(start({TEAMSTER_BINARY, "run", "work", "--driver", "script", "--scripts", scripts_}), 40);
  ASSERT_TRUE(run.shows("build.1 worker  0:0")) << run.screen();
  run.type("hello\n");
  EXPECT_EQ(run.wait(), 0);
  EXPECT_EQ(run.screen().find("build.1 worker  "), std::string::npos) << run.screen();
}

TEST_F(AtTerminal, ColourIsForTerminalsThatWantIt) {
  Terminal coloured = work(R"({"report": {"summary": "built"}}, {"say": "done"})");
  EXPECT_EQ(coloured.wait(), 0);
  EXPECT_NE(coloured.bytes().find("\x1b[32mdone\x1b[0m"), std::string::npos) << coloured.bytes();
  variables_ = {"NO_COLOR=1"};
  Terminal status = teamster({"status"});
  EXPECT_EQ(status.wait(), 0);
  EXPECT_EQ(status.bytes().find("\x1b["), std::string::npos) << status.bytes();
  EXPECT_EQ(home_.run({"status"}).out.find('\x1b'), std::string::npos);
}

TEST_F(AtTerminal, AResumedEngineShowsWhatItsPredecessorDidNot) {
  write_file(scripts_ + "/worker.json",
             R"({"turns": [{"steps": [{"report": {"summary": "built"}}, {"say": "done"}]}]})");
  Terminal killed = teamster(
      {"run", "work", "--driver", "script", "--scripts", scripts_, "--fault", "kill engine@step.done:build.1:after"});
  EXPECT_EQ(killed.wait(), 128 + SIGKILL) << killed.screen();
  EXPECT_EQ(killed.screen().find("build.1 done"), std::string::npos) << "it died before it could say so";
  Terminal resumed = teamster({"resume"});
  EXPECT_EQ(resumed.wait(), 0) << resumed.screen();
  EXPECT_EQ(times(resumed.screen(), "build.1 done: built"), 1U) << resumed.screen();
  Terminal watching = teamster({"watch", only_run()});
  EXPECT_EQ(watching.wait(), 0);
  EXPECT_TRUE(watching.shows("drives it from here")) << watching.screen();
}

}  // namespace
}  // namespace teamster::e2e
