#include "cli/commands/machine/health.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::cli {
namespace {

using Status = Check::Status;
using Found = Result<std::optional<env::FileStatus>>;

Found directory(std::uint32_t mode, std::uint32_t owner) {
  return std::optional(env::FileStatus{.is_directory = true, .mode = mode, .owner_uid = owner});
}
const Error kBroken{Code::unavailable, "it is broken", "repair it"};

TEST(HealthTest, Kernel) {
  const auto status = [](const char* release) { return check_kernel(Result<std::string>(release)).status; };
  EXPECT_EQ(status("5.13.0-1-amd64\n"), Status::ok);
  EXPECT_EQ(status("6.1.0"), Status::ok);
  EXPECT_EQ(status("5.10.3"), Status::fail);
  EXPECT_EQ(status("4.19"), Status::fail);
  EXPECT_EQ(status("strange"), Status::warn);
}

TEST(HealthTest, Home) {
  EXPECT_EQ(check_home("/h", directory(0700, 5), 5).status, Status::ok);
  EXPECT_EQ(check_home("/h", directory(0700, 6), 5).status, Status::fail);
  const Check open = check_home("/h", directory(0755, 5), 5);
  EXPECT_EQ(open.status, Status::fail);
  EXPECT_EQ(open.next, "chmod 700 '/h'");
  EXPECT_EQ(check_home("/h", Found(std::nullopt), 5).status, Status::fail);
  EXPECT_EQ(check_home("/h", std::optional(env::FileStatus{}), 5).status, Status::fail);
  EXPECT_EQ(check_home("/h", Found(fail(kBroken)), 5).next, "repair it");
}

TEST(HealthTest, Cookie) {
  EXPECT_EQ(check_cookie("/c", directory(0600, 5)).status, Status::ok);
  EXPECT_EQ(check_cookie("/c", directory(0644, 5)).status, Status::fail);
  EXPECT_EQ(check_cookie("/c", Found(std::nullopt)).status, Status::fail);
}

TEST(HealthTest, FileSystemAndDisk) {
  EXPECT_EQ(check_file_system("/h", Result<std::string>("ext4")).status, Status::ok);
  EXPECT_EQ(check_file_system("/h", Result<std::string>("nfs")).status, Status::fail);
  EXPECT_EQ(check_file_system("/h", Result<std::string>("9p")).status, Status::fail);
  EXPECT_EQ(check_disk("/h", Result<std::uint64_t>(limits::kDiskFreeWarnBytes)).status, Status::ok);
  EXPECT_EQ(check_disk("/h", Result<std::uint64_t>(limits::kDiskFreeWarnBytes - 1)).status, Status::warn);
}

TEST(HealthTest, HubThatFailedShowsTheEndOfItsLog) {
  const Check check = check_hub(Result<hub::HubStatus>(fail(kBroken)), "1", "1\n2\n3\n4\n5\n6\n7\n");
  EXPECT_EQ(check.status, Status::fail);
  EXPECT_EQ(check.detail, "it is broken\nlast lines of its log:\n3\n4\n5\n6\n7");
  EXPECT_EQ(check_hub(Result<hub::HubStatus>(fail(kBroken)), "1", "only\n").detail,
            "it is broken\nlast lines of its log:\nonly");
  EXPECT_EQ(check_hub(Result<hub::HubStatus>(fail(kBroken)), "1", "").detail, "it is broken");
}

TEST(HealthTest, HubOfAnotherVersion) {
  hub::HubStatus status;
  status.version = "1";
  EXPECT_EQ(check_hub(status, "1", "").status, Status::ok);
  EXPECT_EQ(check_hub(status, "2", "").status, Status::warn);
}

TEST(HealthTest, StoreAndOrphans) {
  EXPECT_EQ(check_store(hub::CheckStore::Answer{true, 4, {}}).status, Status::ok);
  const Check bad = check_store(hub::CheckStore::Answer{false, 4, {"torn"}});
  EXPECT_EQ(bad.status, Status::fail);
  EXPECT_EQ(bad.detail, "4 events: torn");
  const std::vector<hub::Orphan> orphans = {{"young", "", std::chrono::seconds(1), ""},
                                            {"old", "", std::chrono::seconds(4000), ""}};
  const Check check = check_orphans(orphans);
  EXPECT_EQ(check.status, Status::warn);
  EXPECT_EQ(check.detail, "older than 60 m: old");
}

using Runs = std::vector<hub::GetRun::Answer>;

hub::GetRun::Answer run_row(const std::string& run, const std::string& key, const std::string& status,
                            bool is_held = false) {
  hub::GetRun::Answer row;
  row.run.run = run;
  row.run.workflow = "w";
  row.run.key = key;
  row.run.status = status;
  row.run.holder.emplace().is_alive = is_held;
  if (!status.empty()) row.run.ended = WallTime{};
  return row;
}

TEST(HealthTest, Runs) {
  EXPECT_EQ(check_runs(Result<Runs>(fail(kBroken))).status, Status::fail);
  EXPECT_EQ(check_runs(Runs{run_row("w-1", "a", "done"), run_row("w-2", "b", "", true)}).status, Status::ok);
  const Check interrupted = check_runs(Runs{run_row("w-1", "a", ""), run_row("w-2", "b", "blocked")});
  EXPECT_EQ(interrupted.status, Status::warn);
  EXPECT_EQ(interrupted.detail,
            "1 interrupted, 1 blocked\nw-1: teamster resume w-1, or teamster cancel w-1\nw-2: teamster report w-2");
  EXPECT_EQ(interrupted.next, "teamster resume w-1");
  hub::GetRun::Answer sub_run = run_row("s-1", "x", "");
  sub_run.body = {{"parent", "w-1/each.1"}};
  EXPECT_EQ(check_runs(Runs{run_row("w-1", "a", ""), sub_run}).detail.find("s-1"), std::string::npos)
      << "it goes on with its parent";
  EXPECT_EQ(check_runs(Runs{run_row("w-1", "a", "blocked")}).next, "See why: teamster report w-1");
  EXPECT_EQ(check_runs(Runs{run_row("w-1", "a", "blocked"), run_row("w-2", "a", "done")}).status, Status::ok)
      << "it was done since";
}

TEST(HealthTest, PinnedWorkflows) {
  using Pinned = std::vector<PinnedWorkflow>;
  EXPECT_EQ(check_pinned(Pinned{{"w-1", false, {}}}).status, Status::ok);
  const Check torn = check_pinned(Pinned{{"w-1", true, fail(kBroken)}, {"w-2", false, fail(kBroken)}});
  EXPECT_EQ(torn.status, Status::fail);
  EXPECT_EQ(torn.next, "teamster cancel w-2");
  EXPECT_EQ(torn.detail, "it is broken\nit is broken");
  EXPECT_EQ(check_pinned(Pinned{{"w-1", true, fail(kBroken)}}).status, Status::warn);
}

TEST(HealthTest, Owners) {
  using Owned = std::vector<OwnedFile>;
  EXPECT_EQ(check_owners("/h", Owned{{"/h/store.db", 5}}, 5).status, Status::ok);
  const Check others = check_owners("/h", Owned{{"/h/cookie", 5}, {"/h/store.db", 0}}, 5);
  EXPECT_EQ(others.status, Status::fail);
  EXPECT_EQ(others.detail, "/h/store.db belongs to user 0, not 5");
  EXPECT_EQ(others.next, "sudo chown -R 5 /h");
}

TEST(HealthTest, Settings) {
  EXPECT_EQ(check_settings({std::map<std::string, engine::Setting>{}}).detail, "none");
  const std::map<std::string, engine::Setting> some = {{"checks.test", {"make", "/p/.teamster/config.yaml"}}};
  EXPECT_EQ(check_settings({some}).detail, "checks.test = make (/p/.teamster/config.yaml)");
  const Check wrong = check_settings({some, {"config.yaml:4:2: nothing of this name"}});
  EXPECT_EQ(wrong.status, Status::warn);
  EXPECT_NE(wrong.detail.find("config.yaml:4:2"), std::string::npos);
  EXPECT_EQ(check_settings({fail(Code::invalid, "config.yaml:1:1: torn")}).status, Status::fail);
}

TEST(HealthTest, ScoreAndDocument) {
  const std::vector<Check> checks{
      {"a", Status::ok, "fine"}, {"b", Status::warn, "so so", "do"}, {"c", Status::fail, "bad"}};
  EXPECT_EQ(score(checks), 50);
  EXPECT_EQ(health_document(checks)["checks"][1],
            Json::parse(R"({"name":"b","status":"warn","detail":"so so","next":"do"})"));
}

TEST(HealthTest, ToolServersNeedTheirPrograms) {
  auto servers =
      tool_servers_in(R"({"mcpServers": {"docs": {"command": "docs-server"}, "web": {"url": "https://x"}}})");
  ASSERT_TRUE(servers);
  EXPECT_EQ(check_tool_servers(servers).status, Check::Status::ok);
  servers->front().is_there = false;
  const Check ill = check_tool_servers(servers);
  EXPECT_EQ(ill.status, Check::Status::warn);
  EXPECT_EQ(ill.detail, "servers whose program is not there: docs (docs-server)");
  EXPECT_EQ(check_tool_servers(tool_servers_in("{")).status, Check::Status::warn);
  EXPECT_EQ(check_tool_servers(tool_servers_in("{}")).status, Check::Status::warn);
  EXPECT_EQ(check_tool_servers(std::vector<ToolServer>()).detail, "no servers are declared here");
}

TEST(HealthTest, SkillsAreGoodAndAllKnown) {
  EXPECT_EQ(check_skills({.known = 3}).status, Check::Status::ok);
  EXPECT_EQ(check_skills({.known = 3, .broken = {"a"}}).detail, "with mistakes: a");
  EXPECT_EQ(check_skills({.known = 3, .left_out = {"b"}}).detail, "no agent is told of: b");
}

}  // namespace
}  // namespace teamster::cli
