// The workflow pipeline when it does not go by itself: gates, the ladder up to the person, returns from review, files
// and questions that are refused, and engines that are killed.
#include <algorithm>

#include <fmt/format.h>

#include "e2e/pipeline_rehearsal.h"

namespace teamster::e2e {
namespace {

using Names = std::vector<std::string>;

class PipelineTrouble : public PipelineRehearsal {
 protected:
  // Prompts with `also` in them are answered as those with `words` are.
  void answer_also(const std::string& role, const std::string& words, const std::string& also) {
    const std::string file = scripts_ + "/" + role + ".json";
    Json script = Json::parse(read_file(file));
    Json found;
    for (const auto& turn : script["turns"])
      if (found.is_null() && turn["when"]["contains"].get<std::string>().find(words) != std::string::npos) found = turn;
    ASSERT_FALSE(found.is_null()) << words;
    found["when"]["contains"] = also;
    script["turns"].insert(script["turns"].begin(), found);
    write_file(file, script.dump());
  }
  static void begin_with(Json& steps, const char* more) {
    const Json first = Json::parse(more);
    steps.insert(steps.begin(), first.begin(), first.end());
  }
  // An analyst that begins a new conversation each time is known by its iteration.
  void in_iteration(int number, const std::string& skill, const char* task,
                    const std::function<void(Json& steps)>& how) {
    const std::string also =
        fmt::format("the skill `{}` for this change: \"{}\" [the argument task], iteration {}.", skill, task, number);
    answer_also("analyst", fmt::format("the skill `{}`", skill), also);
    always("analyst", also, how);
  }
  // Of each open or answered question: its step.
  Names asked() {
    Names steps;
    for (const auto& ask : decided("ask")) steps.push_back(ask["step"]);
    return steps;
  }
  Json question(const std::string& step) {
    for (const auto& ask : decided("ask"))
      if (ask["step"] == step) return ask;
    return Json::object();
  }
};

TEST_F(PipelineTrouble, APlanThatIsRefusedThreeTimesNeverRuns) {
  people({{"approve-plan", {{"reject", "smaller steps"}, {"by", "kim"}}}});
  EXPECT_EQ(play(kComplexTask).exit, 1) << played_;
  EXPECT_EQ(decided("ask").size(), 3U);
  const auto visited = phases();
  EXPECT_EQ(std::count(visited.begin(), visited.end(), "approve-plan"), 3);
  EXPECT_EQ(std::count(visited.begin(), visited.end(), "architecture"), 0);
  EXPECT_TRUE(decided("make_team").empty()) << "no team was made";
  EXPECT_EQ(git("log --format=%s"), "chore: begin");
  const Json status = ask({"status", played_.json["run"]});
  EXPECT_EQ(status["status"], "blocked");
  for (const auto& turn : decided("turn"))
    if (turn["step"] == "brainstorm" && turn["attempt"] == 2) {
      EXPECT_NE(turn["prompt"].get<std::string>().find("smaller steps"), std::string::npos)
          << "told what has to change";
    }
}

TEST_F(PipelineTrouble, AChangedTierStopsAtAGate) {
  always("coordinator", "research-coordinator", [](Json& steps) { report_of(steps)["tier"] = "COMPLEX"; });
  people({{"change-tier", nullptr}});
  EXPECT_EQ(play(kStandardTask).exit, 4) << played_;
  EXPECT_EQ(phases().back(), "change-tier");
  EXPECT_TRUE(question("change-tier")["text"].get<std::string>().starts_with("Strategic Decision Required"));

  people({{"change-tier", {{"reject", "stay with it"}, {"by", "kim"}}}});
  EXPECT_EQ(play(kStandardTask).exit, 0) << played_;
  const auto visited = phases();
  EXPECT_EQ(std::count(visited.begin(), visited.end(), "feasibility"), 1) << "it goes on as it was settled";
  EXPECT_EQ(std::count(visited.begin(), visited.end(), "plan-verify"), 0);
  EXPECT_EQ(permanent_task()["user_directives"][0]["answer"], "stay with it");
}

TEST_F(PipelineTrouble, ASilentAnalystClimbsFromRetryToAFreshAgent) {
  const char* words = "the skill `audit-static`";
  answer_also("analyst", words, "Another agent began this and was replaced");
  always("analyst", words, [](Json& steps) {
    // As often as its host starts it again, twice: then it has failed, and so has the second try.
    for (int i = 0; i < 8; ++i) steps.insert(steps.begin(), Json::object({{"mute", Json::object()}}));
  });
  ASSERT_EQ(play(kStandardTask).exit, 0) << played_;
  EXPECT_EQ(turns("research/5"), (Names{"research/5", "research/5 retry", "research/5 fresh"}));
  const Json task = permanent_task();
  EXPECT_TRUE(task["escalations"]["audit-static"].get<std::string>().starts_with("L2|")) << task["escalations"];
  bool is_told = false;
  for (const auto& turn : decided("turn"))
    if (turn["step"] == "plan/1")
      is_told = turn["prompt"].get<std::string>().find("audit-static: research/5 went up to L2") != std::string::npos;
  EXPECT_TRUE(is_told) << "what went badly reaches the next wave";
  const Json retro = ask({"retro", played_.json["run"]});
  EXPECT_EQ(retro["findings"][0]["severity"], "high");
  EXPECT_EQ(retro["findings"][0]["about"], "audit-static");
}

TEST_F(PipelineTrouble, TwoInTroubleChangeTheGraph) {
  always("analyst", "the skill `audit-static`", [](Json& steps) { fails(steps, "no graph"); });
  always("analyst", "the skill `audit-behavioral`", [](Json& steps) {
    steps.insert(steps.begin(), Json::object({{"sleep", "30s"}}));
    fails(steps, "no behaviour");
  });
  write_file(scripts_ + "/advisor.json",
             R"({"turns": [{"repeat": true, "steps": [{"report": {"why": "one view is enough",
    "items": [{"id": "audit-both", "skill": "audit-relational", "role": "analyst",
               "replaces": ["audit-static", "audit-behavioral"]}]}}, {"say": "one"}]}]})");
  ASSERT_EQ(play(kStandardTask).exit, 0) << played_;
  EXPECT_EQ(turns("research/advice").size(), 1U);
  EXPECT_EQ(turns("research/9"), (Names{"research/9"})) << "the new one";
  std::map<int, std::string> ended;
  for (const auto& done : decided("item_done")) ended[done["number"]] = done["status"];
  EXPECT_EQ(ended[5], "replaced");
  EXPECT_EQ(ended[6], "replaced");
  EXPECT_TRUE(permanent_task()["escalations"]["Research"].get<std::string>().starts_with("L3|"));
}

