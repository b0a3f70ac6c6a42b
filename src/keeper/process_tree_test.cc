#include "keeper/process_tree.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "env/real/world.h"
#include "keeper/child_start.h"

namespace teamster::keeper {
namespace {

using env::real::Descriptor;

// `cat` on a pipe that stays open: lives until the pipe is closed or it is killed.
class Sleeper {
 public:
  explicit Sleeper(std::vector<std::string> environment) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    const Descriptor input(ends[0]);
    open_ = Descriptor(ends[1]);
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    pid_ = start_child({"/bin/cat", {"cat"}, std::move(environment), ""},
                       {input.number(), STDERR_FILENO, STDERR_FILENO}, limit);
    EXPECT_GT(pid_, 0);
    // It is started before the system shows its environment.
    while (environment_of(pid_).empty()) ::sched_yield();
  }
  ~Sleeper() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  pid_t pid() const { return pid_; }
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }

 private:
  pid_t pid_ = 0;
  Descriptor open_;
};

bool has(const std::vector<pid_t>& pids, pid_t pid) { return std::find(pids.begin(), pids.end(), pid) != pids.end(); }

TEST(ProcessTree, FindsAProgramByItsPlace) {
  Sleeper sleeper({"A=1"});
  const std::string here = std::filesystem::current_path();
  EXPECT_TRUE(has(programs_at("cat", here), sleeper.pid()));
  EXPECT_TRUE(has(programs_at("cat", std::filesystem::path(here).parent_path()), sleeper.pid())) << "below it";
  EXPECT_FALSE(has(programs_at("cat", here + "/elsewhere"), sleeper.pid()));
  EXPECT_FALSE(has(programs_at("ca", here), sleeper.pid())) << "another name";
  const pid_t dead = sleeper.pid();
  ::kill(dead, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(dead), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(has(programs_at("cat", here), dead)) << "dead, and not buried";
}

TEST(ProcessTree, KnowsChildrenAlsoWhenTheyAreDeadAndNotBuried) {
  Sleeper first({"A=1"});
  Sleeper second({"A=1"});
  EXPECT_TRUE(has(children_of(::getpid()), first.pid()));
  EXPECT_TRUE(has(children_of(::getpid()), second.pid()));
  const pid_t dead = first.pid();
  ::kill(dead, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(dead), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(has(children_of(::getpid()), dead)) << "a zombie is somebody's to bury";
  first.wait();
  EXPECT_FALSE(has(children_of(::getpid()), dead));
  EXPECT_TRUE(has(children_of(::getpid()), second.pid()));
}

TEST(ProcessTree, NobodyHasChildrenThatDoNotExist) {
  EXPECT_TRUE(children_of(0).empty());
  EXPECT_TRUE(children_of(1 << 30).empty());
}

TEST(ProcessTree, ReadsAVariableOfAnotherProcess) {
  const Sleeper sleeper({"A=1", "TEAMSTER_CHILD_OTHER=no", "TEAMSTER_CHILD=7=8", "EMPTY="});
  EXPECT_EQ(variable_of(sleeper.pid(), kChildVariable), "7=8");
  EXPECT_EQ(variable_of(sleeper.pid(), "EMPTY"), "");
  EXPECT_EQ(variable_of(sleeper.pid(), "TEAMSTER"), std::nullopt) << "a part of a name is another name";
  EXPECT_EQ(variable_of(sleeper.pid(), kKeeperVariable), std::nullopt);
  EXPECT_EQ(variable_of(1 << 30, kKeeperVariable), std::nullopt);
}

TEST(ProcessTree, EndsThoseWithTheMarkAndNobodyElse) {
  env::real::World world;
  auto& processes = world.view().processes;
  // Marks of processes that live: others would be ended as leftovers by any host of this machine.
  const std::string mark = mark_of_keeper(processes.self());
  const auto parent = processes.identify(::getppid());
  ASSERT_TRUE(parent);
  Sleeper one({"TEAMSTER_KEEPER=" + mark});
  Sleeper two({"TEAMSTER_KEEPER=" + mark});
  Sleeper other({"TEAMSTER_KEEPER=" + mark_of_keeper(*parent)});
  Sleeper unmarked({"TEAMSTER_CHILD=" + mark});
  EXPECT_EQ(end_marked([&](const std::string& found) { return found == mark; }), 2);
  EXPECT_EQ(one.wait(), SIGKILL);
  EXPECT_EQ(two.wait(), SIGKILL);
  EXPECT_EQ(::waitpid(other.pid(), nullptr, WNOHANG), 0) << "lives";
  EXPECT_EQ(::waitpid(unmarked.pid(), nullptr, WNOHANG), 0) << "lives";
  EXPECT_EQ(end_marked([&](const std::string& found) { return found == mark; }), 0);
}

TEST(ChildStart, SaysWhyAProgramCannotBeStarted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const ChildStreams streams{STDERR_FILENO, STDERR_FILENO, STDERR_FILENO};
  EXPECT_EQ(start_child({"/nonexistent/program", {"x"}, {}, ""}, streams, limit), -ENOENT);
  EXPECT_EQ(start_child({"/etc/passwd", {"x"}, {}, ""}, streams, limit), -EACCES);
  EXPECT_EQ(start_child({"/bin/true", {"true"}, {}, "/nonexistent"}, streams, limit), -ENOENT);
  EXPECT_EQ(start_child({"/bin/true", {"true"}, {}, ""}, {-1, -1, -1}, limit), -EBADF);
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace
}  // namespace teamster::keeper
