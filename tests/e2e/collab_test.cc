// The workflow collab, rehearsed whole: from a sentence to an archived manifest, with three stakeholders. And killed:
// at each kind of event in each phase another engine takes over, nobody is asked twice, no answer is lost, and the end
// is the same.
#include <filesystem>
#include <set>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

class Collab : public testing::Test {
 protected:
  Collab() { fs::create_directories(temporary_); }

  struct Played {
    int exit = -1;
    std::string said;
    std::string run;
    std::string project;
    Json events;
    Json state;  // as replay has it

    std::vector<Json> decided(const std::string& kind) const {
      std::vector<Json> found;
      for (const auto& event : events)
        for (const auto& command : event["body"].value("then", Json::array()))
          if (command["do"] == kind) found.push_back(command);
      return found;
    }
    // STEP → whom, of each question.
    std::map<std::string, std::string> asked() const {
      std::map<std::string, std::string> all;
      for (const auto& ask : decided("ask"))
        all[ask["step"].get<std::string>() + "." + ask["attempt"].dump()] = ask["to"];
      return all;
    }
  };

  Words environment() const {
    return {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin", "TMPDIR=" + temporary_};
  }
  Outcome run(const Words& words, const std::string& home) const {
    Start start;
    start.command = {TEAMSTER_BINARY};
    start.command.insert(start.command.end(), words.begin(), words.end());
    start.environment = environment();
    if (!home.empty()) start.environment[0] = "TEAMSTER_HOME=" + home;
    Process process(start);
    Outcome outcome;
    outcome.exit = process.wait(kPatience).value_or(-1);
    outcome.out = process.out();
    outcome.err = process.err();
    if (auto json = Json::parse(outcome.out, nullptr, false); !json.is_discarded()) outcome.json = std::move(json);
    return outcome;
  }
  Played play(const std::string& name, const Words& flags) const {
    Played played;
    played.project = home_.scratch() + "/" + name;
    Words words = {"rehearse", "collab", "--keep", played.project, "--json"};
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome rehearsed = run(words, "");
    played.exit = rehearsed.exit;
    played.said = rehearsed.out + rehearsed.err;
    played.run = rehearsed.json.value("run", "");
    const std::string home = played.project + "/.git/rehearsal/home";
    played.events = run({"log", played.run, "--json"}, home).json["events"];
    played.state = run({"replay", played.run, "--json"}, home).json["state"];
    return played;
  }

  static constexpr auto kPatience = std::chrono::minutes(3);
  Home home_;
  const std::string temporary_ = home_.scratch() + "/tmp";
};

TEST_F(Collab, GoesFromASentenceToAnArchivedManifest) {
  const Played played = play("whole", {});
  ASSERT_EQ(played.exit, 0) << played.said;
  const auto asked = played.asked();
  EXPECT_EQ(asked.at("define/ask-1.1"), "sam") << "by expertise";
  EXPECT_EQ(asked.at("define/ask-2.1"), "sam+ida") << "a group";
  EXPECT_EQ(asked.at("define/ask-3.1"), "ida") << "answered by the owner";
  EXPECT_EQ(asked.at("define/ask-4.1"), "lee") << "past its deadline";
  EXPECT_EQ(asked.at("execute/ask-5.1"), "owner") << "an escalation";
  EXPECT_EQ(asked.count("manifest-review.2"), 1U) << "rejected once";
  EXPECT_EQ(asked.count("pr-review.3"), 1U) << "two rounds with comments";
  EXPECT_EQ(asked.at("pr-verify/escalate.1"), "owner") << "three attempts failed";
  EXPECT_EQ(asked.count("qa.3"), 1U) << "two issues";
  const Json& answers = played.state["answers"];
  EXPECT_EQ(answers["qa-judge"]["value"]["valid"], false);
  EXPECT_EQ(answers["qa"]["value"]["by"], "ida");
  bool is_late = false;
  for (const auto& remind : played.decided("remind"))
    is_late = is_late || (remind["question"] == "define/ask-4.1" && remind.value("to", "") == "owner");
  EXPECT_TRUE(is_late) << "the owner was asked as well";
  bool was_mended = false;
  for (const auto& turn : played.decided("turn"))
    was_mended = was_mended || (turn["step"] == "execute" && turn.value("rung", "") == "mend");
  EXPECT_TRUE(was_mended) << "a verification failed first";
  std::string summary;
  for (const auto& notice : played.decided("notify"))
    if (notice["step"] == "summary") summary = notice["text"];
  EXPECT_NE(summary.find("greet.sh takes --german"), std::string::npos) << summary;
  std::vector<std::string> archived;
  for (const auto& entry : fs::directory_iterator(played.project + "/.manifest"))
    archived.push_back(entry.path().filename());
  ASSERT_EQ(archived.size(), 1U);
  EXPECT_TRUE(archived[0].starts_with("greet-in-german-20")) << archived[0];
  const Json state = Json::parse(read_file(temporary_ + "/collab-state-" + played.run + ".json"));
  EXPECT_EQ(state["phase"], "done");
  EXPECT_EQ(state["task"], "greet people in German, too");
  EXPECT_EQ(state["thread_ids"].size(), 5U) << "three stakeholders, a group, the owner";
  EXPECT_FALSE(fs::exists(played.project + "/manifest")) << "nothing but the archive is in the project";
}

// A point is one kind of event in one phase; all others with TEAMSTER_SWEEP=1, a sample without.
TEST_F(Collab, WhereverTheEngineIsKilledNobodyIsAskedTwice) {
  const Played whole = play("whole", {});
  ASSERT_EQ(whole.exit, 0) << whole.said;
  std::vector<std::string> points;
  std::set<std::string> kinds;
  for (const auto& event : whole.events) {
    const std::string kind = event["kind"];
    const std::string step = event["body"].value("step", "");
    if (kind == "run.ended" || kind.starts_with("run.leased") || kind.starts_with("run.re") || kind == "run.told")
      continue;
    const std::string about = step.empty() ? "" : ":" + step + "." + event["body"]["attempt"].dump();
    const bool is_new = kinds.insert(kind + " " + step.substr(0, step.find('/'))).second;
    if (is_new || std::getenv("TEAMSTER_SWEEP") != nullptr) points.push_back(kind + about + ":after");
  }
  ASSERT_GT(points.size(), 20U);
  const std::size_t stride = std::getenv("TEAMSTER_SWEEP") != nullptr ? 1 : 6;
  for (std::size_t i = 0; i < points.size(); i += stride) {
    const std::string name = "killed-" + std::to_string(i);
    const Played killed = play(name, {"--fault", "kill engine@" + points[i]});
    EXPECT_EQ(killed.exit, 0) << points[i] << "\n" << killed.said;
    EXPECT_EQ(killed.asked(), whole.asked()) << points[i];
    for (const char* phase : {"define", "execute", "pr-fix", "qa-judge", "qa-fix", "qa", "manifest-review"}) {
      const Json& expected = whole.state["answers"][phase]["value"];
      const Json& found = killed.state["answers"][phase]["value"];
      for (const auto& [field, value] : expected.items())
        if (!field.ends_with("_path")) {
          EXPECT_EQ(found.value(field, Json()), value) << points[i] << " " << phase;
        }
    }
    fs::remove_all(killed.project);
  }
}

}  // namespace
}  // namespace teamster::e2e
