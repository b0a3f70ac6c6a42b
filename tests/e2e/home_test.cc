// The home and its hub: where it may lie, who starts and ends the hub, what doctor says.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

std::string status_of(const Json& health, const std::string& name) {
  for (const auto& check : health["checks"])
    if (check["name"] == name) return check["status"];
  return "absent";
}

TEST(HubProcess, StatusAndStop) {
  const Home home;
  const Outcome nobody = home.fails(1, {"hub", "--status"});
  EXPECT_EQ(nobody.code(), "not_found");
  EXPECT_TRUE(home.hub_pids().empty()) << "looking starts no hub";
  EXPECT_EQ(home.ok({"hub", "--stop"})["stopping"], false);

  home.create_team("alpha", {"builder"});
  const Json status = home.ok({"hub", "--status"});
  ASSERT_EQ(home.hub_pids(), std::vector<pid_t>{status["pid"].get<pid_t>()});
  EXPECT_EQ(status["home"], home.path());
  EXPECT_GE(status["store"]["events"], 2);
  EXPECT_EQ(home.ok({"hub", "--stop"})["stopping"], true);
  EXPECT_TRUE(has_ended(status["pid"]));
  EXPECT_EQ(home.ok({"team", "list"})["teams"].at(0)["team"], "alpha") << "the next command starts another";
}

TEST(HubProcess, OneServesAndASecondIsRefused) {
  const Home home;
  const pid_t first = home.hub_pid();
  const Outcome second = home.run({"hub"}, {.limit = 20s});
  EXPECT_EQ(second.exit, 3) << second;
  EXPECT_EQ(home.hub_pid(), first);
}

TEST(HubProcess, ManyFirstCommandsStartOneHub) {
  const Home home;
  std::vector<Process> commands;
  for (int i = 0; i < 12; ++i)
    commands.push_back(home.start({"team", "create", fmt::format("t{}", i), "--member", "a"}));
  for (auto& command : commands) EXPECT_EQ(command.wait(), 0) << command.err();
  EXPECT_EQ(home.ok({"team", "list"})["teams"].size(), 12U);
  EXPECT_TRUE(eventually([&] { return home.hub_pids().size() == 1; })) << "those that lost the race leave";
}

TEST(HubProcess, LeavesWhenIdleAndNotBefore) {
  const Home home;
  const RunOptions short_life{.environment = {"TEAMSTER_HUB_IDLE_EXIT=1s"}};
  home.ok({"team", "create", "alpha", "--member", "builder"}, short_life);
  Process waiter =
      home.start({"message", "wait", "--team", "alpha", "--member", "builder", "--timeout", "3s"}, short_life);
  ASSERT_TRUE(eventually([&] { return home.run({"hub", "--status", "--json"}).json.value("parked", 0) == 1; }));
  const auto pids = home.hub_pids();
  ASSERT_EQ(pids.size(), 1U);
  bool stayed = true;
  ASSERT_TRUE(eventually([&] {
    const bool is_there = home.hub_pids() == pids;
    if (!waiter.is_running()) return true;
    stayed = stayed && is_there;
    return false;
  }));
  EXPECT_TRUE(stayed) << "a connection keeps it";
  EXPECT_EQ(waiter.wait(), 1);
  EXPECT_TRUE(has_ended(pids[0], 10s));
  EXPECT_EQ(home.ok({"team", "list"}, short_life)["teams"].size(), 1U);
}

