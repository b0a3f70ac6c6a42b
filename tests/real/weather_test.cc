// A provider that is away or says no while a run is under way: weather is waited for, in the same conversations; what
// waiting does not mend parks the run at once, in words that say what to do.
#include <sys/stat.h>

#include <fstream>

#include <gtest/gtest.h>

#include "real/real_run.h"
#include "real/real_team.h"

namespace teamster::real {
namespace {

constexpr Milliseconds kParksWithin = 10s;

Turns with(Turns turns, std::size_t at, const Json& reply) {
  turns.insert(turns.begin() + static_cast<std::ptrdiff_t>(at), reply);
  return turns;
}

// How often the program asks before it gives a turn up.
constexpr int kRequests = 4;
constexpr int kOverloadedInARow = 3;

// 529 for one try of phase 2, then success: the run waits ten seconds and goes on in the reviewer's conversation.
TEST(Weather, IsWaitedForAndShown) {
  RealRun spec({conversation_of_role("builder", builder_turns()), conversation_of_role("tester", tester_turns()),
                conversation_of_role("reviewer", with(reviewer_turns(), 1, repeated(refuse(529), kOverloadedInARow)))});
  e2e::Process run = spec.start_spec();
  EXPECT_TRUE(spec.status_says("waits for its provider")) << spec.status_text();
  EXPECT_TRUE(spec.status_says("again in")) << spec.status_text();
  EXPECT_EQ(run.wait(3min), 0) << run.out() << run.err();
  EXPECT_TRUE(spec.server().surprises().empty()) << spec.server().surprises().front();
}

struct Permanent {
  const char* name;
  Json reply;
  const char* words;
};
void PrintTo(const Permanent& permanent, std::ostream* out) { *out << permanent.name; }

Json refuse_with(int status, const char* words) {
  Json reply = refuse(status);
  reply["error"]["message"] = words;
  return reply;
}

class WhatWaitingDoesNotMend : public testing::TestWithParam<Permanent> {};

TEST_P(WhatWaitingDoesNotMend, ParksWithTheRightWords) {
  const Permanent& permanent = GetParam();
  RealRun spec(Turns{conversation_of_role("builder", {repeated(permanent.reply, kRequests)})});
  const auto before = std::chrono::steady_clock::now();
  e2e::Process run = spec.start_spec({"--no-wait"});
  EXPECT_EQ(run.wait(60s), 4) << run.out() << run.err();
  EXPECT_LT(std::chrono::steady_clock::now() - before, kParksWithin);
  EXPECT_TRUE(spec.status_says(permanent.words)) << spec.status_text();
}

INSTANTIATE_TEST_SUITE_P(
    Weather, WhatWaitingDoesNotMend,
    testing::Values(Permanent{"KeyRefused", refuse_with(401, "invalid x-api-key"), "Invalid API key"},
                    Permanent{"NoCredit",
                              refuse_with(400, "Your credit balance is too low to access the Anthropic API."),
                              "Credit balance is too low"},
                    Permanent{"ModelUnknown", refuse_with(404, "model: claude-nope"), "issue with the selected model"}),
    [](const auto& test) { return test.param.name; });

TEST(Weather, NobodyIsLoggedIn) {
  RealRun spec({});
  const auto before = std::chrono::steady_clock::now();
  e2e::Process run = spec.start_spec({"--no-wait"}, {"ANTHROPIC_API_KEY="});
  EXPECT_EQ(run.wait(60s), 4) << run.out() << run.err();
  EXPECT_LT(std::chrono::steady_clock::now() - before, kParksWithin);
  EXPECT_TRUE(spec.status_says("Not logged in")) << spec.status_text();
}

// A program that only says how it would be installed, as npm leaves it, and one that knows less than it is asked for.
void expect_program_trouble(const std::string& script, const std::string& words) {
  RealRun spec({});
  const std::string program = spec.home().scratch() + "/claude";
  e2e::write_file(program, script);
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  const auto before = std::chrono::steady_clock::now();
  e2e::Process run = spec.start_spec({"--no-wait"}, {"TEAMSTER_CLAUDE=" + program});
  EXPECT_EQ(run.wait(60s), 4) << run.out() << run.err();
  EXPECT_LT(std::chrono::steady_clock::now() - before, kParksWithin);
  EXPECT_TRUE(spec.status_says(words)) << spec.status_text();
}

TEST(Weather, TheProgramIsTheStubOfNpm) {
  std::string stub;
  const std::string place = claude_program().substr(0, claude_program().rfind("/claude-code-linux"));
  std::ifstream file(place + "/claude-code/bin/claude.exe");
  if (!file) GTEST_SKIP() << "this version has no stub";
  std::getline(file, stub, '\0');
  expect_program_trouble("#!/bin/sh\n" + stub, "npm's stub");
}

TEST(Weather, TheProgramIsTooOld) {
  expect_program_trouble("#!/bin/sh\necho \"error: unknown option '--setting-sources'\" >&2; exit 1\n",
                         "unknown option '--setting-sources'");
}

// In the middle of the work; the key is mended while the run is parked, and the agent goes on where it was.
TEST(Weather, ALoginThatIsMendedGoesOnInTheSameConversation) {
  RealRun spec({conversation_of_role("builder", builder_turns()), conversation_of_role("tester", tester_turns()),
                conversation_of_role("reviewer", with(reviewer_turns(), 1, repeated(refuse(401), kRequests)))});
  const std::string key = spec.home().scratch() + "/key";
  e2e::write_file(key, "dummy-key-of-yesterday\n");
  e2e::Process run =
      spec.start({"run", "implement-spec", "01", "--driver", "claude", "--auth", "file", "--auth-file", key, "--json"});
  ASSERT_TRUE(spec.status_says("teamster answer")) << spec.status_text();
  EXPECT_NE(spec.status_text().find("verify/stuck"), std::string::npos) << spec.status_text();
  e2e::write_file(key, "dummy-key-of-today\n");
  const Outcome answered = spec.teamster({"answer", spec.run_name() + "/verify/stuck.1", "same"});
  EXPECT_EQ(answered.exit, 0) << answered;
  EXPECT_EQ(run.wait(3min), 0) << run.out() << run.err();
  const auto requests = spec.server().requests_of("dummy-key-of-today");
  ASSERT_FALSE(requests.empty());
  EXPECT_NE(requests.front().value("text", "").find("cat src/shout.sh"), std::string::npos)
      << "what the reviewer did before is in the request";
  EXPECT_TRUE(spec.server().surprises().empty()) << spec.server().surprises().front();
}

// The reviewer's conversation became too long: somebody else takes the phase, told what was answered before.
TEST(Weather, AConversationThatIsTooLongGoesToAFreshAgent) {
  Turns reviewer = reviewer_turns();
  RealRun spec({conversation_of_role("builder", builder_turns()), conversation_of_role("tester", tester_turns()),
                conversation_of_role("reviewer", with(reviewer, 0,
                                                      refuse_with(400,
                                                                  "prompt is too long: 250000 tokens > "
                                                                  "200000 maximum")))});
  const auto before = std::chrono::steady_clock::now();
  e2e::Process run = spec.start_spec();
  EXPECT_EQ(run.wait(3min), 0) << run.out() << run.err();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 60s);
  bool is_told = false;
  for (const auto& request : spec.server().requests())
    is_told =
        is_told || request.value("text", "").find("Another agent began this and was replaced") != std::string::npos;
  EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace teamster::real
