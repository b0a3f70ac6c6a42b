// The workflow ralph, killed: the whole loop is played once to see its journal, then again with its engine killed at
// each kind of event in each phase, several times in one play, and at a sample of the rest. Each play must come to the
// same files, each task done by one commit, no step settled twice, and no team left in the state.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

class RalphKills : public testing::Test {
 protected:
  static constexpr std::size_t kFaultsAtOnce = 12;
  static constexpr std::size_t kSampled = 9;  // one in so many of what is no first of its kind

  void play(const Words& faults) {
    kept_ = fmt::format("{}/kept-{}", home_.scratch(), ++plays_);
    Words words = {"rehearse", "ralph", "--keep", kept_, "--json"};
    words.insert(words.end(), faults.begin(), faults.end());
    played_ = home_.run(words, {.limit = std::chrono::minutes(3)});
    // What was under way beside something that was killed has a second attempt, and no end of its first.
    const Json missed = played_.json.value("never_struck", Json::array());
    for (const auto& fault : missed) EXPECT_NE(fault.get<std::string>().find('/'), std::string::npos) << fault;
    ASSERT_EQ(played_.exit, missed.empty() ? 0 : 1) << played_;
    read_events();
  }
  Outcome look(const Words& words) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", kept_, TEAMSTER_BINARY};
    start.command.insert(start.command.end(), words.begin(), words.end());
    start.environment = {"TEAMSTER_HOME=" + kept_ + "/.git/rehearsal/home", "HOME=" + home_.scratch(),
                         "PATH=/usr/bin:/bin"};
    Process process(start);
    return outcome_of(process);
  }
  void read_events() { events_ = look({"log", played_.json["run"].get<std::string>(), "--json"}).json["events"]; }

  // "step.done:research/1.1": the first of its kind in each phase, and some of the others.
  std::vector<std::string> points() const {
    std::vector<std::string> found;
    std::set<std::string> seen;
    std::size_t others = 0;
    for (const auto& event : events_) {
      const Json& body = event["body"];
      if (!body.contains("step") || !body.contains("attempt")) continue;
      const std::string kind = event["kind"];
      const std::string step = body["step"];
      const std::string end = step.find('/') == std::string::npos ? "" : step.substr(step.rfind('/') + 1);
      const bool is_number = std::all_of(end.begin(), end.end(), [](char c) { return c >= '0' && c <= '9'; });
      const bool is_first = seen.insert(kind + step.substr(0, step.find('/')) + (is_number ? "" : end)).second;
      // Teams have a time in their names, which is another one in each play.
      const bool is_timed = step.find("-greeter-") != std::string::npos || step.find("ralph-") != std::string::npos;
      if (!is_timed && (is_first || ++others % kSampled == 0))
        found.push_back(fmt::format("{}:{}.{}", kind, step, body["attempt"].get<int>()));
    }
    return found;
  }
  void expect_the_same_end() const {
    std::map<std::string, int> ends;
    for (const auto& event : events_)
      if (event["kind"] == "step.done" || event["kind"] == "step.failed")
        ++ends[fmt::format("{}.{}", event["body"]["step"].get<std::string>(), event["body"]["attempt"].get<int>())];
    for (const auto& [id, count] : ends) EXPECT_EQ(count, 1) << id;
    EXPECT_EQ(look({"replay", played_.json["run"].get<std::string>()}).exit, 0);
    const Json state = Json::parse(read_file(kept_ + "/specs/greeter/.ralph-state.json"));
    EXPECT_EQ(state["taskIndex"], 7);
    EXPECT_EQ(state["totalTasks"], 7);
    for (const char* field : {"teamName", "teammateNames", "teamPhase"}) EXPECT_TRUE(state[field].is_null()) << state;
    EXPECT_EQ(read_file(kept_ + "/specs/greeter/tasks.md").find("[ ]"), std::string::npos);
    EXPECT_EQ(look({"team", "list", "--json"}).json["teams"], Json::array());
    EXPECT_EQ(trailers(), (std::vector<std::string>{"1", "2", "3", "4", "5", "6", "7"})) << "each done exactly once";
  }
  std::vector<std::string> trailers() const {
    Process log(Start{.command = {"/usr/bin/env", "-C", kept_, "/bin/sh", "-c",
                                  "git log --format=%B | sed -n 's|^Ralph-Task: .*/||p' | sort -n"},
                      .environment = {"PATH=/usr/bin:/bin", "HOME=" + home_.scratch()}});
    EXPECT_EQ(log.wait(), 0) << log.err();
    return split(std::string(trimmed(log.out())), '\n');
  }
  static std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = std::min(text.find(at, begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
    }
    return parts;
  }

  const Home home_;
  std::string kept_;
  int plays_ = 0;
  Outcome played_;
  Json events_;
};

TEST_F(RalphKills, ComesToTheSameEndWhereverItsEngineIsKilled) {
  ASSERT_NO_FATAL_FAILURE(play({}));
  expect_the_same_end();
  const auto all = points();
  ASSERT_GT(all.size(), 25U) << "each kind of event in each phase";
  std::size_t at = 0;
  while (at < all.size() && !HasFailure()) {
    Words faults;
    for (std::size_t i = 0; i < kFaultsAtOnce && at < all.size(); ++i, ++at) {
      faults.push_back("--fault");
      faults.push_back(fmt::format("kill engine@{}:{}", all[at], at % 2 == 0 ? "after" : "before"));
    }
    ASSERT_NO_FATAL_FAILURE(play(faults)) << join(faults, " ");
    expect_the_same_end();
    EXPECT_FALSE(HasFailure()) << join(faults, " ");
  }
}

TEST_F(RalphKills, HubKeeperAndMembersToo) {
  ASSERT_NO_FATAL_FAILURE(
      play({"--fault", "kill hub@step.done:topics.1:before", "--fault", "kill hub@step.done:research/3.1:after",
            "--fault", "kill keeper@step.done:research/1.1:after", "--fault", "crash executor-1@execution/2.1",
            "--fault", "kill hub@step.done:execution/3.1:before", "--fault", "kill engine@run.ended:before"}));
  expect_the_same_end();
}

}  // namespace
}  // namespace teamster::e2e