TEST(HubProcess, IsDetachedFromTheCommandThatStartedIt) {
  const Home home;
  const pid_t pid = home.hub_pid();
  EXPECT_EQ(::getsid(pid), pid) << "its own session";
  EXPECT_EQ(std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", pid)), "/");
  EXPECT_EQ(std::filesystem::read_symlink(fmt::format("/proc/{}/fd/1", pid)), "/dev/null");
  home.end_hub(SIGTERM);
  EXPECT_EQ(home.ok({"doctor"})["score"], 100);
}

TEST(Place, TwoHomesDoNotMeet) {
  const Home one;
  const Home two;
  one.create_team("alpha", {"builder"});
  two.create_team("alpha", {"other"});
  one.send("alpha", "builder", "operator", "in one");
  EXPECT_EQ(two.inbox("alpha", "operator").size(), 0U);
  EXPECT_EQ(one.inbox("alpha", "operator").size(), 1U);
  EXPECT_NE(one.hub_pid(), two.hub_pid());
  const Outcome foreign = one.fails(3, {"team", "status", "--token-file", two.token_file("alpha", "other")});
  EXPECT_EQ(foreign.code(), "refused");
}

TEST(Place, APathLongerThanASocketNameWorks) {
  const Home home(std::string(120, 'd') + "/" + std::string(129, 'e'));
  ASSERT_GT(home.path().size(), 250U);
  home.create_team("alpha", {"builder"});
  home.send("alpha", "operator", "builder", "far away");
  EXPECT_EQ(home.ok({"message", "inbox", "--token-file", home.token_file("alpha", "builder")})["messages"].size(), 1U);
  home.end_hub();
  EXPECT_EQ(home.inbox("alpha", "builder").size(), 1U);
}

TEST(Place, ARelativeHomeIsRefused) {
  const Home home;
  Process process(Start{.command = {TEAMSTER_BINARY, "team", "list"}, .environment = {"TEAMSTER_HOME=here/there"}});
  EXPECT_EQ(process.wait(), 2);
  EXPECT_NE(process.err().find("absolute"), std::string::npos);
}

TEST(Place, WithoutTeamsterHomeTheStateDirectoryOfTheUserIsUsed) {
  const Home home(".local/state/teamster");
  home.create_team("alpha", {"builder"});
  Process process(
      Start{.command = {TEAMSTER_BINARY, "team", "list", "--json"}, .environment = {"HOME=" + home.scratch()}});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_NE(process.out().find("alpha"), std::string::npos);
}

TEST(Place, AnOpenHomeIsReportedByDoctor) {
  const Home home;
  ASSERT_EQ(::mkdir(home.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(home.path().c_str(), 0755), 0);
  const Outcome create = home.run({"team", "create", "alpha", "--member", "builder", "--json"});
  if (mode_of(home.path()) == 0700U) {
    EXPECT_EQ(create.exit, 0) << create;  // mended
    EXPECT_EQ(home.ok({"doctor"})["score"], 100);
  } else if (create.exit == 0) {
    const Outcome doctor = home.fails(1, {"doctor"});
    EXPECT_EQ(status_of(doctor.json, "home"), "fail");
    EXPECT_NE(doctor.out.find("chmod 700"), std::string::npos);
  } else {
    EXPECT_NE(create.next().find("chmod"), std::string::npos) << create;
  }
}

TEST(Place, AReadOnlyHomeIsAClearErrorAndNothingIsWritten) {
  if (const auto reason = why_not_as_nobody(); !reason.empty()) GTEST_SKIP() << reason;
  const std::optional<uid_t> user = ::geteuid() == 0 ? std::optional(kNobody) : std::nullopt;
  const Home home(user);
  ASSERT_EQ(::mkdir(home.path().c_str(), 0500), 0);
  if (user) {
    ASSERT_EQ(::chown(home.path().c_str(), *user, *user), 0);
  }
  const Outcome create = home.run({"team", "create", "alpha", "--member", "builder", "--json"});
  EXPECT_TRUE(create.exit == 1 || create.exit == 3) << create;
  EXPECT_NE(create.what().find(home.path()), std::string::npos) << create;
  EXPECT_FALSE(create.next().empty()) << create;
  EXPECT_TRUE(std::filesystem::is_empty(home.path()));
  EXPECT_EQ(::chmod(home.path().c_str(), 0700), 0);
  EXPECT_EQ(home.ok({"team", "create", "alpha", "--member", "builder"})["team"], "alpha");

  // Now there is a store, and the home becomes read-only afterwards.
  home.end_hub(SIGTERM);
  ASSERT_EQ(::chmod(home.path().c_str(), 0500), 0);
  const Outcome later = home.fails(3, {"message", "send", "--team", "alpha", "--to", "builder", "x"}, {.limit = 30s});
  EXPECT_NE(later.what().find("Permission denied"), std::string::npos) << later;
  ASSERT_EQ(::chmod(home.path().c_str(), 0700), 0);
  EXPECT_EQ(home.inbox("alpha", "builder").size(), 0U);
}

TEST(Place, WhatRootHasMadeInTheHomeOfAUserIsNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  if (const auto reason = why_not_as_nobody(); !reason.empty()) GTEST_SKIP() << reason;
  const Home home(kNobody);
  home.create_team("alpha", {"builder"});
  home.end_hub(SIGTERM);
  for (const std::string name : {"", "/cookie", "/hub.lock", "/store.db", "/hub.sock"}) {
    const std::string path = home.path() + name;
    if (name == "/hub.sock") write_file(path, "");  // as good as a socket to which nobody listens
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0) << path;
    ASSERT_EQ(::chmod(path.c_str(), name.empty() ? 0700 : 0600), 0);
    const Outcome refused = home.fails(3, {"team", "list"}, {.limit = 30s});
    EXPECT_EQ(refused.what(), path + " belongs to root, and this user has no permission to use it") << refused;
    EXPECT_NE(refused.next().find("sudo chown -R \"$(id -un)\" '" + home.path() + "'"), std::string::npos) << refused;
    home.end_hub(SIGTERM);
    ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
  }
  EXPECT_EQ(home.ok({"team", "list"})["teams"].size(), 1U);
}

TEST(Place, AFileInPlaceOfTheHome) {
  const Home home;
  write_file(home.path(), "not a directory");
  const Outcome outcome = home.run({"team", "list", "--json"});
  EXPECT_TRUE(outcome.exit == 1 || outcome.exit == 2) << outcome;
  EXPECT_NE(outcome.what().find(home.path()), std::string::npos);
  EXPECT_FALSE(outcome.next().empty()) << outcome;
  EXPECT_EQ(read_file(home.path()), "not a directory");
}

TEST(Doctor, ChecksTheMachineTheHomeAndTheStore) {
  const Home home;
  const Json fresh = home.ok({"doctor"});
  for (const char* name : {"kernel", "home", "file system", "disk", "cookie", "hub", "store", "orphans"})
    EXPECT_EQ(status_of(fresh, name), "ok") << fresh.dump(2);
  home.create_team("alpha", {"builder", "tester"});
  for (int i = 0; i < 5; ++i) home.send("alpha", "builder", "tester", "text");
  EXPECT_EQ(home.ok({"doctor", "--deep"})["score"], 100);
  ::chmod(home.file("cookie").c_str(), 0644);
  EXPECT_EQ(status_of(home.fails(1, {"doctor"}).json, "cookie"), "fail");
}

TEST(Streams, ClosedOnesDoNoHarm) {
  const Home home;
  home.create_team("alpha", {"builder"});
  const Outcome closed =
      home.run({"message", "send", "--team", "alpha", "--to", "builder", "-", "--json"}, {.close_input = true});
  EXPECT_NE(closed.exit, 70) << closed;
  EXPECT_GE(closed.exit, 0) << closed;
  // A reader that goes early, as `head` does, and no stdout at all.
  const std::string program = TEAMSTER_BINARY;
  for (const auto& script : {program + " log | head -n 1", program + " log >&-; test $? -le 1"}) {
    Process shell(Start{.command = {"/bin/sh", "-c", script},
                        .environment = {"TEAMSTER_HOME=" + home.path(), "PATH=/usr/bin:/bin"}});
    EXPECT_EQ(shell.wait(), 0) << script << "\n" << shell.err();
  }
  EXPECT_EQ(home.ok({"doctor", "--deep"})["score"], 100);
}

}  // namespace
}  // namespace teamster::e2e