TEST_F(PipelineTrouble, ThreeFreshAgentsThenAPersonWhoseWordsReachThatTaskAlone) {
  const char* words = "\"subject\": \"write JSON\"";
  answer_also("implementer", words, "The owner of this run says");
  always("implementer", words, [](Json& steps) { fails(steps, "it cannot be quoted"); });
  people({{"approve-plan", {{"approve", true}, {"by", "kim"}}},
          {"execute/2/stuck", {{"answer", "use printf and nothing else"}, {"by", "kim"}}}});
  ASSERT_EQ(play(kComplexTask).exit, 0) << played_;
  const auto tried = turns("execute/2");
  EXPECT_EQ(tried, (Names{"execute/2", "execute/2 mend", "execute/2 fresh", "execute/2 fresh", "execute/2 fresh",
                          "execute/2 fresh"}));
  const Json asked = question("execute/2/stuck");
  EXPECT_TRUE(asked["text"].get<std::string>().starts_with("Strategic Decision Required\n\n")) << asked;
  EXPECT_NE(asked["text"].get<std::string>().find("given to a fresh agent 3×"), std::string::npos) << asked;
  EXPECT_GE(asked["options"].size(), 3U);
  EXPECT_EQ(asked["options"].back(), "Abort pipeline");
  EXPECT_EQ(asked["outcomes"].size(), asked["options"].size());
  for (const auto& turn : decided("turn")) {
    const bool is_told = turn["prompt"].get<std::string>().find("use printf and nothing else") != std::string::npos;
    EXPECT_EQ(is_told, turn["step"] == "execute/2" && turn["attempt"] == 6) << turn["step"];
  }
  EXPECT_TRUE(permanent_task()["user_directives"].back()["answer"] == "use printf and nothing else");
}

TEST_F(PipelineTrouble, AReturnFromReviewRepeatsWhatFailedWithTheFindings) {
  in_iteration(1, "execution-review", kComplexTask, [](Json& steps) { fails(steps, "a line without words", "T2"); });
  ASSERT_EQ(play(kComplexTask).exit, 0) << played_;
  EXPECT_EQ(turns("execute/"), (Names{"execute/1", "execute/2", "execute/3", "execute/4", "execute/2"}));
  std::string prompt;
  for (const auto& turn : decided("turn"))
    if (turn["step"] == "execute/2") prompt = turn["prompt"];
  EXPECT_NE(prompt.find("a line without words"), std::string::npos);
  EXPECT_NE(prompt.find("This is iteration 2"), std::string::npos);
  EXPECT_EQ(permanent_task()["iterations"]["execution-review"], 2);
}

