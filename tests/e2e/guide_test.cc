// The workflow that docs/guide/ builds, put into a project and played as its page says.
#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

const std::string kGuide = std::string(TEAMSTER_SOURCE_DIR) + "/docs/guide";

class Guide : public OwnWorkflow {
 protected:
  Guide() {
    const std::string workflows = project_ + "/.teamster/workflows";
    fs::create_directories(workflows);
    for (const char* name : {"field-guide", "entry"})
      fs::copy(kGuide + "/" + name, workflows + "/" + name, fs::copy_options::recursive);
    Start git;
    git.command = {"/usr/bin/env",
                   "-C",
                   project_,
                   "/bin/sh",
                   "-c",
                   "git init -q . && git config user.name Ada && git config user.email ada@example.org && "
                   "git add -A && git commit -q -m 'add two workflows'"};
    git.environment = {"HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
    Process process(git);
    EXPECT_EQ(process.wait(), 0) << process.err();
  }
  Outcome rehearse(const Words& flags) {
    Words words = {"rehearse", "field-guide", "the-shore", "--project", ".", "--json"};
    words.insert(words.end(), flags.begin(), flags.end());
    Process process(start_of(words));
    return outcome_of(process);
  }
  const std::string kept_ = home_.scratch() + "/kept";
};

TEST_F(Guide, ItsWorkflowsAreValid) {
  EXPECT_EQ(teamster({"workflow", "validate", "field-guide", "entry"}), 0) << said_;
  EXPECT_EQ(teamster({"workflow", "graph", "field-guide"}), 0) << said_;
}

TEST_F(Guide, StubsPlayItToItsEnd) {
  ASSERT_EQ(rehearse({"--init"}).exit, 0);
  const Outcome played = rehearse({"--keep", kept_});
  ASSERT_EQ(played.exit, 4) << "a stub writes no heading, and the check says so: " << played;
  write_file(project_ + "/rehearsal/people.json", R"({"audience": "children", "good": {"approve": true},
                                                      "polish/1/stuck": "skip"})");
  EXPECT_EQ(rehearse({}).exit, 0);
}

TEST_F(Guide, WhatGoesWrongIsMended) {
  for (const std::string fault : {"", "crash editor-1@polish/1.1", "kill engine@step.done:good.1:after"}) {
    fs::remove_all(kept_);
    Words flags = {"--script", kGuide + "/scripts", "--keep", kept_};
    if (!fault.empty()) flags.insert(flags.end(), {"--fault", fault});
    const Outcome played = rehearse(flags);
    ASSERT_EQ(played.exit, 0) << fault << played;
    EXPECT_EQ(read_file(kept_ + "/tasks.md"), "- [x] give the guide a heading\n- [x] say when to come\n") << fault;
    EXPECT_TRUE(read_file(kept_ + "/guide/index.md").starts_with("# The shore\n")) << fault;
    EXPECT_EQ(read_file(kept_ + "/LIST.md"), "- [the shore](guide/index.md)\n") << fault;
  }
}

}  // namespace
}  // namespace teamster::e2e
