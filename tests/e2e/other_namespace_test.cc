// A run driven in another pid namespace, as in a container that shares the home: from outside its process cannot be
// seen, and for that very reason must not be taken for dead.
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kAskingElsewhere = R"(
name: asking
about: Something to approve.
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

Words in_other_namespace(const Words& words) {
  Words whole = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--mount-proc"};
  whole.insert(whole.end(), words.begin(), words.end());
  return whole;
}

// Empty where the machine lets us make a namespace, else why it does not.
std::string why_no_namespace() {
  Process probe(Start{.command = in_other_namespace({"/bin/true"}), .environment = {}});
  const auto exit = probe.wait();
  return exit == 0 ? "" : "no pid namespace can be made here: " + probe.err();
}

TEST(OtherNamespace, ALivingRunIsNotTakenOver) {
  if (const auto reason = why_no_namespace(); !reason.empty()) GTEST_SKIP() << reason;
  const Home home;
  (void)home.hub_pid();  // on this side
  const std::string workflow = home.scratch() + "/asking";
  std::filesystem::create_directories(workflow);
  write_file(workflow + "/workflow.yaml", kAskingElsewhere);
  Process engine(
      Start{.command = in_other_namespace({TEAMSTER_BINARY, "run", workflow}),
            .environment = {"TEAMSTER_HOME=" + home.path(), "HOME=" + home.scratch(), "PATH=/usr/bin:/bin"}});
  std::string run;
  ASSERT_TRUE(eventually([&] {
    const Outcome inbox = home.run({"inbox", "--json"});
    if (inbox.exit == 0) run = inbox.json["questions"][0]["run"];
    return !run.empty();
  })) << engine.err();

  const Outcome refused = home.fails(3, {"resume", run});
  EXPECT_NE(refused.what().find("of another machine or container"), std::string::npos) << refused;
  ASSERT_TRUE(engine.is_running()) << engine.err();
  EXPECT_EQ(home.ok({"approve", "approve.1"})["recorded"], true);
  EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
  for (const Json log = home.ok({"log", run}); const auto& event : log["events"])
    EXPECT_NE(event["kind"], "run.leased") << event;
}

}  // namespace
}  // namespace teamster::e2e
