// The commands log, gc, help, completion; and doctor's judgements in health_test.cc.
#include <cerrno>

#include <gtest/gtest.h>

#include "cli/framework/help_text.h"
#include "cli/framework/manual.h"
#include "cli/framework/outside_for_test.h"
#include "cli/framework/registry.h"
#include "env/files.h"
#include "env/sim/sim_world.h"

namespace teamster::cli {
namespace {

class MachineCommandsTest : public testing::Test {
 protected:
  static Json event(std::int64_t seq, const std::string& kind) {
    return {{"seq", seq},      {"at", "2027-01-15T07:59:00.123Z"},
            {"kind", kind},    {"team", "demo"},
            {"actor", "lead"}, {"body", {{"token", "secret"}, {"list", {{{"claim_token", "s"}}}}}}};
  }
  // Numbers are `n` in a run, else `seq`; an empty page is behind the 99th.
  static Json page(std::initializer_list<Json> events) {
    Json last = 99;
    for (const auto& event : events) last = event.contains("n") ? event["n"] : event["seq"];
    return {{"events", Json(events)}, {"last", last}};
  }

  env::sim::World world_{1};
  env::sim::Host& host_ = world_.start("shell");
  FakeOutside outside_;
};

TEST_F(MachineCommandsTest, LogReadsUntilAnEmptyPageAndHidesTokens) {
  outside_.answers(page({event(1, "task.claimed"), event(2, "team.created")})).answers(page({}));
  EXPECT_EQ(outside_.run({"log", "demo", "--kind", "task"}), 0);
  ASSERT_EQ(outside_.requests.size(), 2U);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo"})"));
  EXPECT_EQ(outside_.requests[1].args["after"], 2);
  EXPECT_EQ(outside_.out.captured,
            "     1  2027-01-15 07:59:00  task.claimed        demo        lead        "
            "list [{\"claim_token\":\"…\"}], token …\n");
}

TEST_F(MachineCommandsTest, LogShowsMoneyAsEveryDocumentDoes) {
  Json turn = event(1, "member.turn");
  turn["body"] = Json::parse(R"({"usage":{"input_tokens":7,"cost_microusd":250000}})");
  outside_.answers(page({turn})).answers(page({}));
  EXPECT_EQ(outside_.run({"log", "--json"}), 0);
  EXPECT_EQ(outside_.document()["events"][0]["body"]["usage"], Json({{"input_tokens", 7}, {"cost_usd", 0.25}}));
}

TEST_F(MachineCommandsTest, LogInJsonIsOneDocument) {
  outside_.answers(page({event(4, "a"), event(5, "b")})).answers(page({}));
  EXPECT_EQ(outside_.run({"log", "--json", "--after", "3", "--limit", "1"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"after":3})"));
  ASSERT_EQ(outside_.document()["events"].size(), 1U);
  EXPECT_EQ(outside_.document()["events"][0]["body"]["token"], "…");
}

// The hub looks at a part of the journal at a time: none of this team there, but more behind it.
TEST_F(MachineCommandsTest, LogGoesOnAfterAnEmptyPageThatIsNotTheLast) {
  Json none = page({});
  none["more"] = true;
  outside_.answers(none).answers(page({event(120, "a")})).answers(page({}));
  EXPECT_EQ(outside_.run({"log", "demo", "--json"}), 0);
  ASSERT_EQ(outside_.requests.size(), 3U);
  EXPECT_EQ(outside_.requests[1].args["after"], 99);
  EXPECT_EQ(outside_.document()["events"].size(), 1U);
}

TEST_F(MachineCommandsTest, LogOfARunReadsItsRecords) {
  const Json record = {
      {"n", 7}, {"seq", 900}, {"at", "2027-01-15T07:59:00.123Z"}, {"kind", "step.done"}, {"body", {{"step", "a"}}}};
  Json first = page({record});
  first["ended"] = true;
  Json last = page({});
  last["ended"] = true;
  outside_.answers(first).answers(last);
  EXPECT_EQ(outside_.run({"log", "w-20261116-1a2b", "--after", "6", "--follow"}), 0) << "its end is the end";
  ASSERT_EQ(outside_.requests.size(), 2U);
  EXPECT_EQ(outside_.requests[0].op, "run.events");
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"run":"w-20261116-1a2b","after":6})"));
  EXPECT_EQ(outside_.requests[1].args["after"], 7);
  EXPECT_EQ(outside_.out.captured, "2027-01-15\n7      07:59:00  a.0             -           done\n");
}

