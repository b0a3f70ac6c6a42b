// A role's tools are all that its agent has, whatever the user's or the repository's settings say; and what a role may
// not write is put back.
#include <algorithm>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "real/real_run.h"

namespace teamster::real {
namespace {

const std::set<std::string> kOfTheTeam = {"ask",          "claim_task",   "create_task", "get_task",
                                          "list_members", "list_tasks",   "read_inbox",  "read_skill",
                                          "report",       "send_message", "update_task"};

constexpr std::ptrdiff_t kTurnsOfVerify = 2;  // of the reviewer, for its first phase

// The agent's own, and of the team's the names.
struct Offered {
  std::set<std::string> own;
  std::set<std::string> of_the_team;
};

Offered offered_in(const Json& request) {
  constexpr std::string_view kPrefix = "mcp__team__";
  Offered offered;
  for (const auto& tool : request.at("tools")) {
    const std::string name = tool;
    if (name.starts_with(kPrefix))
      offered.of_the_team.insert(name.substr(kPrefix.size()));
    else
      offered.own.insert(name);
  }
  return offered;
}

// In every request of every role, with settings around that would change all of it.
TEST(Tools, AreThoseOfTheRoleAndOfTheTeam) {
  RealRun spec(whole_spec());
  namespace fs = std::filesystem;
  const std::string settings =
      R"({"permissions": {"allow": ["WebFetch"]}, "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"},
          "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch )" +
      spec.home().scratch() + R"(/hooked"}]}], "Stop": [{"hooks": [{"type": "command", "command": "touch )" +
      spec.home().scratch() + R"(/hooked"}]}]}})";
  for (const std::string& place : {spec.project() + "/.claude", spec.home().scratch() + "/.claude"}) {
    fs::create_directories(place);
    e2e::write_file(place + "/settings.json", settings);
  }
  e2e::write_file(spec.project() + "/.mcp.json", R"({"mcpServers": {"other": {"command": "/bin/false"}}})");
  spec.shell("git add -A && git commit -q -m settings");
  const Outcome outcome = spec.run_spec();
  EXPECT_EQ(outcome.exit, 0) << outcome;
  const std::set<std::string> reading = {"Bash", "Read"};
  const std::set<std::string> writing = {"Bash", "Edit", "Read", "Write"};
  // Of Glob and Grep this program has none of its own where it brings the commands.
  const std::set<std::string> searching = {"Glob", "Grep"};
  ASSERT_FALSE(spec.server().requests().empty());
  for (const auto& request : spec.server().requests()) {
    Offered offered = offered_in(request);
    for (const auto& name : searching) offered.own.erase(name);
    EXPECT_EQ(offered.own, request.value("conversation", "") == "reviewer" ? reading : writing) << request["tools"];
    EXPECT_EQ(offered.of_the_team, kOfTheTeam) << request["tools"];
  }
  EXPECT_FALSE(fs::exists(spec.home().scratch() + "/hooked")) << "a hook of somebody's settings was run";
}

// A reviewer has a shell, and may write nothing: what it changes is put back, kept aside, and told.
TEST(Tools, AReviewerThatEditsByShellIsCaught) {
  Turns reviewer = reviewer_turns();
  reviewer[0] = run("echo 'broken() {' >> src/plain.sh; git commit -q -am sneaky");
  RealRun spec({conversation_of_role("builder", builder_turns()), conversation_of_role("tester", tester_turns()),
                conversation_of_role("reviewer", reviewer)});
  const Outcome outcome = spec.run_spec();
  EXPECT_EQ(outcome.exit, 0) << outcome;
  EXPECT_NE(spec.home().run({"report", spec.run_name()}).out.find("reviewer changed what its role may not write"),
            std::string::npos);
  EXPECT_EQ(spec.shell("cat src/plain.sh").find("broken"), std::string::npos);
  EXPECT_EQ(spec.shell("git log --format=%s").find("sneaky"), std::string::npos);
  EXPECT_NE(spec.shell("git for-each-ref refs/teamster/aside").find("refs/teamster/aside/"), std::string::npos);
}

// The same in a turn that no phase has asked for.
TEST(Tools, AReviewerThatAMessageMakesEditIsCaught) {
  Turns reviewer = reviewer_turns();
  reviewer.insert(reviewer.begin() + kTurnsOfVerify, {run("echo 'broken() {' >> src/plain.sh"), say("I changed it.")});
  Turns tester = tester_turns();
  Json refused = repeated(refuse(401), 4);
  tester.insert(tester.begin(), refused);
  RealRun spec({conversation_of_role("builder", builder_turns()), conversation_of_role("tester", tester),
                conversation_of_role("reviewer", reviewer)});
  e2e::Process run = spec.start_spec();
  ASSERT_TRUE(spec.status_says("unit-tests/stuck")) << "nobody is at work: " << spec.status_text();
  const Outcome sent = spec.teamster({"message", "send", "--team", "spec-01", "--to", "reviewer", "change it, please"});
  EXPECT_EQ(sent.exit, 0) << sent;
  const auto log = [&] { return spec.home().run({"log", spec.run_name()}).out; };
  ASSERT_TRUE(eventually([&] { return log().find("changed what it may not") != std::string::npos; }, e2e::kPatience))
      << log();
  EXPECT_EQ(spec.shell("cat src/plain.sh").find("broken"), std::string::npos);
  EXPECT_EQ(spec.teamster({"answer", spec.run_name() + "/unit-tests/stuck.1", "same"}).exit, 0);
  EXPECT_EQ(run.wait(3min), 0) << run.out() << run.err();
}

}  // namespace
}  // namespace teamster::real
