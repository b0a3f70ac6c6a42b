// Teams of the workflow ralph: what its members tell each other, what other programs read of them, and what a start
// says of teams that nobody looks after.
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "e2e/ralph_project.h"
#include "schema/schema.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

class RalphTeams : public testing::Test {
 protected:
  // What is wrong with a state by the schema that is published; empty: nothing.
  static std::string wrong_in(const Json& state) {
    const Json published = Json::parse(read_file(TEAMSTER_SOURCE_DIR "/workflows/ralph/schemas/ralph-state.json"));
    const auto schema = schema::Schema::compile(published);
    EXPECT_TRUE(schema);
    const auto faults = schema->check(state);
    return faults.empty() ? std::string() : faults.front();
  }
  Outcome run(Words words) const {
    const Words flags = project_.scripts_flags();
    words.insert(words.end(), flags.begin(), flags.end());
    return project_.run(words);
  }

  const Home home_;
  RalphProject project_{home_};
};

TEST_F(RalphTeams, ADiscoveryGoesToWhoHasTheTopic) {
  project_.set_topics(3);
  // It finds out who has the second topic from what it was told, as a member would.
  project_.set_topic_steps(1, Json::parse(R"([{"find": {"pattern": "2. (analyst-1): [^}]*question 2", "save": "who"}},
                         {"send": {"to": "analyst-1", "body": "question 2 is settled in RFC 6749"}}])"));
  project_.set_topic_steps(2, Json::parse(R"([{"wait_message": {"timeout": "60s"}},
                         {"run": {"command": "printf %s \"$MESSAGE\" > specs/auth/heard.txt", "expect_exit": 0}}])"));
  const auto played = project_.play({"research", "auth"});
  ASSERT_EQ(played.outcome.exit, 0) << played.outcome;
  EXPECT_NE(played.file("specs/auth/heard.txt").find("question 2 is settled in RFC 6749"), std::string::npos)
      << played.file("specs/auth/heard.txt");
  EXPECT_NE(played.file("specs/auth/heard.txt").find("researcher-1"), std::string::npos) << "and says who said it";
}

TEST_F(RalphTeams, TheStateFitsThePublishedSchemaAtEveryMoment) {
  project_.set_topics(3);
  project_.set_tasks({"one [P]", "two [P]", "three"});
  project_.write_all();
  const std::string path = project_.file("specs/auth/.ralph-state.json");
  std::set<std::string> phases;
  std::set<std::string> team_phases;
  const auto follow = [&](Words words) {
    const Words flags = project_.scripts_flags();
    words.insert(words.end(), flags.begin(), flags.end());
    Process process = project_.start(words);
    Json last;
    while (process.is_running()) {
      Json state = fs::exists(path) ? Json::parse(read_file(path), nullptr, false) : Json();
      if (state.is_null() || state == last) continue;
      last = state;
      EXPECT_FALSE(state.is_discarded()) << "it is never half written";
      EXPECT_EQ(wrong_in(state), "") << state;
      if (state["phase"].is_string()) phases.insert(state["phase"].get<std::string>());
      if (state["teamPhase"].is_string()) team_phases.insert(state["teamPhase"].get<std::string>());
      EXPECT_EQ(state["teamName"].is_string(), state["teamPhase"].is_string()) << state;
      if (state.contains("totalTasks")) {
        EXPECT_LE(state["taskIndex"].get<int>(), state["totalTasks"].get<int>());
      }
    }
    EXPECT_EQ(process.wait(), 0) << process.out() << process.err();
  };
  follow({"run", "ralph", "research", "auth"});
  follow({"run", "ralph", "implement", "auth"});
  EXPECT_EQ(team_phases, (std::set<std::string>{"execution", "research"}));
  EXPECT_EQ(phases.count("execution"), 1U);
  EXPECT_NE(wrong_in({{"basePath", "specs/auth"}, {"phase", "celebrate"}}), "") << "it does refuse something";
}

TEST_F(RalphTeams, WhatAnAbruptEndLeftIsToldAtTheNextStart) {
  const std::string left = home_.scratch() + "/.claude/teams/left";
  fs::create_directories(left);
  write_file(left + "/config.json",
             R"({"leadProcess":{"pid":1,"procStart":"99999999999"},"members":[],"createdAt":1600000000000})");
  fs::last_write_time(left + "/config.json", fs::file_time_type::clock::now() - std::chrono::hours(3));
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(3));
  project_.set_topics(2);
  project_.write_all();
  const Outcome ran = run({"run", "ralph", "research", "auth"});
  ASSERT_EQ(ran.exit, 0) << ran;
  const std::string warning = fmt::format("WARNING: Orphaned team detected: left\nTeam directory: {}\nAge: ", left);
  const std::size_t at = ran.err.find(warning);
  ASSERT_NE(at, std::string::npos) << ran;
  EXPECT_TRUE(at == 0 || ran.err[at - 1] == '\n') << "no other words before it";
  EXPECT_NE(ran.err.find("To cleanup: teamster team cleanup", at), std::string::npos) << ran;
  EXPECT_TRUE(fs::exists(left)) << "nothing goes without consent";
}

}  // namespace
}  // namespace teamster::e2e
