#include "env/real/real_processes.h"
#include "env/lineage.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/real/temporary_directory_for_test.h"
#include "env/real/world.h"

namespace teamster::env::real {
namespace {

using namespace std::chrono_literals;

class RealProcessesTest : public testing::Test {
 protected:
  static Spawn shell(const std::string& script) {
    return {"/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin"}, ""};
  }
  // Polls, because the process in question is nobody's child here.
  bool wait_for(const std::function<bool()>& condition) {
    for (int i = 0; i < 2000 && !condition(); ++i) {
      const Timer timer = view_.loop.after(1ms, [] {});
      view_.loop.run_until([] { return false; });
    }
    return condition();
  }
  std::string run(const Spawn& spawn) {
    auto child = view_.processes.spawn(spawn);
    if (!child) return child.error().text();
    std::string output;
    bool ended = false;
    (*child)->output().start({.on_bytes = [&](std::string_view bytes) { output += bytes; },
                              .on_end = [&] { ended = true; },
                              .on_drained = nullptr});
    EXPECT_TRUE(view_.loop.run_until([&] { return ended; }));
    return output;
  }

  World world_;
  env::World view_ = world_.view();
  TemporaryDirectory directory_;
};

TEST_F(RealProcessesTest, TalksToAChildAndSeesItsExit) {
  auto child = view_.processes.spawn(shell("read line; echo got $line; echo oops >&2; exit 3"));
  ASSERT_TRUE(child) << child.error().text();
  std::string output, errors;
  std::optional<ExitStatus> status;
  (*child)->on_exit([&](ExitStatus exit) { status = exit; });
  (*child)->output().start({.on_bytes = [&](std::string_view b) { output += b; }, .on_end = {}, .on_drained = {}});
  (*child)->errors().start({.on_bytes = [&](std::string_view b) { errors += b; }, .on_end = {}, .on_drained = {}});
  (*child)->input().write("hello\n");
  (*child)->input().finish_writing();
  EXPECT_TRUE(view_.loop.run_until([&] { return status && output == "got hello\n" && errors == "oops\n"; }));
  EXPECT_FALSE(status->signaled);
  EXPECT_EQ(status->code, 3);
}

TEST_F(RealProcessesTest, SeesSignals) {
  auto child = view_.processes.spawn(shell("sleep 100"));
  ASSERT_TRUE(child);
  std::optional<ExitStatus> status;
  (*child)->on_exit([&](ExitStatus exit) {
    status = exit;
    child->reset();  // allowed inside its own callback
  });
  (*child)->signal_group(SIGTERM);
  EXPECT_TRUE(view_.loop.run_until([&] { return status.has_value(); }));
  EXPECT_TRUE(status->signaled);
  EXPECT_EQ(status->code, SIGTERM);
}

TEST_F(RealProcessesTest, DestroyingKillsTheWholeGroup) {
  auto child = view_.processes.spawn(shell("sleep 100 & echo $!; wait"));
  ASSERT_TRUE(child);
  std::string output;
  (*child)->output().start({.on_bytes = [&](std::string_view b) { output += b; }, .on_end = {}, .on_drained = {}});
  EXPECT_TRUE(view_.loop.run_until([&] { return output.ends_with('\n'); }));
  const auto leader = view_.processes.identify((*child)->pid());
  const auto grandchild = view_.processes.identify(std::stol(output));
  ASSERT_TRUE(leader && grandchild);
  child->reset();
  EXPECT_FALSE(view_.processes.is_alive(*leader));
  EXPECT_TRUE(wait_for([&] { return !view_.processes.is_alive(*grandchild); }));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no zombie is left
}

TEST_F(RealProcessesTest, ChildInheritsNothingButItsPipes) {
  const Descriptor leaky(::fcntl(STDERR_FILENO, F_DUPFD, 99));  // without O_CLOEXEC
  EXPECT_EQ(run(shell("[ -e /proc/$$/fd/99 ] && echo leaked; echo done")), "done\n");
}

TEST_F(RealProcessesTest, ChildHasFreshSignalsEnvironmentAndDirectory) {
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto output = run(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -c18-24 | tr -d '\\n'"));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(output, "00000000000000");  // signals 1 to 28; glibc keeps 32 and 33 for itself
  Spawn spawn = shell("pwd; echo $NAME");
  spawn.directory = directory_.path();
  spawn.environment.emplace_back("NAME=value");
  EXPECT_EQ(run(spawn), std::filesystem::canonical(directory_.path()).string() + "\nvalue\n");
}

TEST_F(RealProcessesTest, WhatCannotStartIsAnError) {
  const auto error = view_.processes.spawn({"/no/such/program", {"x"}, {}, ""}).error();
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_NE(error.what.find("/no/such/program"), std::string::npos);
  EXPECT_FALSE(view_.processes.spawn({"/etc/passwd", {"x"}, {}, ""}));
  EXPECT_FALSE(view_.processes.spawn({"/bin/true", {"true"}, {}, "/no/such/directory"}));
  EXPECT_EQ(view_.processes.spawn_detached({"/no/such/program", {"x"}, {}, ""}).error().code, Code::not_found);
  EXPECT_FALSE(view_.processes.spawn_detached({"/etc/passwd", {"x"}, {}, ""}));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(RealProcessesTest, DetachedIsOnItsOwn) {
  const std::string out = directory_.path() + "/out";
  const Descriptor leaky(::fcntl(STDERR_FILENO, F_DUPFD, 99));
  Spawn spawn = shell(
      "facts=$(pwd; cut -d' ' -f5,6 /proc/$$/stat; readlink /proc/$$/fd/[012] /proc/$$/fd/99); "
      "echo \"$facts\" > o; mv o out; exec sleep 100");
  spawn.directory = directory_.path();
  const auto pid = view_.processes.spawn_detached(spawn);
  ASSERT_TRUE(pid) << pid.error().text();
  EXPECT_TRUE(wait_for([&] { return std::filesystem::exists(out); }));
  std::ifstream file(out);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, fmt::format("{}\n{} {}\n/dev/null\n/dev/null\n/dev/null\n",
                              std::filesystem::canonical(directory_.path()).string(), *pid, *pid));
  const auto identity = view_.processes.identify(*pid);
  ASSERT_TRUE(identity);
  EXPECT_TRUE(view_.processes.is_alive(*identity));
  EXPECT_EQ(::waitpid(static_cast<pid_t>(*pid), nullptr, WNOHANG), -1);
  ::kill(static_cast<pid_t>(-*pid), SIGKILL);
  EXPECT_TRUE(wait_for([&] { return !view_.processes.is_alive(*identity); }));
}

TEST_F(RealProcessesTest, IdentityIsMoreThanAPid) {
  const auto self = view_.processes.self();
  EXPECT_EQ(self.pid, ::getpid());
  EXPECT_TRUE(view_.processes.is_alive(self));
  auto reused = self;
  reused.start_ticks += 1;
  EXPECT_FALSE(view_.processes.is_alive(reused));
  auto other_boot = self;
  other_boot.boot_id = "another";
  EXPECT_FALSE(view_.processes.is_alive(other_boot));
  EXPECT_FALSE(view_.processes.identify(0));
  EXPECT_TRUE(std::filesystem::exists(view_.processes.own_executable()));
}

TEST_F(RealProcessesTest, ZombiesAreDead) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  siginfo_t ignored{};
  ::waitid(P_PID, static_cast<id_t>(pid), &ignored, WEXITED | WNOWAIT);
  EXPECT_FALSE(view_.processes.identify(pid));
  ::waitpid(pid, nullptr, 0);
}

TEST_F(RealProcessesTest, LooksAtAnyProcess) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  siginfo_t ignored{};
  ::waitid(P_PID, static_cast<id_t>(pid), &ignored, WEXITED | WNOWAIT);
  EXPECT_EQ(view_.processes.look_at(pid)->parent, ::getpid()) << "dead, and not buried";
  ::waitpid(pid, nullptr, 0);
  EXPECT_FALSE(view_.processes.look_at(pid));
  EXPECT_EQ(view_.processes.look_at(::getpid())->start_ticks, view_.processes.self().start_ticks);
  EXPECT_EQ(view_.processes.look_at(1)->parent, 0);
  EXPECT_FALSE(view_.processes.arguments_of(::getpid()).empty());
}

