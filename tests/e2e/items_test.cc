// Work on several items, with scripted agents as real processes: a queue, members, blockers, checks, the ladder,
// parking, the task list and checklists.
#include <algorithm>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kTenItems = R"(
name: ten
about: Ten items, some of which fail.
roles:
  worker: { about: makes files, writes: ['.'], tools: [Bash, Write] }
phases:
  - id: plan
    role: worker
    template: plan.md
    returns: plan.json
  - id: work
    kind: fanout
    role: worker
    template: work.md
    inputs: { ID: item/id }
    returns: made.json
    files: [path]
    check: { command: 'sh check.sh "$ID"', inputs: { ID: item/id } }
    items: { from: plan/items, members: 3 }
    limit: 3s
)";

constexpr const char* kPlanSchema = R"({"type":"object","required":["items"],"properties":{"items":{"type":"array",
  "items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},
  "blocked_by":{"type":"array","items":{"type":"string"}}}}}}})";
constexpr const char* kMadeSchema = R"({"type":"object","required":["path"],"properties":{"path":{"type":"string"}}})";

constexpr const char* kPlan = R"({"items": [{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d", "blocked_by": ["a"]},
  {"id": "e"}, {"id": "f", "blocked_by": ["c"]}, {"id": "g"}, {"id": "h", "blocked_by": ["g"]}, {"id": "i"},
  {"id": "j"}]})";

// Fails as often as the file fails-ID says, then passes; each call is counted.
constexpr const char* kCheck = R"(
id=$1
n=$(cat "count-$id" 2>/dev/null || echo 0)
n=$((n + 1))
echo $n > "count-$id"
limit=$(cat "fails-$id" 2>/dev/null || echo 0)
[ "$n" -gt "$limit" ] || { echo "$id fails for the ${n}th time"; exit 1; }
)";

class Items : public OwnWorkflow {
 protected:
  void ten_items() {
    workflow("ten", kTenItems,
             {{"plan.md", "Plan it.\n"},
              {"work.md", "Make {{ID}}, which is number {{ITEM_NUMBER}}.\n"},
              {"plan.json", kPlanSchema},
              {"made.json", kMadeSchema}});
    project_file("check.sh", kCheck);
    project_file("fails-c", "1\n");
    project_file("fails-e", "1\n");
    project_file("fails-g", "3\n");
    Json turns = Json::array();
    turns.push_back(turn("Plan it", Json::array({saying(Json::parse(kPlan))})));
    for (int number = 1; number <= 10; ++number) {
      const std::string file = "made-" + std::to_string(number);
      Json steps = Json::array();
      if (number == 9) steps.push_back(Json::parse(R"({"crash": {"exit": 3}})"));
      if (number == 10) steps.push_back(Json::parse(R"({"mute": {}})"));
      steps.push_back({{"run", "echo made >> " + file}});
      steps.push_back(saying({{"path", file}}));
      turns.push_back(turn("number " + std::to_string(number) + ".", std::move(steps)));
    }
    script("worker", Json{{"turns", turns}, {"otherwise", Json::array({saying({{"path", "check.sh"}})})}}.dump());
  }
  static Json turn(const std::string& words, Json steps) {
    return {{"when", {{"contains", words}}}, {"steps", std::move(steps)}};
  }
  static Json saying(const Json& answer) { return {{"say", "```json\n" + answer.dump() + "\n```"}}; }
};

TEST_F(Items, EachIsDoneOnceThroughTheLadderAndAParkedOneIsFinishedByItsOwner) {
  ten_items();
  Process engine(start_of(run_words("ten")));
  const Json asked = question();
  EXPECT_EQ(asked["step"], "work/7/stuck") << asked;
  EXPECT_NE(asked["text"].get<std::string>().find("Waiting for it: h"), std::string::npos) << asked;
  const std::string run = asked["run"];
  EXPECT_EQ(home_.ok({"answer", asked["id"].get<std::string>(), "again"})["recorded"], true);
  ASSERT_EQ(engine.wait(), 0) << engine.out() << engine.err();

  auto said = turns(run);
  std::sort(said.begin(), said.end());
  EXPECT_EQ(said, (std::vector<std::string>{"plan", "work/1", "work/10", "work/10 retry", "work/2", "work/3",
                                            "work/3 mend", "work/4", "work/5", "work/5 mend", "work/6", "work/7",
                                            "work/7 fresh", "work/7 fresh", "work/7 mend", "work/8", "work/9"}));
  std::set<std::string> passed;
  for (const auto& done : decided(run, "item_done")) {
    EXPECT_EQ(done["status"], "passed") << done;
    EXPECT_TRUE(passed.insert(done["number"].dump()).second) << done;
  }
  EXPECT_EQ(passed.size(), 10U);
  EXPECT_EQ(home_.ok({"replay", run})["differences"], Json::array());
}

TEST_F(Items, TheTaskListIsTrueWhileTheyAreDone) {
  ten_items();
  project_file("fails-g", "99\n");
  Process engine(start_of(run_words("ten")));
  const Json asked = question();
  const std::string run = asked["run"];
  std::map<std::string, std::string> tasks;
  EXPECT_TRUE(eventually([&] {
    const Json listed = home_.ok({"task", "list", "--team", run});
    for (const auto& task : listed["tasks"])
      tasks[task["subject"].get<std::string>()] = task["status"].get<std::string>();
    return std::count_if(tasks.begin(), tasks.end(), [](const auto& task) { return task.second == "completed"; }) == 8;
  }));
  EXPECT_EQ(tasks.size(), 10U);
  EXPECT_EQ(tasks["g"], "pending") << "nobody works on it";
  EXPECT_EQ(tasks["h"], "pending") << "it waits for g";
  const Outcome claimed = home_.run({"task", "claim", "--team", run, "--member", "worker-1", "--json"});
  EXPECT_NE(claimed.exit, 0) << claimed;
  EXPECT_EQ(home_.ok({"answer", asked["id"].get<std::string>(), "skip"})["recorded"], true);
  EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
}

TEST_F(Items, AChecklistIsWorkedOffGroupByGroupAndTickedByTheEngine) {
  workflow("list", R"(
name: list
about: A checklist.
roles:
  worker: { about: works, tools: [Bash] }
phases:
  - id: work
    kind: fanout
    role: worker
    template: work.md
    returns: done.json
    items: { checklist: tasks.md, group: '[P]', members: 2 }
)",
           {{"work.md", "Do {{ITEM}}.\n"},
            {"done.json", R"({"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}})"}});
  project_file("tasks.md",
               "# Tasks\n- [x] begun\n- [ ] one\n- [ ] [P] two\n- [ ] [P] three\n  - [ ] a detail\n- [ ] four\n");
  script("worker", R"({"turns": [], "otherwise": [{"say": "```json\n{\"ok\": true}\n```"}]})");
  ASSERT_EQ(teamster(run_words("list")), 0) << said_;
  EXPECT_EQ(project_text("tasks.md"),
            "# Tasks\n- [x] begun\n- [x] one\n- [x] [P] two\n- [x] [P] three\n  - [ ] a detail\n- [x] four\n");
  EXPECT_EQ(decided(last_run(), "read_items").size(), 4U);
}

}  // namespace
}  // namespace teamster::e2e
