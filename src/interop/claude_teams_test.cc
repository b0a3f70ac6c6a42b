#include "interop/claude_teams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/limits.h"
#include "env/files.h"
#include "env/processes.h"
#include "env/sim/sim_world.h"

namespace teamster::interop {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSession = "6e5ef907-1414-4528-88f8-409469726c6f";

class ClaudeTeamsTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::string whole = path.front() == '/' ? path : "/home/user/.claude/" + path;
    ASSERT_TRUE(view_.files.make_private_directory(whole.substr(0, whole.rfind('/'))));
    ASSERT_TRUE(view_.files.write_atomically(whole, text, 0600));
  }
  void write_config(const std::string& name, const Json& lead_process) {
    Json config = Json::parse(R"({"members":[{"name":"team-lead"},{"name":"bob"}]})");
    config["leadSessionId"] = kSession;
    config["leadProcess"] = lead_process;
    write("teams/" + name + "/config.json", dump_json(config));
  }
  static Json lead_of(env::sim::Host& host) {
    const auto self = host.view().processes.self();
    return {{"pid", self.pid}, {"procStart", std::to_string(self.start_ticks)}};
  }
  // A session that runs, with these arguments of its process.
  void run_session(env::sim::Host& host, const std::string& id, const std::string& arguments = "claude") {
    write(fmt::format("sessions/{}.json", host.pid()), dump_json({{"sessionId", id}}));
    write(fmt::format("/proc/{}/cmdline", host.pid()), arguments);
  }
  ClaudeTeam only() {
    auto teams = teams_.list();
    EXPECT_EQ(teams.size(), 1U);
    return teams.empty() ? ClaudeTeam() : teams.front();
  }
  bool exists(const std::string& path) { return view_.files.status("/home/user/.claude/" + path)->has_value(); }

  env::sim::World world_{23};
  env::World view_ = world_.start("teamster").view();
  env::sim::Host& claude_ = world_.start("claude");
  ClaudeTeams teams_{view_, "/home/user/.claude"};
};

TEST_F(ClaudeTeamsTest, AreLookedForWhereClaudeCodeHasThem) {
  const auto find = [](std::map<std::string, std::string> variables) {
    return ClaudeTeams::find_directory([&](const char* name) -> std::optional<std::string> {
      return variables.contains(name) ? std::optional(variables[name]) : std::nullopt;
    });
  };
  EXPECT_EQ(find({{"HOME", "/h"}}), "/h/.claude");
  EXPECT_EQ(find({{"HOME", "/h"}, {"CLAUDE_CONFIG_DIR", "/c"}}), "/c");
  EXPECT_EQ(find({}), "");
  EXPECT_TRUE(ClaudeTeams(view_, "").list().empty());
  EXPECT_TRUE(teams_.list().empty()) << "there is no such directory";
}

TEST_F(ClaudeTeamsTest, OneWithALivingLeadIsNoOrphan) {
  write_config("session-6e5ef907", lead_of(claude_));
  write("tasks/session-6e5ef907/1.json", R"({"status":"pending"})");
  write("tasks/session-6e5ef907/2.json", R"({"status":"in_progress"})");
  write("tasks/session-6e5ef907/3.json", "not JSON");
  write("tasks/session-6e5ef907/.lock", "");
  const ClaudeTeam team = only();
  EXPECT_EQ(team.name, "session-6e5ef907");
  EXPECT_FALSE(team.is_orphan);
  EXPECT_NE(team.reason.find(std::to_string(claude_.pid())), std::string::npos) << team.reason;
  EXPECT_EQ(team.members, (std::vector<std::string>{"team-lead", "bob"}));
  EXPECT_EQ(team.tasks.pending, 1);
  EXPECT_EQ(team.tasks.in_progress, 1);
  EXPECT_EQ(team.tasks.completed, 0);
  EXPECT_EQ(team.places.size(), 2U);
  const auto refused = teams_.remove(team.name);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  EXPECT_TRUE(exists("teams/session-6e5ef907/config.json"));
}

