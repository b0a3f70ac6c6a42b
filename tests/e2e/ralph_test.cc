// The workflow ralph: its teams for research and execution, what is checked before the index advances, what it says
// when there is no team, and how little is left when it is cancelled.
#include <filesystem>

#include <fmt/format.h>

#include "e2e/ralph_project.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoTeams =
    "WARNING: Agent teams not enabled (teams not set).\n"
    "Falling back to one-shot agents for parallel execution.\n";

class Ralph : public testing::Test {
 protected:
  static std::vector<std::string> numbers(int count) {
    std::vector<std::string> list;
    for (int i = 1; i <= count; ++i) list.push_back(std::to_string(i));
    return list;
  }
  static void expect_no_team(const Json& state) {
    EXPECT_TRUE(state["teamName"].is_null()) << state;
    EXPECT_TRUE(state["teammateNames"].is_null()) << state;
    EXPECT_TRUE(state["teamPhase"].is_null()) << state;
  }

  const Home home_;
  RalphProject project_{home_};
};

TEST_F(Ralph, PlaysTheWholeLoop) {
  const std::string kept = home_.scratch() + "/loop";
  const Outcome played = home_.run({"rehearse", "ralph", "--keep", kept}, {.limit = Milliseconds(120'000)});
  ASSERT_EQ(played.exit, 0) << played;
  const Json state = Json::parse(read_file(kept + "/specs/greeter/.ralph-state.json"));
  EXPECT_EQ(state["phase"], "execution");
  EXPECT_EQ(state["taskIndex"], 7);
  EXPECT_EQ(state["totalTasks"], 7);
  EXPECT_EQ(state["basePath"], "specs/greeter");
  expect_no_team(state);
  EXPECT_EQ(read_file(kept + "/specs/greeter/tasks.md").find("[ ]"), std::string::npos);
  EXPECT_NE(played.out.find("team research-greeter-"), std::string::npos) << played;
  EXPECT_NE(played.out.find("team exec-greeter-"), std::string::npos);
}

TEST_F(Ralph, FourTopicsAreATeamOfFour) {
  project_.set_topics(4);
  const auto played = project_.play({"research", "auth"});
  ASSERT_EQ(played.outcome.exit, 0) << played.outcome;
  EXPECT_EQ(played.output().find("WARNING"), std::string::npos) << played.outcome;
  EXPECT_NE(played.output().find("team research-auth-"), std::string::npos);
  for (const char* member : {"researcher-1", "analyst-1", "researcher-2", "analyst-2"})
    EXPECT_NE(played.output().find(member), std::string::npos) << member << played.outcome;
  EXPECT_EQ(played.file("specs/auth/research.md"), "finding 1\nfinding 2\nfinding 3\nfinding 4\n");
  expect_no_team(played.state());
}

TEST_F(Ralph, SevenTopicsQueueForFive) {
  project_.set_topics(7);
  const auto played = project_.play({"research", "auth"});
  ASSERT_EQ(played.outcome.exit, 0) << played.outcome;
  EXPECT_EQ(played.file("specs/auth/research.md").find("finding 7"), 60U) << played.file("specs/auth/research.md");
  EXPECT_EQ(played.output().find("researcher-5"), std::string::npos) << "more than five at once";
}

TEST_F(Ralph, TwoTopicsNeedNoTeamAndNoWarning) {
  project_.set_topics(2);
  const auto played = project_.play({"research", "auth"});
  ASSERT_EQ(played.outcome.exit, 0) << played.outcome;
  EXPECT_EQ(played.output().find("team research-auth-"), std::string::npos) << played.outcome;
  EXPECT_EQ(played.output().find("WARNING"), std::string::npos) << played.outcome;
  EXPECT_EQ(played.file("specs/auth/research.md"), "finding 1\nfinding 2\n");
}

TEST_F(Ralph, WithTeamsOffTheSameIsDoneWithAWarning) {
  project_.set_topics(4);
  project_.set_config("teams: 'off'\n");
  const auto played = project_.play({"research", "auth"});
  ASSERT_EQ(played.outcome.exit, 0) << played.outcome;
  EXPECT_EQ(played.output().find("team research-auth-"), std::string::npos) << played.outcome;
  const std::size_t at = played.output().find(kNoTeams);
  ASSERT_NE(at, std::string::npos) << played.outcome;
  EXPECT_TRUE(at == 0 || played.output()[at - 1] == '\n') << "no other words before it";
  EXPECT_EQ(played.file("specs/auth/research.md"), "finding 1\nfinding 2\nfinding 3\nfinding 4\n");
}

TEST_F(Ralph, TenTasksOnThreeOfWhomOneCrashesAndOneFallsSilent) {
  std::vector<std::string> tasks;
  for (int i = 1; i <= 10; ++i) tasks.push_back(fmt::format("task number {} [P]", i));
  project_.set_tasks(tasks);
  project_.set_config("ralph: { executors: '3' }\n");
  const auto played = project_.play(
      {"implement", "auth"}, {"--fault", "crash executor-1@execution/1.1", "--fault", "mute executor-2@execution/2.1"});
  ASSERT_EQ(played.outcome.exit, 0) << played.outcome;
  EXPECT_EQ(played.done(), numbers(10)) << "each exactly once";
  std::string ticked = "# Tasks\n\n";
  for (const auto& task : tasks) ticked += fmt::format("- [x] {}\n", task);
  EXPECT_EQ(played.file("specs/auth/tasks.md"), ticked) << "nothing else has changed";
  EXPECT_EQ(played.state()["taskIndex"], 10);
  EXPECT_EQ(played.state()["totalTasks"], 10);
  expect_no_team(played.state());
}

TEST_F(Ralph, GroupsWithSingleTasksBetween) {
  project_.set_tasks(
      {"one [P]", "two [P]", "three", "four [P]", "five [P]", "six [P]", "seven", "eight [P]", "nine [P]"});
  const auto played = project_.play({"implement", "auth"});
  ASSERT_EQ(played.outcome.exit, 0) << played.outcome;
  EXPECT_EQ(played.done(), numbers(9));
  EXPECT_EQ(played.state()["taskIndex"], 9);
  std::size_t teams = 0;
  for (std::size_t at = played.output().find("is ready"); at != std::string::npos;
       at = played.output().find("is ready", at + 1))
    if (played.output().rfind("team exec-auth-", at) != std::string::npos &&
        at - played.output().rfind("team exec-auth-", at) < 60)
      ++teams;
  EXPECT_EQ(teams, 3U) << played.outcome;
}

TEST_F(Ralph, ATaskThatNeedsAPersonIsNotTicked) {
  project_.set_tasks({"one", "two needs a console", "three"});
  const Json manual = {{"report",
                        {{"signal", "TASK_INCOMPLETE"},
                         {"summary", "somebody has to click in the console"},
                         {"commit", nullptr},
                         {"manual_action", true}}}};
  project_.set_steps(
      2, Json::array(
             {{{"when", {{"contains", "Task 2 of the spec auth"}}}, {"repeat", true}, {"steps", Json::array({manual})}},
              {{"repeat", true}, {"steps", Json::array({manual})}}}));
  const auto played = project_.play({"implement", "auth"});
  EXPECT_EQ(played.outcome.exit, 4) << "it waits for a person: " << played.outcome;
  EXPECT_EQ(played.file("specs/auth/tasks.md"), "# Tasks\n\n- [x] one\n- [ ] two needs a console\n- [ ] three\n");
  EXPECT_EQ(played.state()["taskIndex"], 1);
  EXPECT_EQ(played.state()["totalTasks"], 3);
}

TEST_F(Ralph, ACommitThatIsClaimedAndNotThereCountsForNothing) {
  project_.set_tasks({"one", "two"});
  const Json lie = {{"report",
                     {{"signal", "TASK_COMPLETE"},
                      {"summary", "done"},
                      {"commit", "0123456789abcdef0123456789abcdef01234567"},
                      {"manual_action", false}}}};
  Json mend = RalphProject::good_steps(1);
  mend.erase(0);
  project_.set_steps(
      1, Json::array({{{"when", {{"contains", "Task 1 of the spec auth"}}},
                       {"steps", Json::array({{{"write", {{"path", ".git/task-1"}, {"text", "{{PROMPT}}"}}}}, lie})}},
                      {{"when", {{"contains", "there is no commit 0123456789abcdef"}}}, {"steps", mend}}}));
  const auto played = project_.play({"implement", "auth"});
  ASSERT_EQ(played.outcome.exit, 0) << played.outcome;
  EXPECT_EQ(played.done(), numbers(2));
  EXPECT_EQ(played.file("specs/auth/tasks.md"), "# Tasks\n\n- [x] one\n- [x] two\n");
}

TEST_F(Ralph, WhoTicksABoxOfAnotherIsFound) {
  project_.set_tasks({"one", "two", "three"});
  Json steps = RalphProject::good_steps(1);
  Json tick = Json::object();
  tick["run"] = "sed -i 's/- \\[ \\] three/- [x] three/' specs/auth/tasks.md";
  steps.insert(steps.begin(), tick);
  project_.set_steps(1, Json::array({{{"when", {{"contains", "Task 1 of the spec auth"}}}, {"steps", steps}}}));
  const auto played = project_.play({"implement", "auth"});
  EXPECT_EQ(played.outcome.exit, 4) << played.outcome;
  EXPECT_NE(played.output().find("only the engine ticks"), std::string::npos) << played.outcome;
}

// A run under way in the home of the test, whose first group takes its time.
class RalphUnderWay : public Ralph {
 protected:
  RalphUnderWay() {
    project_.set_tasks({"one [P]", "two [P]"});
    for (int task = 1; task <= 2; ++task)
      project_.set_steps(task, Json::array({{{"when", {{"contains", fmt::format("Task {} of the spec auth", task)}}},
                                             {"steps", Json::array({{{"sleep", "60s"}}})}}}));
    project_.write_all();
    Words words = {"run", "ralph", "implement", "auth", "--detach", "--json"};
    const Words flags = project_.scripts_flags();
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome started = project_.run(words);
    EXPECT_EQ(started.exit, 0) << started;
    run_ = started.json.value("run", "");
    EXPECT_TRUE(eventually([&] { return !team().empty() && state().value("teamName", Json()).is_string(); }));
  }
  std::string team() const {
    const Json teams = home_.ok({"team", "list"}).at("teams");
    for (const auto& each : teams)
      if (each["team"].get<std::string>().starts_with("exec-auth-")) return each["team"];
    return {};
  }
  Json state() const {
    const std::string path = project_.file("specs/auth/.ralph-state.json");
    return fs::exists(path) ? Json::parse(read_file(path), nullptr, false) : Json::object();
  }

  std::string run_;
};

TEST_F(RalphUnderWay, ASecondTeamIsRefusedInTheseWords) {
  const std::string name = team();
  EXPECT_EQ(state()["teamPhase"], "execution");
  Words words = {"run", "ralph", "research", "auth", "another goal"};
  const Words flags = project_.scripts_flags();
  words.insert(words.end(), flags.begin(), flags.end());
  const Outcome refused = project_.run(words);
  EXPECT_EQ(refused.exit, 3) << refused;
  EXPECT_EQ(refused.err, fmt::format("ERROR: Active team exists ({}). Phase must complete before starting new team.\n"
                                     "Run: teamster cancel {} to terminate current team and phase.\n",
                                     name, run_));
  const Outcome switching = project_.run({"run", "ralph", "switch", "auth"});
  EXPECT_EQ(switching.exit, 3) << switching;
  EXPECT_EQ(switching.err,
            "ERROR: Cannot switch specs while team active. Cancel or complete current phase first.\n" + name + "\n");
  const auto are_at_work = [&] {
    return project_.run({"team", "status", "auth"}).out.find("- executor-2: two (WORKING)") != std::string::npos;
  };
  EXPECT_TRUE(eventually(are_at_work));
  const Outcome status = project_.run({"team", "status", "auth"});
  EXPECT_EQ(status.exit, 0) << status;
  EXPECT_NE(status.out.find("Active Teams for Spec: auth\nTeam: " + name + "\n"), std::string::npos) << status;
  EXPECT_NE(status.out.find("Phase: execution\n"), std::string::npos) << status;
  EXPECT_NE(status.out.find("Teammates (2):\n- executor-1: one (WORKING)\n"), std::string::npos) << status;
  EXPECT_NE(project_.run({"status", run_}).out.find(name + ", 2 members, phase execution"), std::string::npos);
}

TEST_F(RalphUnderWay, CancelInTheMiddleLeavesNothing) {
  const Outcome cancelled = project_.run({"cancel", run_});
  EXPECT_EQ(cancelled.exit, 0) << cancelled;
  EXPECT_EQ(team(), "");
  EXPECT_TRUE(home_.ok({"team", "status"}).at("orphans").empty());
  expect_no_team(state());
  const auto agents = [&] {
    for (const pid_t pid : processes_with("TEAMSTER_HOME=" + home_.path()))
      for (const auto& word : arguments_of(pid))
        if (word == "script-agent") return true;
    return false;
  };
  EXPECT_TRUE(eventually([&] { return !agents(); }));
  EXPECT_TRUE(fs::exists(project_.file("specs/auth/tasks.md"))) << "the spec's files stay";
}

TEST_F(RalphUnderWay, CancelBySpecAsksWhatBecomesOfItsFiles) {
  const Outcome kept = project_.run({"run", "ralph", "cancel", "auth", "--keep-spec"});
  EXPECT_EQ(kept.exit, 0) << kept;
  EXPECT_NE(kept.out.find("kept specs/auth"), std::string::npos) << kept;
  EXPECT_TRUE(fs::exists(project_.file("specs/auth/tasks.md")));
  const Outcome gone = project_.run({"run", "ralph", "cancel", "auth", "--delete-spec"});
  EXPECT_EQ(gone.exit, 0) << gone;
  EXPECT_FALSE(fs::exists(project_.file("specs/auth")));
  EXPECT_TRUE(fs::exists(project_.file("specs")));
}

TEST_F(Ralph, AStaleTeamIsClearedWithAWarningAndOtherKeysStay) {
  project_.set_topics(2);
  project_.write_all();
  write_file(project_.file("specs/auth/.ralph-state.json"),
             R"({"phase":"research","teamName":"research-auth-1","taskIndex":3,"theirs":{"a":1}})");
  Words words = {"run", "ralph", "research", "auth"};
  const Words flags = project_.scripts_flags();
  words.insert(words.end(), flags.begin(), flags.end());
  const Outcome ran = project_.run(words);
  ASSERT_EQ(ran.exit, 0) << ran;
  EXPECT_TRUE(ran.err.starts_with("WARNING: The team research-auth-1 that the state names is gone.")) << ran;
  const Json state = Json::parse(read_file(project_.file("specs/auth/.ralph-state.json")));
  expect_no_team(state);
  EXPECT_EQ(state["theirs"], Json::parse(R"({"a":1})"));
  EXPECT_EQ(state["taskIndex"], 3) << "nobody has read the list";
}

TEST_F(Ralph, AStateOfTheOriginalToolIsTakenOver) {
  project_.set_tasks({"one", "two"});
  project_.write_all();
  const std::string path = project_.file("specs/auth/.ralph-state.json");
  write_file(path, R"({"source":"spec","name":"auth","basePath":"./specs/auth","phase":"execution","taskIndex":0,
                      "totalTasks":2,"taskIteration":1,"maxTaskIterations":5})");
  Words words = {"import", path, "--json"};
  const Words flags = project_.scripts_flags();
  words.insert(words.end(), flags.begin(), flags.end());
  const Outcome imported = project_.run(words);
  ASSERT_EQ(imported.exit, 0) << imported;
  const std::string run = imported.json.value("run", "");
  const Outcome resumed = project_.run({"resume", run});
  ASSERT_EQ(resumed.exit, 0) << resumed;
  const Json state = Json::parse(read_file(path));
  EXPECT_EQ(state["taskIndex"], 2);
  EXPECT_EQ(state["maxTaskIterations"], 5) << "what we do not know is kept";
  write_file(path, "{ torn");
  const Outcome broken = project_.run({"import", path, "--json"});
  EXPECT_EQ(broken.exit, 2) << broken;
  EXPECT_NE(broken.what().find("is no JSON object"), std::string::npos) << broken;
  EXPECT_EQ(read_file(path), "{ torn") << "nothing was changed";
}

TEST_F(Ralph, SwitchMakesAnotherSpecTheCurrentOne) {
  project_.write_all();
  const Outcome done = project_.run({"run", "ralph", "switch", "auth"});
  EXPECT_EQ(done.exit, 0) << done;
  EXPECT_EQ(read_file(project_.file("specs/.current-spec")), "auth\n");
  EXPECT_EQ(project_.run({"run", "ralph", "switch", "nothing-there"}).exit, 3);
}

}  // namespace
}  // namespace teamster::e2e