TEST_F(MachineCommandsTest, LogOfATeamThatIsNamedLikeARun) {
  const Error no_run{Code::not_found, "there is no run 'w-20261116-1a2b'", ""};
  outside_.fails(no_run).answers(page({event(1, "team.created")})).answers(page({}));
  EXPECT_EQ(outside_.run({"log", "w-20261116-1a2b"}), 0);
  EXPECT_EQ(outside_.requests[1].args, Json::parse(R"({"team":"w-20261116-1a2b"})"));
  outside_.fails(no_run).fails({Code::not_found, "there is no team w-20261116-1a2b", ""});
  EXPECT_EQ(outside_.run({"log", "w-20261116-1a2b"}), 1);
  EXPECT_NE(outside_.err.captured.find("no run"), std::string::npos) << outside_.err.captured;
  EXPECT_EQ(outside_.run({"log", "no/scope"}), 2);
}

TEST_F(MachineCommandsTest, LogOfNothingInJson) {
  outside_.answers(page({}));
  EXPECT_EQ(outside_.run({"log", "--json"}), 0);
  EXPECT_EQ(outside_.document(), Json::parse(R"({"events":[]})"));
}

TEST_F(MachineCommandsTest, FollowParksAndPrintsADocumentPerLine) {
  Json nothing = page({});
  nothing["last"] = 1;
  outside_.answers(page({event(1, "a")})).answers(nothing).answers(page({event(2, "b")}));
  EXPECT_EQ(outside_.run({"log", "--follow", "--json", "--limit", "2"}), 0);
  ASSERT_EQ(outside_.requests.size(), 3U);
  EXPECT_EQ(outside_.requests[2].wait, std::chrono::hours(1));
  EXPECT_EQ(outside_.requests[2].args["after"], 1);
  const std::string& text = outside_.out.captured;
  const auto middle = text.find('\n') + 1;
  EXPECT_EQ(Json::parse(text.substr(0, middle))["seq"], 1);
  EXPECT_EQ(Json::parse(text.substr(middle))["seq"], 2);
}

TEST_F(MachineCommandsTest, FollowEndsWhenTheReaderHasGone) {
  outside_.out.broken = EPIPE;
  EXPECT_EQ(outside_.run({"log", "--follow"}), 1);
  EXPECT_EQ(outside_.err.captured, "");
}

TEST_F(MachineCommandsTest, FullDiskBehindStandardOutputIsAnError) {
  outside_.out.broken = ENOSPC;
  outside_.answers({{"teams", Json::array()}});
  EXPECT_EQ(outside_.run({"team", "list", "--json"}), 1);
  EXPECT_EQ(outside_.err.captured, "teamster: cannot write to standard output: No space left on device\n");
}

TEST_F(MachineCommandsTest, GcGoesOnUntilDone) {
  outside_.world = [this] { return host_.view(); };
  outside_.variables["TEAMSTER_HOME"] = "/h";
  const std::string kept = "/h/runs/w-20261116-1a2b";
  ASSERT_TRUE(host_.view().files.make_private_directory(kept));
  outside_.answers({{"teams", {"a"}}, {"events", 5000}, {"done", false}})
      .answers({{"teams", {"a", "b"}}, {"runs", {"w-20261116-1a2b"}}, {"events", 3}, {"done", true}});
  EXPECT_EQ(outside_.run({"gc", "--key", "k", "--json"}), 0);
  ASSERT_EQ(outside_.requests.size(), 2U);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"older_than_ms":2592000000})"));
  EXPECT_EQ(outside_.requests[1].key, "k.step2");
  EXPECT_EQ(outside_.document(),
            Json::parse(R"({"teams":["a","b"],"runs":["w-20261116-1a2b"],"events":5003,"done":true})"));
  EXPECT_FALSE(host_.view().files.status(kept)->has_value()) << "what was kept with a run goes with it";
}