TEST_F(ClaudeTeamsTest, OneWhoseLeadHasGoneIsAnOrphanAndCanBeRemoved) {
  write_config("alpha", lead_of(claude_));
  write("tasks/alpha/1.json", R"({"status":"pending"})");
  write("teams/beta/config.json", "{}");
  world_.kill(claude_);
  EXPECT_TRUE(teams_.list().at(0).is_orphan);
  ASSERT_TRUE(teams_.remove("alpha"));
  EXPECT_FALSE(exists("teams/alpha"));
  EXPECT_FALSE(exists("tasks/alpha"));
  EXPECT_TRUE(exists("teams/beta/config.json")) << "nothing else";
  EXPECT_EQ(teams_.remove("alpha").error().code, Code::not_found);
}

TEST_F(ClaudeTeamsTest, APidThatIsAnotherProcessNowIsNotTheLead) {
  Json lead = lead_of(claude_);
  lead["procStart"] = "1";
  write_config("alpha", lead);
  EXPECT_TRUE(only().is_orphan);
  lead.erase("procStart");
  write_config("alpha", lead);
  EXPECT_FALSE(only().is_orphan) << "when in doubt it lives";
}

TEST_F(ClaudeTeamsTest, ALeadOfAnotherPidNamespaceCannotBeSeen) {
  Json lead = lead_of(claude_);
  lead["pidSpace"] = "vm#pid:[1]";
  write_config("alpha", lead);
  world_.kill(claude_);
  EXPECT_FALSE(only().is_orphan);
  lead["pidSpace"] = fmt::format("vm#pid:[{}]", kFirstPidNamespace);
  write_config("alpha", lead);
  EXPECT_TRUE(only().is_orphan) << "our own";
}

