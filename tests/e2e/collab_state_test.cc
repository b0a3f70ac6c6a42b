// State files of collab, ours and those of the original tool: a run begins where they say, with their people and
// threads; what cannot be used is told.
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

class CollabState : public testing::Test {
 protected:
  CollabState() {
    fs::create_directories(temporary_);
    fs::create_directories(project_);
    write_file(manifest_, "# Definition: x\n");
    write_file(temporary_ + "/log.md", "log\n");
    EXPECT_EQ(run({"/bin/sh", "-c",
                   "git init -q . && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m begin"})
                  .exit,
              0);
  }
  ~CollabState() override {
    for (const auto& each : runs()) teamster({"cancel", each});
  }

  std::vector<std::string> runs() const {
    std::vector<std::string> names;
    for (const auto& row : teamster({"status", "--all", "--json"}).json.value("runs", Json::array()))
      names.push_back(row["run"]);
    return names;
  }
  Outcome run(const Words& command) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_};
    start.command.insert(start.command.end(), command.begin(), command.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin",
                         "TMPDIR=" + temporary_};
    Process process(start);
    Outcome outcome;
    outcome.exit = process.wait().value_or(-1);
    outcome.out = process.out();
    outcome.err = process.err();
    if (auto json = Json::parse(outcome.out, nullptr, false); !json.is_discarded()) outcome.json = std::move(json);
    return outcome;
  }
  Outcome teamster(Words words) const {
    words.insert(words.begin(), TEAMSTER_BINARY);
    return run(words);
  }
  Outcome resume(const Json& state) const {
    write_file(file_, state.dump());
    return teamster({"resume", "--state", file_, "--driver", "script", "--scripts",
                     TEAMSTER_SOURCE_DIR "/workflows/collab/example/rehearsal", "--no-wait"});
  }
  Json state_at(const std::string& phase) const {
    return {{"task", "greet people in German, too"},
            {"phase", phase},
            {"channel_id", "C7"},
            {"channel_name", "greetings"},
            {"owner_handle", "@kim"},
            {"stakeholders",
             {{{"handle", "@sam"}, {"name", "Sam"}, {"role", "backend"}},
              {{"handle", "@ida"}, {"name", "Ida"}, {"role", "testing"}, {"is_qa", true}}}},
            {"thread_ids", {{"@sam", "1.1"}, {"@ida", "1.2"}, {"@sam+@ida", "1.3"}, {"@kim", "1.4"}}},
            {"manifest_path", manifest_},
            {"discovery_log_path", temporary_ + "/log.md"},
            {"do_log_path", temporary_ + "/log.md"},
            {"pr_url", "local review"},
            {"approvals", Json::object()}};
  }
  // STEP → whom, of what waits.
  std::map<std::string, std::string> waiting() const {
    std::map<std::string, std::string> all;
    for (const auto& question : teamster({"inbox", "--json"}).json.value("questions", Json::array()))
      all[question["step"]] = question["to"];
    return all;
  }
  Json state_file_of_run() const {
    return Json::parse(read_file(temporary_ + "/collab-state-" + runs().back() + ".json"));
  }

  Home home_;
  const std::string temporary_ = home_.scratch() + "/tmp";
  const std::string project_ = home_.scratch() + "/project";
  const std::string manifest_ = temporary_ + "/manifest.md";
  const std::string file_ = temporary_ + "/collab-state-elsewhere.json";
};

TEST_F(CollabState, GoesOnAtTheReviewWithItsPeopleAndThreads) {
  const Outcome resumed = resume(state_at("manifest_review"));
  EXPECT_EQ(resumed.exit, 4) << resumed.out << resumed.err;
  EXPECT_NE((resumed.out + resumed.err).find("going on from"), std::string::npos) << "and says so";
  EXPECT_EQ(waiting(), (std::map<std::string, std::string>{{"manifest-review", "stakeholders"}}));
  const Json state = state_file_of_run();
  EXPECT_EQ(state["phase"], "manifest_review");
  EXPECT_EQ(state["channel_id"], "C7");
  EXPECT_EQ(state["thread_ids"], state_at("")["thread_ids"]);
  EXPECT_EQ(state["manifest_path"], manifest_);
}

TEST_F(CollabState, GoesOnInDefineExecuteAndQa) {
  EXPECT_EQ(resume(state_at("define")).exit, 4);
  EXPECT_EQ(waiting(), (std::map<std::string, std::string>{{"define/ask-1", "sam"}}));
  teamster({"cancel", runs().back()});
  EXPECT_EQ(resume(state_at("execute")).exit, 4);
  EXPECT_EQ(waiting(), (std::map<std::string, std::string>{{"execute/ask-1", "owner"}}));
  teamster({"cancel", runs().back()});
  EXPECT_EQ(resume(state_at("qa")).exit, 4);
  EXPECT_EQ(waiting(), (std::map<std::string, std::string>{{"qa", "qa"}}));
}

TEST_F(CollabState, OfTheOriginalToolIsRead) {
  Json state = state_at("manifest_review");
  const Json threads = state["thread_ids"];
  state.erase("thread_ids");
  state["threads"] = {{"stakeholders", threads}};
  state["run_id"] = "elsewhere";
  state["has_qa"] = true;
  state["poll_seconds"] = 30;
  EXPECT_EQ(resume(state).exit, 4);
  EXPECT_EQ(state_file_of_run()["poll_seconds"], 30) << "what we do not know is kept";
  EXPECT_EQ(state_file_of_run()["thread_ids"], threads);
}

TEST_F(CollabState, IsImportedIntoARunThatWaits) {
  const Json state = state_at("manifest_review");
  write_file(file_, state.dump());
  const Words driver = {"--driver", "script", "--scripts", TEAMSTER_SOURCE_DIR "/workflows/collab/example/rehearsal"};
  Words words = {"import", file_};
  words.insert(words.end(), driver.begin(), driver.end());
  const Outcome imported = teamster(words);
  ASSERT_EQ(imported.exit, 0) << imported.out << imported.err;
  EXPECT_TRUE(waiting().empty()) << "nobody is asked before it is resumed";
  EXPECT_EQ(Json::parse(read_file(file_)), state);
  EXPECT_EQ(teamster({"resume", runs().back(), "--no-wait"}).exit, 4);
  EXPECT_EQ(waiting(), (std::map<std::string, std::string>{{"manifest-review", "stakeholders"}}));
  EXPECT_EQ(state_file_of_run()["thread_ids"], state["thread_ids"]);
  write_file(file_, "{ torn");
  EXPECT_EQ(teamster({"import", file_}).exit, 2);
  EXPECT_EQ(read_file(file_), "{ torn");
}

TEST_F(CollabState, ThatCannotBeUsedIsTold) {
  const Outcome unknown = resume(state_at("celebrate"));
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_NE(unknown.err.find("at 'celebrate', and collab has no such phase"), std::string::npos) << unknown.err;
  EXPECT_EQ(resume(state_at("done")).exit, 3);
  write_file(file_, "{ torn");
  const Outcome torn = teamster({"resume", "--state", file_});
  EXPECT_EQ(torn.exit, 2);
  EXPECT_NE(torn.err.find("is no JSON object"), std::string::npos) << torn.err;
  const Outcome missing = teamster({"resume", "--state", temporary_ + "/collab-state-nobody.json"});
  EXPECT_NE(missing.exit, 0);
  EXPECT_NE(missing.err.find("there is no"), std::string::npos) << missing.err;
  EXPECT_TRUE(runs().empty());
}

}  // namespace
}  // namespace teamster::e2e