TEST_F(MachineCommandsTest, GcDryRunAsksOnce) {
  outside_.answers({{"teams", {"a"}}, {"events", 5000}, {"done", false}});
  EXPECT_EQ(outside_.run({"gc", "--dry-run", "--older-than", "7d"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"older_than_ms":604800000,"dry_run":true})"));
  EXPECT_EQ(outside_.out.captured, "would remove 5000 events of 1 deleted team and 0 ended runs: a\n");
}

TEST_F(MachineCommandsTest, HelpOnEveryLevel) {
  const Registry registry = all_commands();
  EXPECT_EQ(outside_.run({}), 2);
  EXPECT_EQ(outside_.out.captured, help_overview(registry));
  EXPECT_EQ(outside_.run({"--help"}), 0);
  EXPECT_EQ(outside_.out.captured, help_overview(registry));
  EXPECT_EQ(outside_.run({"team", "-h"}), 0);
  EXPECT_EQ(outside_.out.captured, help_group(registry, "team"));
  EXPECT_EQ(outside_.run({"team", "create", "--bogus", "--help"}), 0);
  EXPECT_EQ(outside_.out.captured, help_command(*registry.find("team create")));
  EXPECT_EQ(outside_.run({"help", "team", "create"}), 0);
  EXPECT_EQ(outside_.out.captured, help_command(*registry.find("team create")));
  EXPECT_EQ(outside_.run({"help"}), 0);
  EXPECT_EQ(outside_.run({"help", "doctor", "more"}), 2);
  EXPECT_EQ(outside_.run({"help", "nonsense"}), 2);
}

TEST_F(MachineCommandsTest, WordsThatLeadNowhere) {
  EXPECT_EQ(outside_.run({"team"}), 2);
  EXPECT_EQ(outside_.err.captured, "teamster: `teamster team` needs a verb\n  See `teamster team --help`\n");
  EXPECT_EQ(outside_.run({"teams", "list", "--json"}), 2);
  EXPECT_EQ(outside_.document()["error"]["next"], "Did you mean team? See `teamster --help`");
  EXPECT_EQ(outside_.run({"--bogus"}), 2);
  EXPECT_EQ(outside_.run({"hub", "extra"}), 2);
  EXPECT_EQ(outside_.run({"completion", "tcsh"}), 2);
}

TEST_F(MachineCommandsTest, Version) {
  EXPECT_EQ(outside_.run({"--version"}), 0);
  EXPECT_TRUE(outside_.out.captured.starts_with("teamster "));
}

TEST_F(MachineCommandsTest, CompletionAndMarkdown) {
  for (const auto* shell : {"bash", "zsh", "fish"}) EXPECT_EQ(outside_.run({"completion", shell}), 0);
  EXPECT_EQ(outside_.run({"help", "--markdown"}), 0);
  EXPECT_EQ(outside_.out.captured, markdown_reference(all_commands()));
  const Registry registry = all_commands();
  for (const auto& command : registry.commands())
    EXPECT_NE(outside_.out.captured.find("### teamster " + command.path + "\n"), std::string::npos);
}

TEST_F(MachineCommandsTest, ErrorsAreHarmlessOnATerminalAndMapToExitCodes) {
  outside_.fails({Code::unavailable, "bad \x1b[2J", "try\nagain"});
  EXPECT_EQ(outside_.run({"team", "list"}), 1);
  EXPECT_EQ(outside_.err.captured, "teamster: bad \\x1b[2J\n  try\\nagain\n");
  EXPECT_EQ(outside_.out.captured, "");
  outside_.fails({Code::invalid, "two mistakes:\n  one\nteamster: two", ""});
  EXPECT_EQ(outside_.run({"team", "list"}), 2);
  EXPECT_EQ(outside_.err.captured, "teamster: two mistakes:\n    one\n  teamster: two\n") << "none looks like ours";
  outside_.fails({Code::internal, "x", ""});
  EXPECT_EQ(outside_.run({"team", "list"}), 70);
  outside_.fails({Code::waiting, "x", ""});
  EXPECT_EQ(outside_.run({"team", "list"}), 4);
}

TEST_F(MachineCommandsTest, KeysHaveLimits) {
  EXPECT_EQ(outside_.run({"gc", "--key="}), 2);
  EXPECT_EQ(outside_.run({"gc", "--key", std::string(129, 'k')}), 2);
  EXPECT_TRUE(outside_.requests.empty());
}

}  // namespace
}  // namespace teamster::cli