TEST_F(ClaudeTeamsTest, ASessionThatBelongsToItKeepsIt) {
  write_config("alpha", {{"pid", 999'999}, {"procStart", "1"}});
  EXPECT_TRUE(only().is_orphan);
  run_session(claude_, kSession);
  EXPECT_FALSE(only().is_orphan) << "its lead under another pid";
  run_session(claude_, "another", std::string("claude\0--team-name\0alpha\0", 25));
  EXPECT_FALSE(only().is_orphan) << "a teammate";
  run_session(claude_, "another", std::string("claude\0--agent-id\0bob@alpha\0", 28));
  EXPECT_FALSE(only().is_orphan) << "a teammate";
  run_session(claude_, "another", std::string("claude\0--team-name\0alphabet\0", 28));
  EXPECT_TRUE(only().is_orphan) << "somebody else";
  world_.kill(claude_);
  run_session(claude_, kSession);
  EXPECT_TRUE(only().is_orphan) << "a session file that was left";
}

TEST_F(ClaudeTeamsTest, TasksThatASessionLeftAreATeamAndOtherListsAreNot) {
  write("tasks/session-6e5ef907/1.json", R"({"status":"completed"})");
  write("tasks/my-own-list/1.json", R"({"status":"pending"})");
  write("tasks/session-notes/1.json", R"({"status":"pending"})");
  const ClaudeTeam team = only();
  EXPECT_EQ(team.name, "session-6e5ef907");
  EXPECT_TRUE(team.is_orphan);
  run_session(claude_, kSession);
  EXPECT_FALSE(only().is_orphan) << "the session uses it still";
}

TEST_F(ClaudeTeamsTest, OneThatIsJustBeingMadeIsNoOrphan) {
  write("teams/default/inboxes/bob.json", "[]");
  EXPECT_FALSE(only().is_orphan);
  world_.run_for(2h);
  EXPECT_TRUE(only().is_orphan);
}

TEST_F(ClaudeTeamsTest, WhatIsWrongInsideDoesNoHarm) {
  for (const char* config : {"", "[]", "null", R"({"leadProcess":7,"members":{"a":1},"leadSessionId":[]})",
                             R"({"members":[1,{"name":2},null],"leadProcess":{"pid":-1,"procStart":{}}})"}) {
    write("teams/odd/config.json", config);
    EXPECT_EQ(only().name, "odd") << config;
  }
  for (const char* name : {"", ".", "..", "../teams", "a/b"})
    EXPECT_EQ(teams_.remove(name).error().code, Code::not_found) << name;
}

TEST_F(ClaudeTeamsTest, WhoseConfigurationIsNoJsonMayBeAnyLivingSessions) {
  write("teams/odd/config.json", "{\"leadProcess\":");
  world_.run_for(2h);
  EXPECT_TRUE(only().is_orphan);
  run_session(claude_, kSession);
  EXPECT_FALSE(only().is_orphan) << "it may be its";
  write_config("odd", {{"pid", 999'999}, {"procStart", "1"}});
  run_session(claude_, "another");
  EXPECT_TRUE(only().is_orphan) << "it says that it is somebody else's";
}

TEST_F(ClaudeTeamsTest, OfWhatCannotBeReadNobodyKnowsWhetherItLives) {
  write("teams/huge/config.json", std::string(limits::kForeignFileMaxBytes + 1, ' '));
  world_.run_for(2h);
  const ClaudeTeam team = only();
  EXPECT_FALSE(team.is_orphan);
  EXPECT_NE(team.reason.find("config.json"), std::string::npos) << team.reason;
  EXPECT_EQ(teams_.remove("huge").error().code, Code::refused);
}

class ClaudeCacheTest : public ClaudeTeamsTest {
 protected:
  ClaudeCacheTest() {
    write_config("alpha", lead_of(claude_));
    write("tasks/alpha/1.json", R"({"status":"pending"})");
    world_.run_for(10s);
    EXPECT_EQ(cached_.list().size(), 1U);
  }
  std::string kept() { return view_.files.read("/home/user/kept", 1 << 20).value_or("none"); }
  // What can have come from the cache alone.
  void rename_member_in_cache(const std::string& text, const std::string& other) {
    std::string changed = kept();
    const std::size_t at = changed.find(text);
    ASSERT_NE(at, std::string::npos) << changed;
    write("/home/user/kept", changed.replace(at, text.size(), other));
  }
  std::string second_member() { return cached_.list().at(0).members.at(1); }

  ClaudeTeams cached_{view_, "/home/user/.claude", "/home/user/kept"};
};

TEST_F(ClaudeCacheTest, WhatHasNotChangedIsNotReadAgain) {
  rename_member_in_cache("bob", "eve");
  EXPECT_EQ(second_member(), "eve");
  const std::string before = kept();
  EXPECT_EQ(second_member(), "eve");
  EXPECT_EQ(kept(), before) << "nothing to write";
}

TEST_F(ClaudeCacheTest, WhatHasChangedIs) {
  rename_member_in_cache("bob", "eve");
  write("tasks/alpha/1.json", R"({"status":"completed"})");
  EXPECT_EQ(second_member(), "bob");
  EXPECT_EQ(cached_.list().at(0).tasks.completed, 1);
  world_.run_for(10s);
  EXPECT_EQ(second_member(), "bob");
  rename_member_in_cache("bob", "eve");
  write("tasks/alpha/2.json", R"({"status":"pending"})");
  EXPECT_EQ(second_member(), "bob") << "a task more";
}

TEST_F(ClaudeCacheTest, WhoLivesIsLookedAtEachTime) {
  EXPECT_FALSE(cached_.list().at(0).is_orphan);
  world_.kill(claude_);
  EXPECT_TRUE(cached_.list().at(0).is_orphan);
  ASSERT_TRUE(cached_.remove("alpha"));
  EXPECT_TRUE(cached_.list().empty());
}

TEST_F(ClaudeCacheTest, WhatChangedAMomentAgoIsNotKept) {
  write_config("beta", lead_of(claude_));
  EXPECT_EQ(cached_.list().size(), 2U);
  EXPECT_EQ(kept().find("beta"), std::string::npos);
  world_.run_for(10s);
  EXPECT_EQ(cached_.list().size(), 2U);
  EXPECT_NE(kept().find("beta"), std::string::npos);
}

TEST_F(ClaudeCacheTest, OneThatIsTornOrOfAnotherDirectoryIsAsNone) {
  const std::string whole = kept();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write("/home/user/kept", whole.substr(0, length));
    EXPECT_EQ(second_member(), "bob") << length;
  }
  EXPECT_EQ(kept(), whole) << "mended";
  rename_member_in_cache("bob", "eve");
  rename_member_in_cache("/home/user/.claude", "/home/other/.claud");
  EXPECT_EQ(second_member(), "bob");
}

}  // namespace
}  // namespace teamster::interop
