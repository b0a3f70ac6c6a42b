// The journal is the only truth about a turn: an engine that was killed after one ended asks nobody again, whatever
// became of the transcript; and a member whose conversation is lost is told everything again.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "base/team_ref.h"
#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

class TurnEnds : public SpecProject {
 protected:
  TurnEnds() { use_example("plain"); }

  std::string run_until_killed(const std::string& point) const {
    EXPECT_EQ(run_spec({"--fault", "kill engine@" + point}).exit, 128 + SIGKILL);
    return home_.ok({"status"})["runs"][0]["run"];
  }
  void resume(const std::string& name) const {
    const Outcome resumed = run({"resume", name, "--no-wait", "--json"}, project_);
    ASSERT_EQ(resumed.exit, 0) << resumed;
    EXPECT_EQ(resumed.json["status"], "done") << resumed;
  }
  // Kept with the run, so that it is there when its team is gone.
  std::string transcript(const std::string& run_name, const std::string& member) const {
    return fmt::format("{}/runs/{}/transcripts/spec-01/{}.jsonl", home_.path(), run_name, member);
  }
  std::string directory(const std::string& member) const {
    return fmt::format("{}/teams/{}/{}", home_.path(), TeamRef::of("spec-01", project_).text(), member);
  }
  // Ends of turns that answered the prompt.
  std::vector<Json> ends(const std::string& prompt) const {
    std::vector<Json> found;
    for (const auto& event : home_.events("member.turn"))
      if (event["body"].value("prompt", "") == prompt) found.push_back(event["body"]);
    return found;
  }
  // How often each turn of the step was decided, and its commands.
  std::vector<Json> turns_of(const std::string& run_name, const std::string& member) const {
    std::vector<Json> found;
    const Json events = home_.ok({"log", run_name})["events"];
    for (const auto& event : events)
      for (const auto& command : event["body"].value("then", Json::array()))
        if (command["do"] == "turn" && command["member"] == member) found.push_back(command);
    return found;
  }
  // How many turns the member has begun.
  std::int64_t begun(const std::string& member) const {
    std::int64_t count = 0;
    for (const auto& event : home_.events("member.turn"))
      if (event["body"]["member"] == member && event["body"].value("running", false)) ++count;
    return count;
  }
};

TEST_F(TurnEnds, OneThatEndedIsNotAskedAgainWithoutItsTranscript) {
  const std::string name = run_until_killed("step.done:verify.1:before");
  ASSERT_EQ(ends(name + "/verify.1").size(), 1U);
  ASSERT_TRUE(ends(name + "/verify.1")[0].contains("result"));
  EXPECT_TRUE(records(name, "step.done").size() == 1U) << "of the builder";
  for (const auto& member : {"builder", "reviewer"}) ASSERT_TRUE(fs::remove(transcript(name, member)));
  const std::int64_t before = begun("reviewer");
  resume(name);
  EXPECT_EQ(ends(name + "/verify.1").size(), 1U);
  const auto reviews = turns_of(name, "reviewer");
  EXPECT_EQ(begun("reviewer") - before, static_cast<std::int64_t>(reviews.size()) - 1) << "verify was not begun again";
}

TEST_F(TurnEnds, OneThatEndedIsNotAskedAgainWithHalfATranscript) {
  const std::string name = run_until_killed("step.done:verify.1:before");
  const std::string torn = transcript(name, "reviewer");
  const auto size = fs::file_size(torn);
  ASSERT_GT(size, 10U);
  fs::resize_file(torn, size / 2);
  resume(name);
  EXPECT_EQ(ends(name + "/verify.1").size(), 1U);
  EXPECT_EQ(begun("reviewer"), static_cast<std::int64_t>(turns_of(name, "reviewer").size()));
}

TEST_F(TurnEnds, OneThatFailedIsNotSettledAsDone) {
  // What it says has not the shape of the phase.
  spoil("reviewer", "[PHASE 2: VERIFY IMPLEMENTATION]", "I could not look.");
  const std::string name = run_until_killed("step.failed:verify.1:before");
  ASSERT_EQ(ends(name + "/verify.1").size(), 1U);
  EXPECT_EQ(ends(name + "/verify.1")[0]["fault"], "protocol");
  const Outcome resumed = run({"resume", name, "--no-wait", "--json"}, project_);
  EXPECT_EQ(resumed.exit, 0) << resumed;
  const auto failed = records(name, "step.failed");
  ASSERT_EQ(failed.size(), 2U) << "and so had what it said when it was told";
  for (const auto& each : failed) {
    EXPECT_EQ(each["body"]["step"], "verify");
    EXPECT_EQ(each["body"]["fault"], "protocol");
  }
  EXPECT_EQ(ends(name + "/verify.1").size(), 1U) << "and was not asked again under that number";
}

TEST_F(TurnEnds, AMemberWhoseConversationIsLostGetsThePreambleAgain) {
  const std::string name = run_until_killed("step.done:verify.1:after");
  ASSERT_GT(fs::remove_all(directory("builder") + "/script"), 1U) << "there was nothing to lose";
  resume(name);
  const auto lost = records(name, "run.member_lost");
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0]["body"]["member"], "builder");
  EXPECT_FALSE(lost[0]["body"]["why"].get<std::string>().empty());
  const auto turns = turns_of(name, "builder");
  const auto at =
      std::find_if(turns.begin(), turns.end(), [](const Json& turn) { return turn.value("rung", "") == "lost"; });
  ASSERT_NE(at, turns.end());
  ASSERT_NE(at, turns.begin());
  const Json& before = *(at - 1);
  EXPECT_EQ(at->at("step"), before.at("step"));
  EXPECT_FALSE(before.at("first").get<bool>());
  EXPECT_TRUE(at->at("first").get<bool>());
  constexpr const char* kPreamble = "Read before every phase. It holds for all specs of this project.";
  EXPECT_EQ(before.at("prompt").get<std::string>().find(kPreamble), std::string::npos);
  EXPECT_NE(at->at("prompt").get<std::string>().find(kPreamble), std::string::npos);
  EXPECT_TRUE(std::all_of(at + 1, turns.end(), [](const Json& turn) { return !turn.at("first").get<bool>(); }))
      << "once";
}

}  // namespace
}  // namespace teamster::e2e
