// What a provider does to a run, with scripted agents and a clock that jumps: weather is waited for, what waiting does
// not mend parks at once, a conversation that is too long goes to somebody else.
#include <algorithm>
#include <filesystem>

#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

constexpr const char* kVerify = "[PHASE 2: VERIFY IMPLEMENTATION] spec 01";

class WeatherOfARun : public SpecProject {
 protected:
  WeatherOfARun() {
    use_example("plain");
    make_rehearsal_home();
  }

  // The reviewer's first tries of phase 2 end so.
  void fail_verify(const Json& error, int times) const {
    change("reviewer", [&](Json& script) {
      Json turns = Json::array();
      for (int i = 0; i < times; ++i)
        turns.push_back({{"when", {{"contains", kVerify}}}, {"steps", {{{"error", error}}}}});
      for (auto& turn : script["turns"]) turns.push_back(std::move(turn));
      script["turns"] = std::move(turns);
    });
  }
  std::string only_run() const { return home_.ok({"status", "--all"})["runs"][0]["run"]; }
  // How long it waited for the provider in verify, and how often.
  std::vector<std::int64_t> waits(const std::string& name) const {
    std::vector<std::int64_t> found;
    const Json events = home_.ok({"log", name})["events"];
    for (const auto& event : events)
      for (const auto& command : event["body"].value("then", Json::array()))
        if (command["do"] == "wait") found.push_back(command["ms"]);
    return found;
  }
  std::vector<std::string> questions(const std::string& name) const {
    std::vector<std::string> found;
    const Json events = home_.ok({"log", name})["events"];
    for (const auto& event : events)
      for (const auto& command : event["body"].value("then", Json::array()))
        if (command["do"] == "ask") found.push_back(command["step"]);
    return found;
  }
};

TEST_F(WeatherOfARun, TenMinutesOf529InPhase2AndThenSuccess) {
  fail_verify({{"status", 529}, {"message", "Overloaded"}, {"retries", 2}}, 6);
  const Outcome outcome = run_spec();
  ASSERT_EQ(outcome.exit, 0) << outcome;
  const std::string name = only_run();
  const auto waited = waits(name);
  EXPECT_EQ(waited, (std::vector<std::int64_t>{10'000, 20'000, 40'000, 80'000, 160'000, 300'000}));
  EXPECT_TRUE(questions(name).empty()) << "nobody had to be asked";
  const Names said = asked(name);
  EXPECT_EQ(std::count(said.begin(), said.end(), "verify reviewer"), 7) << "the same member each time";
}

TEST_F(WeatherOfARun, TheOwnerIsAskedAfterHalfAnHourAndItGoesOnMeanwhile) {
  fail_verify({{"status", 529}, {"message", "Overloaded"}}, 12);
  const Outcome outcome = run_spec();
  ASSERT_EQ(outcome.exit, 0) << outcome;
  EXPECT_EQ(questions(only_run()), std::vector<std::string>{"verify/weather"});
}

struct Refusal {
  const char* name;
  int status;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class Refusals : public WeatherOfARun, public testing::WithParamInterface<Refusal> {};

TEST_P(Refusals, ParkAndGoOnInTheSameConversation) {
  fail_verify({{"status", GetParam().status}, {"message", GetParam().message}}, 1);
  const Outcome parked = run_spec({"--no-wait"});
  ASSERT_EQ(parked.exit, 4) << parked;
  const std::string name = only_run();
  EXPECT_TRUE(waits(name).empty());
  const Json question = home_.ok({"inbox"})["questions"][0];
  EXPECT_EQ(question["step"], "verify/stuck");
  EXPECT_NE(question["text"].get<std::string>().find(GetParam().message), std::string::npos) << question;
  EXPECT_EQ(question["options"][0], "same") << question;
  const std::string conversation = read_file(home_.path() + "/teams/spec-01/reviewer/agent.json");
  home_.ok({"answer", question["id"].get<std::string>(), "same"});
  const Outcome resumed = run({"resume", name, "--json"}, project_);
  EXPECT_EQ(resumed.exit, 0) << resumed;
  const Names said = asked(name);
  EXPECT_EQ(std::count(said.begin(), said.end(), "verify reviewer"), 2) << "nobody took its place";
  EXPECT_TRUE(records(name, "run.member_lost").empty()) << conversation;
}

INSTANTIATE_TEST_SUITE_P(OfTheProvider, Refusals,
                         testing::Values(Refusal{"KeyRefused", 401, "invalid x-api-key"},
                                         Refusal{"NoCredit", 400, "Credit balance is too low"},
                                         Refusal{"ModelUnknown", 404, "issue with the selected model (x)"}),
                         [](const auto& test) { return test.param.name; });

TEST_F(WeatherOfARun, AConversationThatIsTooLongGoesToAFreshAgent) {
  fail_verify({{"status", 400}, {"message", "Prompt is too long"}}, 1);
  // A fresh agent plays the script from its beginning; it is told why it is there, which the first one is not.
  change("reviewer", [&](Json& script) {
    Json fresh = script["turns"][1];
    fresh["when"] = {{"contains", "Prompt is too long"}};
    script["turns"].insert(script["turns"].begin(), std::move(fresh));
  });
  const Outcome outcome = run_spec();
  ASSERT_EQ(outcome.exit, 0) << outcome;
  const std::string name = only_run();
  EXPECT_TRUE(waits(name).empty());
  const Names said = asked(name);
  EXPECT_EQ(std::count_if(said.begin(), said.end(),
                          [](const std::string& each) { return each.starts_with("verify reviewer-fresh"); }),
            1);
  EXPECT_EQ(records(name, "run.member_lost").size(), 1U) << "the reviewer itself begins anew, too";
}

TEST_F(WeatherOfARun, WhatMembersSaidIsKeptUntilItIsCollected) {
  ASSERT_EQ(run_spec().exit, 0);
  const std::string name = only_run();
  const Outcome log = run({"log", name, "--member", "builder"}, project_);
  EXPECT_EQ(log.exit, 0) << log;
  EXPECT_NE(log.out.find("[PHASE 1: IMPLEMENT]"), std::string::npos) << log;
  const Outcome attached = run({"agent", "attach", "--team", "spec-01", "--member", "tester"}, project_);
  EXPECT_EQ(attached.exit, 0) << attached;
  EXPECT_NE(attached.out.find("[PHASE 5: RUN TESTS]"), std::string::npos) << attached;
  EXPECT_EQ(run({"log", name, "--member", "nobody"}, project_).exit, 1);
  home_.ok({"gc", "--older-than", "0s"});
  EXPECT_FALSE(std::filesystem::exists(home_.path() + "/runs/" + name));
}

}  // namespace
}  // namespace teamster::e2e
