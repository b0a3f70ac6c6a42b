#include "project/git_program.h"

#include <set>

#include <gtest/gtest.h>

#include "agent/fake_program_for_test.h"
#include "env/sim/sim_world.h"
#include "project/git_error.h"
#include "project/project_for_test.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

class GitTest : public ProjectTest {
 protected:
  Result<bool> is_repository() {
    return wait<Result<bool>>([&](auto done) { git_.is_repository(done); });
  }
  Result<Names> changed(const Names& except = {}) {
    return wait<Result<Names>>([&](auto done) { git_.changed_files(except, done); });
  }
  Result<std::optional<std::string>> head() {
    return wait<Result<std::optional<std::string>>>([&](auto done) { git_.head(done); });
  }
  Result<std::string> commit(const Names& paths, Duration limit = limits::kGitCommitMax) {
    const CommitRequest request{paths, "chore: record spec 08", "run-1/record.1", limit};
    return wait<Result<std::string>>([&](auto done) { git_.commit(request, done); });
  }
  Result<std::optional<std::string>> find(const std::string& step, const std::string& since = {}) {
    return wait<Result<std::optional<std::string>>>([&](auto done) { git_.find_commit(step, since, done); });
  }
  Result<std::string> tag(const std::string& pattern, const std::string& commit,
                          const std::string& step = "run-1/record.1") {
    const TagRequest request{pattern, commit, step};
    return wait<Result<std::string>>([&](auto done) { git_.tag(request, done); });
  }
  std::string commit_of(const std::string& step) {
    write("progress/of", step);
    const CommitRequest request{{"progress"}, "chore: record", step};
    return *wait<Result<std::string>>([&](auto done) { git_.commit(request, done); });
  }
  void hook(const std::string& name, const std::string& script) {
    write(".git/hooks/" + name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(path(".git/hooks/" + name), std::filesystem::perms::owner_all);
  }

  GitProgram git_{view_, path()};
};

TEST_F(GitTest, KnowsARepository) {
  EXPECT_FALSE(*is_repository());
  make_repository();
  EXPECT_TRUE(*is_repository());
}

TEST_F(GitTest, WithoutGitSaysSo) {
  processes_.variables = {"PATH=" + path()};
  const auto answer = is_repository();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().text(), "git is not installed: there is no `git` on PATH. Install git and try again");
  EXPECT_FALSE(commit({"README"}));
}

TEST_F(GitTest, OutsideOfARepositorySaysWhatToDo) {
  const auto answer = changed();
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().what.find("not a git repository"), std::string::npos);
  EXPECT_NE(answer.error().next.find("git init"), std::string::npos);
}

TEST_F(GitTest, AProjectThatIsGoneIsAnError) {
  GitProgram elsewhere(view_, path("gone"));
  const auto answer = wait<Result<bool>>([&](auto done) { elsewhere.is_repository(done); });
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().what.find("gone"), std::string::npos);
}

TEST_F(GitTest, IgnoresTheRepositoryOfAHookWeAreCalledFrom) {
  make_repository();
  processes_.variables.push_back("GIT_DIR=/nowhere");
  processes_.variables.push_back("GIT_INDEX_FILE=/nowhere/index");
  EXPECT_TRUE(*is_repository());
  EXPECT_EQ(*changed(), Names{});
}

TEST_F(GitTest, ListsChangesWhateverTheirNames) {
  make_repository();
  EXPECT_EQ(*changed(), Names{});
  write("README", "two");
  write("a b/new\nline.txt", "");
  write("-dash", "");
  write("progress/spec-08/manifest.json", "");
  write("progressive", "");
  const Names all = {"README", "-dash", "a b/new\nline.txt", "progress/spec-08/manifest.json", "progressive"};
  auto found = *changed();
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), std::set<std::string>(all.begin(), all.end()));
  found = *changed({"progress/", "a b", "-dash"});
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), (std::set<std::string>{"README", "progressive"}));
}

TEST_F(GitTest, AMovedFileIsBothOfItsNames) {
  make_repository();
  shell("git mv README progress");
  EXPECT_EQ(*changed({"progress"}), Names{"README"});
}