TEST_F(PipelineTrouble, AWrongFileGoesBackToItsAuthor) {
  answer_also("analyst", "the skill `pre-design-brainstorm`", "it does not begin with a header");
  once("analyst", "the skill `pre-design-brainstorm`", [](Json& steps) {
    for (auto& step : steps)
      if (step.contains("write")) step["write"]["text"] = "# no header\n";
  });
  answer_also("analyst", "the skill `pre-design-validate`", "write it there");
  once("analyst", "the skill `pre-design-validate`", [](Json& steps) {
    for (auto& step : steps)
      if (step.contains("write")) step["write"]["path"] = "tasks/elsewhere.md";
    report_of(steps)["file"] = "tasks/elsewhere.md";
  });
  ASSERT_EQ(play(kTrivialTask).exit, 0) << played_;
  EXPECT_EQ(turns("brainstorm"), (Names{"brainstorm", "brainstorm mend"}));
  EXPECT_EQ(turns("validate"), (Names{"validate", "validate mend"}));
}

TEST_F(PipelineTrouble, TacticsAreTheMembersOwnAndStrategyIsThePersons) {
  once("analyst", "the skill `pre-design-brainstorm`", [](Json& steps) {
    begin_with(steps, R"([{"ask": {"question": "Tabs or spaces?"}}, {"wait_message": {"timeout": "10m"}}])");
  });
  once("analyst", "the skill `pre-design-validate`", [](Json& steps) {
    begin_with(steps, R"([{"ask": {"question": "Lines or paragraphs?", "options": ["lines", "paragraphs"],
                                   "reason": "ambiguity"}}, {"wait_message": {"timeout": "10m"}}])");
  });
  people({{"validate/ask-2", {{"answer", "lines"}, {"by", "kim"}}}});
  ASSERT_EQ(play(kTrivialTask).exit, 0) << played_;
  const auto replies = decided("reply");
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0]["text"], "Decide by your skill.");
  EXPECT_EQ(replies[0]["by"], "lead");
  EXPECT_EQ(replies[1]["text"], "lines");
  EXPECT_EQ(asked(), (Names{"validate/ask-2"}));
  EXPECT_EQ(permanent_task()["user_directives"][0]["answer"], "lines");
}

TEST_F(PipelineTrouble, WhoWritesAnothersFileIsToldAndItIsPutBack) {
  answer_also("implementer", "\"subject\": \"count lines\"", "not yours to change");
  once("implementer", "\"subject\": \"count lines\"",
       [](Json& steps) { begin_with(steps, R"([{"append": {"path": "README.md", "text": "mine\n"}}])"); });
  ASSERT_EQ(play(kTrivialTask).exit, 0) << played_;
  EXPECT_EQ(turns("execute"), (Names{"execute/1", "execute/1 mend"}));
  EXPECT_EQ(git("diff --stat HEAD -- README.md"), "");
}

TEST_F(PipelineTrouble, BlockedIsForAPersonAndNotTriedAgain) {
  once("analyst", "the skill `pre-design-validate`", [](Json& steps) {
    report_of(steps)["status"] = "BLOCKED";
    report_of(steps)["signal"] = "BLOCKED|tool:WebSearch|reason:there is none";
    report_of(steps).erase("file");
  });
  people({{"validate/stuck", {{"answer", "same"}, {"by", "kim"}}}});
  ASSERT_EQ(play(kTrivialTask).exit, 0) << played_;
  EXPECT_EQ(turns("validate"), (Names{"validate", "validate retry"}));
  EXPECT_NE(question("validate/stuck")["text"].get<std::string>().find("BLOCKED|tool:WebSearch"), std::string::npos);
}

TEST_F(PipelineTrouble, AcceptedInsightsReachThePromptsThatTheyConcern) {
  ASSERT_EQ(play(kTrivialTask).exit, 0) << played_;
  in_iteration(1, "execution-review", kTrivialTask, [](Json& steps) { fails(steps, "no words"); });
  ASSERT_EQ(play(kTrivialTask).exit, 0) << played_;
  const Json retro = ask({"retro", played_.json["run"]});
  ASSERT_FALSE(retro["findings"].empty());
  ASSERT_EQ(look({"retro", played_.json["run"], "--accept", "1"}).exit, 0);
  const std::string kept = read_file(kept_ + "/.teamster/insights.md");
  EXPECT_NE(kept.find(retro["findings"][0]["text"].get<std::string>()), std::string::npos) << kept;
  EXPECT_NE(kept.find("\n## execution-review\n"), std::string::npos) << "whom it concerns: " << kept;
  EXPECT_NE(look({"retro", played_.json["run"], "--markdown"}).out.find("| lead | 0 | 0 |"), std::string::npos);
}

}  // namespace
}  // namespace teamster::e2e
