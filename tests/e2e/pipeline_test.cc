// The workflow pipeline, rehearsed: each tier visits its phases and ends in real commits, with what is promised of
// every prompt, every file and every permanent task.
#include <algorithm>

#include <fmt/format.h>

#include "e2e/pipeline_rehearsal.h"

namespace teamster::e2e {
namespace {

using Names = std::vector<std::string>;

class Pipeline : public PipelineRehearsal {
 protected:
  // Nine sections in their order, paths and no contents, at most 30 % of the window.
  void expect_good_delegations() {
    const Names sections = {"WARNING",       "OBJECTIVE", "CONTEXT", "PLAN",       "MCP_DIRECTIVES",
                            "COMM_PROTOCOL", "CRITERIA",  "OUTPUT",  "CONSTRAINTS"};
    for (const auto& turn : decided("turn")) {
      const std::string prompt = turn["prompt"];
      EXPECT_EQ(prompt.find("written in a rehearsal"), std::string::npos) << "contents of a file in " << turn["step"];
      EXPECT_LE(prompt.size(), 240'000U);
      if (turn.contains("rung")) continue;
      std::size_t at = 0;
      for (const auto& section : sections) {
        const std::size_t next = prompt.find("## " + section + "\n", at);
        EXPECT_NE(next, std::string::npos) << section << " of " << turn["step"];
        at = std::min(next, prompt.size());
      }
    }
  }
  // Every turn of an agent that the hub knows is a turn of a member in the run's journal, or one that the words of
  // another member have begun, READY after the receiver had ended: nobody else asks a model.
  void expect_that_the_lead_costs_nothing() {
    std::size_t ended = 0;
    for (const Json log = ask({"log", "--kind", "member.turn"}); const auto& event : log["events"]) {
      const Json& body = event["body"];
      if (!body.contains("usage")) continue;
      EXPECT_NE(body["member"], "lead");
      const bool is_of_run = body.value("prompt", "").starts_with(played_.json["run"].get<std::string>() + "/");
      if (is_of_run) ++ended;
      EXPECT_TRUE(is_of_run || !body.value("messages", Json::array()).empty()) << event;
    }
    EXPECT_EQ(ended, decided("turn").size());
    const Json retro = ask({"retro", played_.json["run"]});
    EXPECT_EQ(retro["lead"]["tokens"], 0);
    EXPECT_EQ(retro["turns"], ended);
    for (const auto& member : retro["members"]) EXPECT_GT(member["tokens"], 0) << member;
    for (const auto& member : retro["members"]) EXPECT_LE(member["window_percent"], 30) << member;
  }
};

TEST_F(Pipeline, TrivialIsPreDesignExecutionAndDelivery) {
  ASSERT_EQ(play(kTrivialTask).exit, 0) << played_;
  EXPECT_EQ(phases(), (Names{"brainstorm", "validate", "feasibility", "execute", "review", "delivery"}));
  EXPECT_EQ(git("log --format=%s"), "deliver: tally\ncount: lines (T1)\nchore: begin");
  EXPECT_EQ(git("show --format= --name-only HEAD~1"), "src/count.sh\ntests/count_test.sh");
  EXPECT_EQ(decided("make_team").size(), 1U) << "before P6 its members work alone";
  expect_good_delegations();
  expect_that_the_lead_costs_nothing();
}

TEST_F(Pipeline, StandardPlansAndVerifies) {
  ASSERT_EQ(play(kStandardTask).exit, 0) << played_;
  EXPECT_EQ(phases(), (Names{"brainstorm", "validate", "feasibility", "architecture", "interface", "risk", "research",
                             "plan", "execute", "impact", "review", "verify", "delivery"}));
  EXPECT_EQ(git("log --format=%s"),
            "deliver: tally\ndocs: show the numbers (T2)\nformat: numbers below each other (T1)\nchore: begin");
  Names teams;
  for (const auto& turn : decided("turn"))
    if (teams.empty() || teams.back() != turn["team"]) teams.push_back(turn["team"]);
  const std::string run = played_.json["run"];
  EXPECT_EQ(teams, (Names{run, "team-" + run})) << "P0 and P1 have no team";
  for (const auto& turn : decided("turn"))
    if (turn["step"] == "risk") {
      EXPECT_EQ(turn["team"], run);
    }
  expect_good_delegations();
}

TEST_F(Pipeline, ComplexGoesThroughAllPhases) {
  ASSERT_EQ(play(kComplexTask).exit, 0) << played_;
  EXPECT_EQ(phases(), (Names{"brainstorm", "validate", "feasibility", "approve-plan", "architecture", "interface",
                             "risk", "research", "plan", "plan-verify", "plan-verdict", "orchestrate", "execute",
                             "impact", "review", "verify", "settle", "delivery"}));
  const std::string log = git("log --format=%s");
  EXPECT_TRUE(log.starts_with("deliver: tally\nci: run the tests (T4)\ntally: write JSON (T3)\n")) << log;
  EXPECT_NE(log.find("count: characters (T1)"), std::string::npos);
  EXPECT_NE(log.find("format: JSON (T2)"), std::string::npos);
  EXPECT_EQ(git("status --porcelain -- . ':(exclude)tasks'"), "");
  // Nobody is in the team before the plan is approved, everybody after it.
  const std::string team = "team-" + played_.json["run"].get<std::string>();
  bool is_in_team = false;
  for (const auto& turn : decided("turn")) {
    is_in_team = is_in_team || turn["step"] == "architecture";
    EXPECT_EQ(turn["team"] == team, is_in_team) << turn["step"];
  }
  // Waves: T1 and T2 at once, each file with its owner.
  const auto work = turns("execute/");
  EXPECT_EQ(work, (Names{"execute/1", "execute/2", "execute/3", "execute/4"}));
  for (const auto& turn : decided("turn"))
    if (turn["step"] == "execute/1") {
      EXPECT_EQ(turn["writes"][0], "src/count.sh");
    }
  // The coordinator begins when all parts have passed, and gets their paths.
  const auto research = turns("research");
  EXPECT_EQ(research.back(), "research/merge");
  EXPECT_EQ(research.size(), 9U);
  expect_good_delegations();
  expect_that_the_lead_costs_nothing();
}

TEST_F(Pipeline, ThePermanentTaskHoldsTheTruth) {
  ASSERT_EQ(play(kComplexTask).exit, 0) << played_;
  std::size_t made = 0;
  std::size_t completed = 0;
  std::string subject;
  for (const Json log = ask({"log"}); const auto& event : log["events"]) {
    if (event["kind"] == "task.created" && event["body"]["subject"].get<std::string>().starts_with("[PERMANENT]")) {
      ++made;
      subject = event["body"]["subject"];
    }
    if (event["kind"] == "task.updated" && event["body"].value("status", "") == "completed" &&
        event["body"].value("metadata", Json::object()).contains("delivery_commit"))
      ++completed;
  }
  EXPECT_EQ(made, 2U) << "one while members work alone, one in the team that comes after it";
  EXPECT_EQ(completed, 1U);
  EXPECT_EQ(subject, std::string("[PERMANENT] ") + kComplexTask);
  const Json task = permanent_task();
  EXPECT_EQ(task["tier"], "COMPLEX");
  EXPECT_EQ(task["requirements"].size(), 2U);
  EXPECT_EQ(task["architecture_decisions"][0], "AD1 counting and writing stay apart");
  EXPECT_EQ(task["phase_signals"]["p0"], "PASS|gaps:0|tier:COMPLEX");
  EXPECT_EQ(task["phase_signals"]["p5"], "PASS|gaps:0");
  EXPECT_EQ(task["iterations"]["plan-static"], 1);
  EXPECT_EQ(task["thinking_insights"]["p1"][0], "count and format know nothing of each other");
  EXPECT_EQ(task["delivery_commit"], git("rev-parse HEAD"));
}

TEST_F(Pipeline, OutputFilesLieInTheProjectUnderTheirNames) {
  ASSERT_EQ(play(kStandardTask).exit, 0) << played_;
  const std::string directory = kept_ + "/tasks/" + played_.json["run"].get<std::string>() + "/";
  for (const char* name :
       {"p0-brainstorm.md", "p1-risk.md", "p2-codebase.md", "p2-coordinator-index.md", "p2-audit-static.md",
        "p3-static.md", "p6-code-T1.md", "p7-quality.md", "p8-delivery-pipeline.md"})
    EXPECT_TRUE(read_file(directory + name).starts_with("---\ndomain: ")) << name;
}

TEST_F(Pipeline, LooksAfterItselfByFiveSkills) {
  workflow_ = "homeostasis";
  EXPECT_EQ(home_.run({"skills", "show", "rsil", "--workflow", "homeostasis"}).exit, 0) << "skills of another workflow";
  for (const std::string skill : {"self-diagnose", "self-implement", "manage-infra", "manage-codebase", "rsil"}) {
    ASSERT_EQ(play(skill).exit, 0) << skill << played_;
    const std::string file = read_file(kept_ + "/tasks/homeostasis/homeostasis-" + skill + ".md");
    EXPECT_TRUE(file.starts_with("---\ndomain: homeostasis\nskill: " + skill + "\n")) << file;
    EXPECT_EQ(phases().back(), skill == "self-implement" || skill == "manage-infra" ? "mend" : "look");
  }
}

}  // namespace
}  // namespace teamster::e2e