// A process that calls itself a keeper, and is as far as anybody can tell; its child runs until it is destroyed.
class LineageOfRealProcesses : public RealProcessesTest {
 protected:
  Lineage below_keeper_of(const std::string& home, const std::string& judged_for) {
    std::vector<std::string> words = keeper_arguments(view_.files, home);
    return below_keeper_with(std::move(words), [&] { return judged_for; });
  }
  Lineage below_keeper_with(std::vector<std::string> words, const std::function<std::string()>& home) {
    words[0] = "sh";
    words[1] = "-c";
    // Until it has become `sleep`, its child is another keeper as far as anybody can tell.
    words.insert(words.begin() + 2,
                 {"printf teamster-keeper > /proc/$$/comm; sleep 100 & name=; "
                  "until [ \"$name\" = sleep ]; do read -r name < /proc/$!/comm; done; echo $!; wait",
                  "sh"});
    auto child = view_.processes.spawn({"/bin/sh", words, {"PATH=/usr/bin:/bin"}, ""});
    EXPECT_TRUE(child);
    std::string output;
    (*child)->output().start({.on_bytes = [&](std::string_view b) { output += b; }, .on_end = {}, .on_drained = {}});
    EXPECT_TRUE(view_.loop.run_until([&] { return output.ends_with('\n'); }));
    const auto grandchild = view_.processes.identify(std::stol(output));
    EXPECT_TRUE(grandchild);
    return lineage_of(view_.processes, view_.files, *grandchild, home());
  }
};

