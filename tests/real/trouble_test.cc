// A provider that says no, or nothing: the turn fails in bounded time and says why, the agent is
// shown as failing, and it answers the next message.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.h"
#include "real/real_team.h"

namespace teamster::real {
namespace {

// The program asks once and three times more, and waits between.
constexpr int kRequestsOfATurn = 4;
constexpr int kRequestsOfOverloaded = 3;  // of these it takes fewer
constexpr Milliseconds kBound = 30s;

struct Trouble {
  const char* name;
  Json reply;         // what the model's provider does, so often as it is asked
  int requests;       // how often that is
  const char* fault;  // how the error begins
  const char* words;  // what else is in it
};
void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.name; }

Json refuse_for(int status, int retry_after_seconds) {
  Json reply = refuse(status);
  reply["error"]["retry_after"] = retry_after_seconds;
  return reply;
}

// What a failed turn leaves behind. The message was handed over, but no model has seen it.
void expect_failed(RealTeam& team, const Outcome& outcome, const std::string& fault, const std::string& words) {
  const std::string error = outcome.json.value("error", "");
  EXPECT_TRUE(error.starts_with(fault + ": ")) << outcome;
  EXPECT_NE(error.find(words), std::string::npos) << outcome;
  EXPECT_EQ(team.receipt_of(outcome.json.value("id", std::int64_t{0})), "delivered");
  EXPECT_TRUE(team.has_state("builder", "failing"));
  const std::string trouble = team.listed("builder").value("trouble", "");
  EXPECT_NE(trouble.find(words), std::string::npos) << trouble;
}

void expect_well_again(RealTeam& team) {
  EXPECT_EQ(team.say_to("builder", "and now?").value("text", ""), "back again");
  EXPECT_TRUE(team.has_state("builder", "idle"));
  EXPECT_FALSE(team.listed("builder").contains("trouble"));
}

class OfTheProvider : public testing::TestWithParam<Trouble> {};

TEST_P(OfTheProvider, IsAnErrorInBoundedTime) {
  const Trouble& trouble = GetParam();
  RealTeam team({"builder"},
                {conversation_of("builder", {repeated(trouble.reply, trouble.requests), say("back again")})});
  team.start("builder");
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = team.say_in_vain("builder", "hello");
  EXPECT_LT(std::chrono::steady_clock::now() - before, kBound);
  EXPECT_EQ(team.requests_of("builder").size(), static_cast<std::size_t>(trouble.requests));
  expect_failed(team, outcome, trouble.fault, trouble.words);
  expect_well_again(team);
  EXPECT_TRUE(team.server().surprises().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Trouble, OfTheProvider,
    testing::Values(Trouble{"Login401", refuse(401), kRequestsOfATurn, "login", "401"},
                    Trouble{"RateLimit429", refuse(429), kRequestsOfATurn, "rate_limit", "429"},
                    Trouble{"RateLimit429Soon", refuse_for(429, 1), kRequestsOfATurn, "rate_limit", "429"},
                    Trouble{"RateLimit429MuchLater", refuse_for(429, 600), 1, "rate_limit", "429"},
                    Trouble{"Error500", refuse(500), kRequestsOfATurn, "provider", "500"},
                    Trouble{"Overloaded529", refuse(529), kRequestsOfOverloaded, "overloaded", "529"}),
    [](const auto& test) { return test.param.name; });

// While it waits to ask again, that can be seen.
TEST(Trouble, IsShownWhileItIsTriedAgain) {
  RealTeam team({"builder"}, {conversation_of("builder", {refuse_for(429, 3), say("after all")})});
  team.start("builder");
  auto prompt = team.say_aside("builder", "hello");
  EXPECT_TRUE(eventually([&] { return !team.transcript_of("builder", "status").empty(); }));
  const Json status = team.transcript_of("builder", "status").at(0);
  EXPECT_NE(status.value("text", "").find("429"), std::string::npos) << status;
  EXPECT_NE(status.value("text", "").find("3000 ms"), std::string::npos) << status;
  EXPECT_EQ(prompt.wait(), 0) << prompt.out();
  EXPECT_EQ(document_of(prompt).value("text", ""), "after all");
}

// A message whose turn failed is told again by itself, and acted on once.
TEST(Trouble, AMessageInAFailedTurnIsActedOnOnce) {
  RealTeam team({"builder"},
                {conversation_of("builder", {repeated(refuse(500), kRequestsOfATurn), say("done at last")})});
  team.start("builder");
  const auto message = team.tell("builder", "prompt-1");
  ASSERT_TRUE(team.has_state("builder", "failing"));
  EXPECT_EQ(team.receipt_of(message), "delivered");
  const Outcome doctor = team.home().run({"doctor"});
  EXPECT_NE(doctor.out.find("builder of team real is failing"), std::string::npos) << doctor;
  EXPECT_TRUE(team.has_receipt(message, "acted"));
  EXPECT_EQ(team.requests_of("builder").size(), static_cast<std::size_t>(kRequestsOfATurn + 1));
  const Words story = team.story_of("builder", message);
  EXPECT_EQ(std::count(story.begin(), story.end(), "acted"), 1) << join(story, ", ");
}

// A flag that the program does not know is no agent that runs.
TEST(Trouble, AnAgentThatCannotBeStartedDoesNotRun) {
  RealTeam team({"builder"}, {});
  const Outcome outcome =
      team.home().run({"agent", "start", "--team", kTeam, "--member", "builder", "--driver", "claude", "--auth", "env",
                       "--cwd", team.work(), "--detach", "--", "--no-such-flag"},
                      {.environment = {"TEAMSTER_CLAUDE=" + claude_program(), "ANTHROPIC_API_KEY=x"}});
  EXPECT_EQ(outcome.exit, 1) << outcome;
  EXPECT_NE(outcome.err.find("--no-such-flag"), std::string::npos) << outcome;
  EXPECT_EQ(outcome.out.find("runs in process"), std::string::npos) << outcome;
}

TEST(Trouble, NobodyListens) {
  RealTeam team({"builder"}, {});
  team.start("builder");
  team.end_server();
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = team.say_in_vain("builder", "hello");
  EXPECT_LT(std::chrono::steady_clock::now() - before, kBound);
  expect_failed(team, outcome, "provider", "onnect");  // "Connection refused", "Unable to connect"
  team.start_server_again({conversation_of("builder", {say("back again")})});
  expect_well_again(team);
}

class Silence : public testing::TestWithParam<const char*> {};

TEST_P(Silence, CutsTheTurn) {
  Json stalled = say(std::string(4000, '.'));
  stalled["stall"] = GetParam();
  RealTeam team({"builder"}, {conversation_of("builder", {stalled, say("back again")})});
  team.start("builder", {"--silence", "3s"});
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = team.say_in_vain("builder", "hello");
  EXPECT_LT(std::chrono::steady_clock::now() - before, kBound);
  EXPECT_NE(outcome.json.value("error", "").find("said nothing for 3"), std::string::npos) << outcome;
  EXPECT_TRUE(outcome.json.value("error", "").starts_with("silent: ")) << outcome;
  // Half an answer is evidence, none is not.
  EXPECT_EQ(team.receipt_of(outcome.json.value("id", std::int64_t{0})),
            std::string(GetParam()) == "middle" ? "seen" : "delivered");
  EXPECT_TRUE(team.has_state("builder", "failing"));
  EXPECT_NE(team.listed("builder").value("trouble", "").find("said nothing"), std::string::npos);
  expect_well_again(team);
}

INSTANTIATE_TEST_SUITE_P(Trouble, Silence, testing::Values("before", "middle"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Trouble, ATurnThatTakesTooLongIsCut) {
  RealTeam team({"builder"}, {conversation_of("builder", {run("touch endless; tail -f endless"), say("back again")})});
  team.start("builder", {"--allow", "Bash", "--turn-limit", "3s"});
  const Outcome outcome = team.say_in_vain("builder", "hello");
  EXPECT_TRUE(outcome.json.value("error", "").starts_with("limit: ")) << outcome;
  EXPECT_TRUE(eventually([&] { return team.processes("tail -f endless").empty(); })) << team.leftovers();
  expect_well_again(team);
}

}  // namespace
}  // namespace teamster::real
