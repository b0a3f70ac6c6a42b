// A project over the days: it gets a second series of items, is moved away in the middle of a run, belongs to
// several people, or stands at no branch. Its workflow has no agents.
#include <filesystem>

#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSteps = R"(
name: steps
about: Looks at an item and records it.
args:
  item: { pattern: '[0-9]{2}', about: number of the item }
key: '{{args/item}}'
ledger:
  directory: 'progress/{{args/item}}'
  manifest: manifest.json
  artifact: '{{sequence:03}}-{{id}}.json'
  fields: { item: '{{args/item}}' }
series:
  items: 'items/[0-9][0-9]-*.md'
  pattern: 'items/([0-9]{2})-.*\.md'
  argument: item
phases:
  - id: look
    kind: check
    command: 'touch ../begun; while test -e ../hold; do sleep 0.02; done; test -d items'
    on: [ { when: { passed: false }, block: 'there are no items' } ]
  - id: record
    kind: commit
    paths: ['progress/{{args/item}}']
    message: 'chore: record {{args/item}}'
    tag: step-*
    last_tag: done
)";

class ProjectLife : public SpecProject {
 protected:
  ProjectLife() {
    fs::create_directories(project_ + "/items");
    fs::create_directories(project_ + "/.teamster/workflows/steps");
    write_file(project_ + "/.teamster/workflows/steps/workflow.yaml", kSteps);
    add_item("01");
    shell(
        "git init -q -b main . && git config user.name Ada && git config user.email ada@example.org && git add -A && "
        "git commit -q -m begin");
  }
  void add_item(const std::string& number) const { write_file(project_ + "/items/" + number + "-item.md", "# Item\n"); }
  Outcome run_item(const std::string& number) const { return run({"run", "steps", number, "--json"}, project_); }
  // A run that waits in its first phase until it is let go.
  Process begin_run() const {
    write_file(hold_, "");
    Process engine = teamster({"run", "steps", "01"});
    EXPECT_TRUE(eventually([&] { return fs::exists(home_.scratch() + "/begun"); }));
    return engine;
  }
  std::string status() const { return home_.ok({"status", "--all"})["runs"][0]["status"]; }
  std::string name() const { return home_.ok({"status", "--all"})["runs"][0]["run"]; }

  const std::string hold_ = home_.scratch() + "/hold";
  const std::string moved_ = home_.scratch() + "/moved";
};

TEST_F(ProjectLife, ASecondSeriesTakesTheTagOfTheFirst) {
  EXPECT_EQ(run_item("01").exit, 0);
  EXPECT_EQ(shell("git tag --points-at HEAD"), "done\n");
  add_item("02");
  shell("git add -A && git commit -q -m 'another item'");
  const Outcome second = run_item("02");
  EXPECT_EQ(second.exit, 0) << second;
  EXPECT_EQ(shell("git tag --points-at HEAD"), "done\n");
  EXPECT_EQ(shell("git tag"), "done\n");

  shell("git tag --force done HEAD~2 -m 'of a person'");
  add_item("03");
  shell("git add -A && git commit -q -m 'one more'");
  EXPECT_EQ(run_item("03").exit, 0);
  EXPECT_EQ(shell("git tag --points-at HEAD"), "done-2\n") << "what a person has tagged stays";
  EXPECT_EQ(shell("git tag"), "done\ndone-2\n");
}

TEST_F(ProjectLife, AProjectThatIsMovedAwayInMidRunIsNotMadeAnew) {
  Process engine = begin_run();
  fs::rename(project_, moved_);
  fs::remove(hold_);
  EXPECT_EQ(engine.wait(), 1);
  EXPECT_NE(engine.err().find(project_ + " is gone"), std::string::npos) << engine.err();
  EXPECT_FALSE(fs::exists(project_));
  EXPECT_EQ(status(), "interrupted");

  const std::string run_name = name();
  const Outcome refused = run({"resume", run_name, "--decide", "look=skip", "--json"}, home_.scratch());
  EXPECT_EQ(refused.exit, 1) << refused;
  EXPECT_NE(refused.what().find(project_ + " is gone"), std::string::npos) << refused;
  EXPECT_FALSE(fs::exists(project_));
  EXPECT_EQ(records(run_name, "run.told").size(), 0U) << "nothing was written";

  fs::rename(moved_, project_);
  const Outcome done = run({"resume", run_name, "--json"}, home_.scratch());
  EXPECT_EQ(done.exit, 0) << done;
  EXPECT_EQ(shell("git tag --points-at HEAD"), "done\n");
}

TEST_F(ProjectLife, ARunWhoseProjectIsGoneCanBeCancelled) {
  Process engine = begin_run();
  fs::rename(project_, moved_);
  EXPECT_EQ(home_.ok({"cancel", name()})["status"], "cancelled");
  fs::remove(hold_);
  EXPECT_EQ(engine.wait(), 1) << engine.err();
  EXPECT_FALSE(fs::exists(project_));
  EXPECT_EQ(status(), "cancelled");
}

TEST_F(ProjectLife, WhoIsOnNoBranchIsToldBeforeAnythingStarts) {
  fs::remove_all(project_);
  use_example("plain");
  shell("git checkout -q --detach");
  const Outcome refused = run_spec();
  EXPECT_EQ(refused.exit, 3) << refused;
  EXPECT_NE(refused.what().find("HEAD is on no branch"), std::string::npos) << refused;
  EXPECT_NE(refused.what().find("git switch -c NAME"), std::string::npos) << refused;
  EXPECT_FALSE(fs::exists(project_ + "/progress"));
  EXPECT_EQ(home_.fails(1, {"status", "--all"}).json["runs"].size(), 0U);
}

TEST_F(ProjectLife, ADirectoryThatIsGoneIsNamed) {
  const std::string command = "mkdir ../gone && cd ../gone && rmdir ../gone && " TEAMSTER_BINARY;
  for (const char* words : {" run steps 01", " run steps --all", " init"}) {
    Process process = start({"/bin/sh", "-c", command + words}, project_);
    EXPECT_EQ(process.wait(), 1) << words;
    EXPECT_NE(process.err().find("the directory of this shell is gone"), std::string::npos) << process.err();
  }
}

TEST_F(ProjectLife, TheLedgerHasTheModesOfTheProject) {
  fs::permissions(project_, static_cast<fs::perms>(0775));
  shell("umask 002 && " TEAMSTER_BINARY " run steps 01");
  EXPECT_EQ(mode_of(project_ + "/progress"), 0775U);
  EXPECT_EQ(mode_of(project_ + "/progress/01"), 0775U);
  EXPECT_EQ(mode_of(project_ + "/progress/01/manifest.json"), 0664U);
  add_item("02");
  shell("git add -A && git commit -q -m more && umask 027 && " TEAMSTER_BINARY " run steps 02");
  EXPECT_EQ(mode_of(project_ + "/progress/02"), 0750U);
  EXPECT_EQ(mode_of(project_ + "/progress/02/manifest.json"), 0640U);
}

}  // namespace
}  // namespace teamster::e2e