TEST_F(LineageOfRealProcesses, IsThatOfTheKeepersHomeWhateverItIsCalled) {
  const std::string home = directory_.path() + "/home";
  std::filesystem::create_directory(home);
  std::filesystem::create_directory(directory_.path() + "/other");
  std::filesystem::create_directory_symlink(home, directory_.path() + "/link");
  EXPECT_EQ(below_keeper_of(home, home), Lineage::kept);
  EXPECT_EQ(below_keeper_of(home, directory_.path() + "/link"), Lineage::kept);
  EXPECT_EQ(below_keeper_of(directory_.path() + "/link", home), Lineage::kept);
  EXPECT_EQ(below_keeper_of(home, directory_.path() + "/other"), Lineage::free);
  EXPECT_EQ(below_keeper_of(home, directory_.path() + "/nowhere"), Lineage::free);
  EXPECT_EQ(below_keeper_of("", home), Lineage::kept) << "one that does not say";
}

TEST_F(LineageOfRealProcesses, AMovedHomeIsTheSame) {
  const std::string home = directory_.path() + "/home";
  const std::string moved = directory_.path() + "/moved";
  std::filesystem::create_directory(home);
  EXPECT_EQ(below_keeper_with(keeper_arguments(view_.files, home),
                              [&] {
                                std::filesystem::rename(home, moved);
                                std::filesystem::create_directory(home);
                                return moved;
                              }),
            Lineage::kept);
}

TEST_F(LineageOfRealProcesses, OfThisProcessIsFreeOfAHomeThatNobodyHas) {
  EXPECT_EQ(lineage_of(view_.processes, view_.files, view_.processes.self(), directory_.path()), Lineage::free);
}

}  // namespace
}  // namespace teamster::env::real