TEST_F(GitTest, AProjectBelowTheRootNamesFilesFromItself) {
  make_repository();
  write("sub/own", "");
  write("other", "");
  GitProgram below(view_, path("sub"));
  auto found = wait<Result<Names>>([&](auto done) { below.changed_files({}, done); });
  ASSERT_TRUE(found);
  EXPECT_EQ(std::set<std::string>(found->begin(), found->end()), (std::set<std::string>{"own", ":/other"}));
}

TEST_F(GitTest, BeforeTheFirstCommitThereIsNoHead) {
  shell("git init -q -b main .");
  EXPECT_EQ(*head(), std::nullopt);
  EXPECT_EQ(*find("run-1/record.1"), std::nullopt);
  const auto nothing = commit({"progress"});
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().what.find("no commit yet"), std::string::npos);
  write("progress/a", "1");
  const auto made = commit({"progress"});
  ASSERT_TRUE(made);
  EXPECT_EQ(*head(), *made);
}

TEST_F(GitTest, CommitsThePathsAndNothingElse) {
  make_repository();
  write("staged", "by the user");
  shell("git add staged");
  write("README", "edited");
  write("progress/spec-08/manifest.json", "{}");
  write("progress/spec-08/old", "");
  const auto made = commit({"progress/spec-08"});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(*made, shell("git rev-parse HEAD"));
  EXPECT_EQ(shell("git show --format= --name-only HEAD"), "progress/spec-08/manifest.json\nprogress/spec-08/old");
  EXPECT_EQ(shell("git log -1 --format=%B"), "chore: record spec 08\n\nTeamster-Step: run-1/record.1\n");
  EXPECT_EQ(shell("git status --porcelain"), " M README\nA  staged");
  EXPECT_EQ(shell("git log -1 --format='%an <%ae>'"), "Ada <ada@example.org>");
  std::filesystem::remove(path("progress/spec-08/old"));
  ASSERT_TRUE(commit({"progress/spec-08"}));
  EXPECT_EQ(shell("git ls-files progress"), "progress/spec-08/manifest.json");
}

TEST_F(GitTest, WhatAKilledWriterLeftIsNotCommitted) {
  make_repository();
  write("src/a.txt", "whole");
  write("src/.tmp-4711-0123456789abcdef", "ha");
  write(".tmp-4711-0123456789abcdef", "ha");
  write("src/.tmp-of-the-user", "mine");
  ASSERT_TRUE(commit({"."}));
  EXPECT_EQ(shell("git show --format= --name-only HEAD"), "src/.tmp-of-the-user\nsrc/a.txt");
  const std::string before = **head();
  EXPECT_EQ(*commit({"src/.tmp-4711-0123456789abcdef"}), before) << "nor when nothing else has changed";
}

TEST_F(GitTest, NothingToCommitIsTheHead) {
  make_repository();
  const std::string before = **head();
  EXPECT_EQ(*commit({"progress"}), before);
  write(".git/info/exclude", "ignored\n");
  write("ignored/a", "");
  EXPECT_EQ(*commit({"ignored", "README"}), before);
  // Changed, staged and changed back.
  write("README", "two");
  shell("git add README");
  write("README", "one\n");
  EXPECT_EQ(*commit({"README"}), before);
}

TEST_F(GitTest, CommitsOddNames) {
  make_repository();
  write("a*b", "");
  write("aXb", "");
  write("-dash", "");
  write(":colon", "");
  write("with space/x", "");
  ASSERT_TRUE(commit({"a*b", "-dash", ":colon", "with space"}));
  EXPECT_EQ(shell("git status --porcelain"), "?? aXb");
  ASSERT_TRUE(commit({"."}));
  EXPECT_EQ(shell("git status --porcelain"), "");
}

TEST_F(GitTest, RefusesPathsOutOfTheProjectAndNoMessage) {
  make_repository();
  const auto up = commit({"../x"});
  ASSERT_FALSE(up);
  EXPECT_NE(up.error().what.find("leads out of the project"), std::string::npos);
  EXPECT_FALSE(commit({"/etc"}));
  const CommitRequest request{{"README"}, " \n", "run-1/record.1"};
  EXPECT_FALSE(wait<Result<std::string>>([&](auto done) { git_.commit(request, done); }));
}

TEST_F(GitTest, CommitsInItsOwnNameWhereThereIsNone) {
  make_repository();
  shell("git config --unset user.name && git config --unset user.email");
  write("progress/a", "");
  ASSERT_TRUE(commit({"progress"}));
  EXPECT_EQ(shell("git log -1 --format='%an <%ae> %cn <%ce>'"),
            "teamster <teamster@localhost> teamster <teamster@localhost>");
}

