// teamster verify, as a real command in a real repository: outcomes, documents, exit codes, what is killed and what is
// left behind; reviewers as real processes of the script and the command driver.
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "e2e/fixture.h"
#include "e2e/terminal.h"

namespace teamster::e2e {
namespace {

bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A block below a list item, with lines of YAML.
std::string criterion(const std::string& id, const std::string& lines) {
  return fmt::format("- [{}] text of {} | Verify: block\n  ```yaml\n  verify:\n{}  ```\n", id, id, lines);
}
std::string bash_criterion(const std::string& id, const std::string& command) {
  return criterion(id, "    method: bash\n    command: " + Json(command).dump() + "\n");
}
std::string reviewed_criterion(const std::string& id, const std::string& agent, const std::string& prompt) {
  return criterion(id,
                   fmt::format("    method: subagent\n    agent: {}\n    prompt: {}\n", agent, Json(prompt).dump()));
}

class Verify : public testing::Test {
 protected:
  Verify() {
    std::filesystem::create_directories(project_ + "/deep");
    shell(
        "git init -q -b main . && git config user.name Ada && git config user.email ada@example.org && "
        "echo one > README && echo '*.built' > .gitignore && git add . && git commit -q -m first");
  }

  Start start_of(const std::string& command, const std::string& directory) const {
    return {.command = {"/bin/sh", "-c", fmt::format("cd '{}' && {}", directory, command)},
            .environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin",
                            "TMPDIR=" + temporary_, "TERM=xterm"}};
  }
  void shell(const std::string& command) const {
    Process process(start_of(command, project_));
    EXPECT_EQ(process.wait(), 0) << command << process.err();
  }
  std::string words(const std::string& more) const { return fmt::format("exec {} verify {}", TEAMSTER_BINARY, more); }
  Outcome verify(const std::string& more) const {
    std::filesystem::create_directories(temporary_);
    Process process(start_of(words("'" + manifest_ + "' " + more), project_ + "/deep"));
    Outcome outcome = outcome_of(process);
    EXPECT_TRUE(std::filesystem::is_empty(temporary_)) << "something is left";
    return outcome;
  }
  void manifest(const std::string& invariants) const {
    write_file(manifest_, "# T\n\n## 3. Global Invariants\n\n" + invariants);
  }
  static Json result_of(const Outcome& outcome, const std::string& id) {
    for (const auto& one : outcome.json.value("criteria", Json::array()))
      if (one["id"] == id) return one;
    return Json::object();
  }
  // Processes that a check has started and that live on.
  std::vector<pid_t> left() const { return processes_with("TEAMSTER_HOME=" + home_.path()); }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string temporary_ = home_.scratch() + "/temporary";
  const std::string manifest_ = home_.scratch() + "/manifest.md";
};

TEST_F(Verify, EachOutcomeAndItsEvidence) {
  manifest(bash_criterion("INV-G1", "test -f README && test -d deep") + bash_criterion("INV-G2", "echo why; exit 3") +
           bash_criterion("INV-G3", "echo FAIL: it does not") +
           bash_criterion("INV-G4", "yes | head -1 && test -f README") + bash_criterion("INV-G5", "kill -KILL $$") +
           bash_criterion("INV-G6", "printf '\\377\\n'; false") +
           bash_criterion("INV-G7", "teamster --version >/dev/null") +
           "- [INV-G8] more | Verify: covered by INV-G1, INV-G2\n");
  const Outcome outcome = verify("--json");
  EXPECT_EQ(outcome.exit, 1) << outcome;
  for (const char* id : {"INV-G1", "INV-G4", "INV-G7"})
    EXPECT_EQ(result_of(outcome, id)["outcome"], "passed") << result_of(outcome, id);
  for (const char* id : {"INV-G2", "INV-G3", "INV-G5", "INV-G6", "INV-G8"})
    EXPECT_EQ(result_of(outcome, id)["outcome"], "failed") << id;
  EXPECT_EQ(result_of(outcome, "INV-G2")["why"], "exit code 3");
  EXPECT_EQ(result_of(outcome, "INV-G2")["output"], "why\n");
  EXPECT_EQ(result_of(outcome, "INV-G5")["why"], "was killed by signal 9");
  EXPECT_EQ(outcome.json["counts"]["passed"], 3);
  EXPECT_EQ(outcome.json["passed"], false);
  const Outcome text = verify("");
  EXPECT_EQ(text.exit, 1);
  EXPECT_TRUE(has_text(text.out, "passed       INV-G1  text of INV-G1")) << text;
  EXPECT_TRUE(has_text(text.out, "    exit code 3\n    why\n")) << text;
  EXPECT_TRUE(has_text(text.out, "    \\xff\n")) << text;
  EXPECT_TRUE(has_text(text.out, "3 of 8 passed, 5 failed\n")) << text;
  EXPECT_EQ(verify("--criterion INV-G1 --criterion INV-G4").exit, 0);
}

TEST_F(Verify, TimeAndOutputHaveLimits) {
  manifest(bash_criterion("INV-G1", "trap '' TERM; (trap '' TERM; sleep 600) & echo begun; sleep 600; sleep 600") +
           bash_criterion("INV-G2", "head -c 5000000 /dev/zero | tr '\\0' 'a'; echo; echo the end"));
  const Outcome outcome = verify("--json --timeout 500ms");
  EXPECT_EQ(outcome.exit, 1) << outcome.err;
  EXPECT_TRUE(has_text(result_of(outcome, "INV-G1")["why"], "took longer than"));
  EXPECT_EQ(result_of(outcome, "INV-G1")["output"], "begun\n");
  const Json much = result_of(outcome, "INV-G2");
  EXPECT_EQ(much["outcome"], "passed");
  EXPECT_EQ(much["output_cut"], true);
  EXPECT_LT(much["output"].get<std::string>().size(), 40'000U);
  EXPECT_TRUE(has_text(much["output"], "the end"));
  EXPECT_TRUE(eventually([this] { return left().empty(); }));
}

TEST_F(Verify, WhoChangesTheTreeRunsAloneAndIsNamed) {
  std::string checks;
  for (int i = 1; i <= 8; ++i) checks += bash_criterion(fmt::format("INV-G{}", i), "sleep 0.05; test ! -e busy");
  manifest(checks + bash_criterion("INV-G9", "touch busy; date +%N >> README; sleep 0.3; rm busy; touch a.built"));
  const Outcome outcome = verify("--json --jobs 4");
  EXPECT_EQ(outcome.exit, 0) << outcome;
  for (const auto& one : outcome.json["criteria"])
    EXPECT_EQ(one.contains("changed_tree"), one["id"] == "INV-G9") << one;
  EXPECT_EQ(result_of(outcome, "INV-G9")["changed_tree"], Json({"README"}));
}

TEST_F(Verify, ItsOwnOutputInAFileOfTheTreeIsNoChange) {
  manifest(bash_criterion("INV-G1", "true") + bash_criterion("INV-G2", "sleep 0.6"));
  EXPECT_EQ(verify("--jobs 2 > ../report").exit, 0);
  const std::string report = read_file(project_ + "/report");
  EXPECT_TRUE(has_text(report, "2 of 2 passed")) << report;
  EXPECT_FALSE(has_text(report, "the tree changed")) << report;
}

TEST_F(Verify, AManifestThatIsNotInOrderRunsNothing) {
  manifest(bash_criterion("INV-G1", "touch " + project_ + "/was-run") + "- [INV-G2] b | Verify: bash\n");
  const Outcome outcome = verify("--json");
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.json["valid"], false);
  ASSERT_EQ(outcome.json["errors"].size(), 1U);
  EXPECT_EQ(outcome.json["errors"][0]["line"], 11);
  EXPECT_TRUE(has_text(verify("").out, "manifest.md:11: INV-G2 has no block")) << outcome;
  EXPECT_EQ(verify("--list").exit, 2);
  EXPECT_FALSE(std::filesystem::exists(project_ + "/was-run"));
  for (const std::string& text : {std::string(), std::string(10'000'000, 'x'), std::string("\xff\xfe\0", 3)}) {
    write_file(manifest_, text);
    EXPECT_EQ(verify("").exit, 2) << text.size();
  }
  std::filesystem::remove(manifest_);
  const Outcome missing = verify("--json");
  EXPECT_EQ(missing.exit, 2);
  EXPECT_TRUE(has_text(missing.what(), "there is no manifest")) << missing;
  std::filesystem::create_directory(manifest_);
  EXPECT_TRUE(has_text(verify("").err, "is a directory"));
}

TEST_F(Verify, ListShowsAllAndRunsNothing) {
  manifest(bash_criterion("INV-G1", "touch " + project_ + "/was-run") +
           reviewed_criterion("INV-G2", "code-bugs-reviewer", "look") + "- [INV-G3] c | Verify: covered by INV-G1\n");
  const Outcome list = verify("--list --json");
  EXPECT_EQ(list.exit, 0);
  EXPECT_EQ(result_of(list, "INV-G1")["method"], "bash");
  EXPECT_EQ(result_of(list, "INV-G2")["agent"], "code-bugs-reviewer");
  EXPECT_EQ(result_of(list, "INV-G3")["covered_by"], Json({"INV-G1"}));
  EXPECT_TRUE(has_text(verify("--list").out, "INV-G2     subagent  code-bugs-reviewer"));
  EXPECT_FALSE(std::filesystem::exists(project_ + "/was-run"));
}

TEST_F(Verify, UsageIsChecked) {
  manifest(bash_criterion("INV-G1", "true"));
  EXPECT_EQ(verify("--only subagent").exit, 2);
  EXPECT_EQ(verify("--jobs 0").exit, 2);
  const Outcome unknown = verify("--json --criterion INV-G2");
  EXPECT_EQ(unknown.exit, 2) << unknown;
  EXPECT_TRUE(has_text(unknown.next(), "INV-G1")) << unknown;
}

TEST_F(Verify, AnInterruptEndsWhatRuns) {
  manifest(bash_criterion("INV-G1", "touch begun.built; sleep 600") + bash_criterion("INV-G2", "sleep 600"));
  std::filesystem::create_directories(temporary_);
  for (const int signal : {SIGINT, SIGKILL}) {
    std::filesystem::remove(project_ + "/begun.built");
    Process process(start_of(words(manifest_), project_));
    ASSERT_TRUE(eventually([this] { return std::filesystem::exists(project_ + "/begun.built"); }));
    process.kill(signal);
    const auto exit = process.wait();
    EXPECT_EQ(exit, signal == SIGINT ? 1 : 128 + SIGKILL);
    EXPECT_EQ(has_text(process.err(), "interrupted; 0 of 2 were checked"), signal == SIGINT) << process.err();
    EXPECT_TRUE(eventually([this] { return left().empty(); })) << "after signal " << signal;
  }
}

TEST_F(Verify, AManifestThatVerifiesItselfEnds) {
  manifest(bash_criterion("INV-G1", "teamster verify " + manifest_ + " --json"));
  const Outcome outcome = verify("--json");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_TRUE(has_text(outcome.out, "started by a check")) << outcome;
}

TEST_F(Verify, ReviewersJudgeTheRest) {
  manifest(bash_criterion("INV-G1", "true") + reviewed_criterion("INV-G2", "code-bugs-reviewer", "PLEASE-PASS") +
           reviewed_criterion("INV-G3", "general-purpose", "PLEASE-FAIL") +
           reviewed_criterion("INV-G4", "general-purpose", "PLEASE-MEND") +
           reviewed_criterion("INV-G5", "general-purpose", "PLEASE-CRASH"));
  const std::string verdict = R"({"verdict":"VERDICT","evidence":["README:1 says one"],"remarks":"r"})";
  const auto says = [&](const std::string& word) {
    std::string text = verdict;
    return text.replace(text.find("VERDICT"), 7, word);
  };
  const auto turn = [](const std::string& when, Json steps) {
    return Json{{"when", {{"contains", when}}}, {"steps", std::move(steps)}};
  };
  const Json script = {
      {"turns",
       {turn("PLEASE-PASS", {{{"say", says("pass")}}}), turn("PLEASE-FAIL", {{{"say", says("fail")}}}),
        turn("PLEASE-MEND", {{{"say", "it holds, I think"}}}), turn("PLEASE-CRASH", {{{"crash", {{"exit", 3}}}}}),
        turn("cannot be used", {{{"say", says("pass")}}})}},
      {"otherwise", {{{"say", "I like it"}}}}};
  write_file(home_.scratch() + "/play.json", dump_json(script));
  const Outcome outcome = verify("--json --driver script --script ../../play.json");
  EXPECT_EQ(outcome.exit, 1) << outcome;
  EXPECT_EQ(result_of(outcome, "INV-G2")["outcome"], "passed") << outcome;
  EXPECT_EQ(result_of(outcome, "INV-G2")["evidence"], Json({"README:1 says one"}));
  EXPECT_EQ(result_of(outcome, "INV-G3")["outcome"], "failed") << outcome;
  EXPECT_EQ(result_of(outcome, "INV-G4")["outcome"], "passed") << outcome;
  EXPECT_EQ(result_of(outcome, "INV-G5")["outcome"], "not_checked") << outcome;
  EXPECT_TRUE(eventually([this] { return left().empty(); }));
}

TEST_F(Verify, AnyProgramCanReview) {
  manifest(reviewed_criterion("INV-G1", "prompt-reviewer", "the word is pass") +
           reviewed_criterion("INV-G2", "prompt-reviewer", "say nothing of use"));
  write_file(
      home_.scratch() + "/judge.sh",
      "#!/bin/sh\nif grep -q 'the word is pass'; then echo '{\"verdict\":\"pass\",\"evidence\":[\"heard it\"]}'; "
      "else echo hm; fi\n");
  std::filesystem::permissions(home_.scratch() + "/judge.sh", std::filesystem::perms::owner_all);
  const Outcome outcome = verify("--json --driver 'command:" + home_.scratch() + "/judge.sh'");
  EXPECT_EQ(outcome.exit, 1) << outcome;
  EXPECT_EQ(result_of(outcome, "INV-G1")["outcome"], "passed") << outcome;
  EXPECT_EQ(result_of(outcome, "INV-G2")["outcome"], "not_checked") << outcome;
  EXPECT_TRUE(has_text(result_of(outcome, "INV-G2")["why"], "shape")) << outcome;
}

TEST_F(Verify, WithoutAnAgentWhatNeedsOneIsNotChecked) {
  manifest(bash_criterion("INV-G1", "true") + reviewed_criterion("INV-G2", "general-purpose", "look"));
  const Outcome outcome = verify("--json");
  EXPECT_EQ(outcome.exit, 1) << outcome;
  EXPECT_EQ(result_of(outcome, "INV-G1")["outcome"], "passed");
  EXPECT_EQ(result_of(outcome, "INV-G2")["outcome"], "not_checked");
  EXPECT_TRUE(has_text(outcome.err, "Claude Code is not installed")) << outcome;
  const Outcome only = verify("--json --only bash");
  EXPECT_EQ(only.exit, 0) << only;
  EXPECT_EQ(result_of(only, "INV-G2")["outcome"], "left_out");
}

TEST_F(Verify, ATerminalShowsHowFarItIs) {
  std::filesystem::create_directories(temporary_);
  manifest(bash_criterion("INV-G1", "sleep 2") + bash_criterion("INV-G2", "true"));
  Terminal terminal(start_of(words(manifest_), project_));
  EXPECT_TRUE(eventually([&] { return has_text(terminal.bytes(), "1 of 2 checked; running INV-G1"); }))
      << terminal.bytes();
  EXPECT_TRUE(eventually([&] { return has_text(terminal.bytes(), "2 of 2 passed"); })) << terminal.bytes();
}

}  // namespace
}  // namespace teamster::e2e