TEST_F(GitTest, CommitsOnADetachedHead) {
  make_repository();
  shell("git checkout -q --detach");
  write("progress/a", "");
  const auto made = commit({"progress"});
  ASSERT_TRUE(made);
  EXPECT_EQ(*find("run-1/record.1"), *made);
}

TEST_F(GitTest, AHookThatFailsIsAnErrorWithItsWords) {
  make_repository();
  hook("pre-commit", "echo 'no spaces, please' >&2; exit 1");
  write("progress/a", "");
  const std::string before = **head();
  const auto made = commit({"progress"});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("no spaces, please"), std::string::npos) << made.error().what;
  EXPECT_NE(made.error().next.find("hook"), std::string::npos);
  EXPECT_EQ(**head(), before);
  hook("pre-commit", "exit 0");
  EXPECT_TRUE(commit({"progress"}));
}

TEST_F(GitTest, AHookThatHangsMeetsTheLimit) {
  make_repository();
  hook("pre-commit", "sleep 100");
  write("progress/a", "");
  const auto made = commit({"progress"}, 300ms);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("was ended"), std::string::npos) << made.error().what;
  hook("pre-commit", "exit 0");
  EXPECT_TRUE(commit({"progress"})) << "it left a lock";
}

TEST_F(GitTest, ALockInTheWayIsNamed) {
  make_repository();
  write("progress/a", "");
  write(".git/index.lock", "");
  const auto made = commit({"progress"});
  ASSERT_FALSE(made);
  const auto lock = lock_named_in(made.error().what);
  ASSERT_TRUE(lock) << made.error().what;
  EXPECT_TRUE(std::filesystem::equivalent(*lock, path(".git/index.lock"))) << *lock;
  EXPECT_TRUE(std::filesystem::equivalent(repository_of_lock(*lock), path()));
}

TEST(GitErrorTest, OnlyALockOfTheRepositoryIsOne) {
  const auto named = [](const std::string& path) {
    return lock_named_in("fatal: Unable to create '" + path + "': File exists.");
  };
  EXPECT_EQ(named("/p/.git/refs/tags/step-1.lock"), "/p/.git/refs/tags/step-1.lock");
  EXPECT_FALSE(named("/p/.git/index"));
  EXPECT_FALSE(named("/p/package.lock")) << "outside of .git";
  EXPECT_FALSE(named("/p/.git/../secret.lock"));
  EXPECT_FALSE(named(".git/index.lock")) << "of which directory?";
  EXPECT_FALSE(lock_named_in(".lock': File exists"));
  EXPECT_FALSE(lock_named_in("nothing to commit"));
}

TEST_F(GitTest, FindsTheCommitOfAStep) {
  make_repository();
  const std::string first = **head();
  write("progress/a", "");
  const std::string made = *commit({"progress"});
  shell("git commit -q --allow-empty -m 'talks of Teamster-Step: run-1/record.2 only'");
  EXPECT_EQ(*find("run-1/record.1", first), made);
  EXPECT_EQ(*find("run-1/record.1"), made);
  EXPECT_EQ(*find("run-1/record.1", made), std::nullopt) << "it is not after itself";
  EXPECT_EQ(*find("run-1/record.2"), std::nullopt) << "a mention is no trailer";
  EXPECT_EQ(*find("run-1/record"), std::nullopt) << "a part is not the step";
  EXPECT_FALSE(find("run-1/record.1", "--all"));
  EXPECT_FALSE(find("run-1/record.1", std::string(40, 'a')));
}

TEST_F(GitTest, TagsTheNextNumberOnce) {
  make_repository();
  const std::string first = **head();
  shell("git tag step-9 && git tag step-x && git tag step-20261115000000 && git tag -a -m annotated other");
  EXPECT_EQ(*tag("step-*", first), "step-9") << "it fits and is there";
  write("progress/a", "");
  const std::string made = *commit({"progress"});
  EXPECT_EQ(*tag("step-*", made), "step-10");
  EXPECT_EQ(*tag("step-*", made), "step-10");
  EXPECT_EQ(shell("git rev-parse step-10"), made) << "a plain tag";
  EXPECT_EQ(*tag("other", first), "other") << "an annotated tag is on its commit";
}

TEST_F(GitTest, ANameGoesWithTheLastRunOfItsWorkflow) {
  make_repository();
  const std::string one = "implement-spec-20261116-04d2/record.1";
  const std::string two = "implement-spec-20261117-1111/record.1";
  EXPECT_EQ(*tag("done", commit_of(one), one), "done");
  const std::string second = commit_of(two);
  EXPECT_EQ(*tag("done", second, two), "done");
  EXPECT_EQ(*tag("done", second, two), "done");
  EXPECT_EQ(shell("git rev-parse done"), second);
  EXPECT_EQ(shell("git tag"), "done");
}

TEST_F(GitTest, ANameOfSomebodyElseStays) {
  make_repository();
  const std::string first = **head();
  shell("git tag done");
  const std::string one = "implement-spec-20261116-04d2/record.1";
  EXPECT_EQ(*tag("done", commit_of(one), one), "done-2");
  const std::string two = "implement-spec-20261117-1111/record.1";
  const std::string second = commit_of(two);
  EXPECT_EQ(*tag("done", second, two), "done-2") << "which is ours, and moves";
  EXPECT_EQ(shell("git rev-parse done done-2"), first + "\n" + second);
  const std::string other = "release-20261117-1111/record.1";
  EXPECT_EQ(*tag("done", commit_of(other), other), "done-3") << "another workflow is somebody else";
  shell("git tag --force --annotate -m mine done-3 " + second);
  EXPECT_EQ(*tag("done", commit_of(other), other), "done-4") << "a person has annotated it";
}

TEST_F(GitTest, WhereNothingWasCommittedTheTagItselfSaysWhoseItIs) {
  make_repository();
  shell("git config --unset user.name; git config --unset user.email");
  const std::string one = "implement-spec-20261116-04d2/record.1";
  EXPECT_EQ(*tag("done", **head(), one), "done");
  shell("git -c user.name=Ada -c user.email=ada@example.org commit -q --allow-empty -m second");
  const std::string second = **head();
  EXPECT_EQ(*tag("done", second, "implement-spec-20261117-1111/record.1"), "done");
  EXPECT_EQ(shell("git rev-parse 'done^{commit}'"), second);
}

TEST_F(GitTest, BadTagsAreErrors) {
  make_repository();
  const std::string first = **head();
  EXPECT_FALSE(tag("a-*-*", first));
  EXPECT_FALSE(tag("-d", first));
  EXPECT_FALSE(tag("two words", first));
  EXPECT_FALSE(tag("fine", std::string(40, 'a')));
  EXPECT_EQ(shell("git tag"), "");
}

TEST_F(GitTest, DestroyingItEndsWithoutAnAnswer) {
  make_repository();
  auto git = std::make_unique<GitProgram>(view_, path());
  git->is_repository([](Result<bool>) { FAIL(); });
  git.reset();
  EXPECT_FALSE(view_.loop.run_until([] { return false; }));
}

TEST(GitOutput, ReadsStatus) {
  using namespace std::string_literals;
  EXPECT_EQ(*parse_status(""), Names{});
  EXPECT_EQ(*parse_status(" M a\0?? b c\0"s), (Names{"a", "b c"}));
  EXPECT_FALSE(parse_status("nonsense"));
  EXPECT_FALSE(parse_status("M \0"s));
}

// In the simulator there is no git; what is asked of it is the same.
TEST(SimulatedGit, AsksAndReadsTheAnswer) {
  env::sim::World world(1);
  const auto host = world.start("engine").view();
  agent::FakeProcesses processes(host.processes);
  const auto view = processes.in(host);
  ASSERT_TRUE(view.files.make_private_directory("/usr/bin"));
  ASSERT_TRUE(view.files.write_atomically("/usr/bin/git", "", 0755));
  GitProgram git(view, "/project");
  std::optional<Result<std::optional<std::string>>> head;
  git.head([&](auto got) { head = got; });
  EXPECT_EQ(processes.last().spawn.arguments, (Names{"/usr/bin/git", "rev-parse", "--verify", "--quiet", "HEAD"}));
  EXPECT_EQ(processes.last().spawn.directory, "/project");
  processes.last().write("abc\n");
  processes.last().exit(0);
  ASSERT_TRUE(head);
  EXPECT_EQ(**head, "abc");
}

}  // namespace
}  // namespace teamster::engine
