// When members come and go, in which conversation they are, and by which skill they work: with scripted agents as real
// processes.
#include <csignal>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

const std::map<std::string, std::string> kFiles = {
    {"write.md", "Write it.\n"},
    {"look.md", "Look at it.\n"},
    {"tidy.md", "Tidy up.\n"},
    {"any.json", R"({"type":"object","required":["heard"],"properties":{"heard":{"type":"string"}}})"}};

// What its session has heard, all of it.
constexpr const char* kHears = R"({"turns": [], "otherwise": [{"report": {"heard": "{{HEARD}}"}}, {"say": "done"}]})";

class Members : public OwnWorkflow {
 protected:
  std::string heard(const std::string& phase) {
    return home_.ok({"replay", last_run()})["state"]["answers"][phase]["value"]["heard"].get<std::string>();
  }
  // By name: "live", or why it has gone.
  std::map<std::string, std::string> roster(const std::string& team) {
    std::map<std::string, std::string> members;
    for (const auto& member : home_.ok({"team", "status", team})["members"])
      members[member["name"]] =
          member["state"] == "live" ? "live" : member.value("left_why", std::string("gone"));
    return members;
  }
  std::set<std::string> agents(const std::string& team) {
    std::set<std::string> names;
    for (const auto& agent : home_.ok({"agent", "list", "--team", team})["agents"])
      if (agent["state"] != "gone") names.insert(agent["member"].get<std::string>());
    return names;
  }
};

constexpr const char* kThreePhases = R"(
name: three
roles: { author: {} }
team: { name: crew }
phases:
  - { id: write, role: author, template: write.md, returns: any.json }
  - { id: look, role: author, template: look.md, returns: any.json, fresh: true }
  - { id: tidy, role: author, template: tidy.md, returns: any.json }
)";

TEST_F(Members, AFreshPhaseIsANewConversationOfTheSameMember) {
  workflow("three", kThreePhases, kFiles);
  script("author", kHears);
  ASSERT_EQ(teamster(run_words("three")), 0) << said_;
  EXPECT_EQ(heard("write").find("Write it."), 0U);
  EXPECT_EQ(heard("look").find("Look at it."), 0U) << heard("look");
  EXPECT_EQ(heard("look").find("Write it."), std::string::npos) << "it is not the author's";
  EXPECT_NE(heard("tidy").find("Look at it."), std::string::npos) << "what follows goes on in it";
  EXPECT_EQ(heard("tidy").find("Write it."), std::string::npos);
}

// The turn was decided, and the new conversation has begun or not: it is begun once.
TEST_F(Members, AFreshPhaseIsTakenUpInItsOwnConversation) {
  workflow("three", kThreePhases, kFiles);
  script("author", kHears);
  for (const char* point : {"step.done:write.1:after", "step.done:look.1:before"}) {
    Words words = run_words("three");
    words.insert(words.end(), {"--fault", std::string("kill engine@") + point});
    ASSERT_EQ(teamster(words), 128 + SIGKILL) << said_;
    ASSERT_EQ(teamster({"resume", last_run()}), 0) << said_;
    EXPECT_EQ(heard("look").find("Write it."), std::string::npos) << point << heard("look");
    EXPECT_NE(heard("tidy").find("Look at it."), std::string::npos) << point << heard("tidy");
  }
}

constexpr const char* kSkilled = R"(
name: skilled
roles: { author: {}, plain: {} }
phases:
  - { id: write, stage: P0, role: author, skill: writing, template: write.md, returns: any.json }
  - id: parts
    stage: P1
    kind: fanout
    role: plain
    items: [ { id: a, skill: writing }, { id: b, skill: reading } ]
    template: part.md
    returns: any.json
)";

constexpr const char* kReadsSkill = R"({"turns": [], "otherwise": [
  {"tool": {"name": "read_skill", "arguments": {"name": "writing"}, "save": "skill"}},
  {"report": {"heard": "{{PROMPT}} {{skill.content}}"}}, {"say": "done"}]})";

std::string skill_text(const std::string& name) {
  return "---\nname: " + name + "\ndescription: How " + name + " is done, for those who do it.\n---\n\nThe way of " + name + ".\n";
}

class SkilledMembers : public Members {
 protected:
  SkilledMembers() {
    workflow("skilled", kSkilled, kFiles);
    project_file(".teamster/workflows/skilled/part.md", "Do {{ITEM_NUMBER}} by {{SKILL}} in {{PHASE_NUMBER}}.\n");
    project_file(".teamster/workflows/skilled/skills/writing/SKILL.md", skill_text("writing"));
    script("author", kReadsSkill);
    project_file("answer.sh", "cat >> told.txt\necho '{\"heard\": \"it\"}'\n");
  }
  Words words() const {
    Words words = run_words("skilled");
    words.insert(words.end(), {"--driver", "plain=command:sh answer.sh"});
    return words;
  }
};

TEST_F(SkilledMembers, ReadTheSkillOrAreToldItWhereTheyHaveNoTools) {
  EXPECT_EQ(teamster(words()), 3) << said_;
  EXPECT_NE(said_.find("phase parts works by the skill reading, which is not installed"), std::string::npos) << said_;
  project_file(".teamster/skills/reading/SKILL.md", skill_text("reading"));
  ASSERT_EQ(teamster(words()), 0) << said_;
  EXPECT_NE(heard("write").find("Work by the skill writing"), std::string::npos) << heard("write");
  EXPECT_NE(heard("write").find("The way of writing."), std::string::npos) << "as `read_skill` gives it";
  const std::string told = project_text("told.txt");
  EXPECT_NE(told.find("by writing in P1."), std::string::npos) << told;
  EXPECT_NE(told.find("words of the skill reading]\nThe way of reading."), std::string::npos) << told;
}

TEST_F(SkilledMembers, OneThatIsGoneIsAskedFor) {
  project_file(".teamster/skills/reading/SKILL.md", skill_text("reading"));
  project_file("answer.sh", "rm -rf .teamster/skills\ncat >> told.txt\necho '{\"heard\": \"it\"}'\n");
  Words waiting = words();
  waiting.emplace_back("--no-wait");
  std::filesystem::remove_all(project_ + "/.teamster/skills");
  project_file(".teamster/skills/reading/SKILL.md", skill_text("reading"));
  // The first item removes it, so that the second cannot begin: one at a time.
  project_file(".teamster/workflows/skilled/workflow.yaml", [] {
    std::string yaml = kSkilled;
    const std::string items = "items: [ { id: a, skill: writing }, { id: b, skill: reading } ]";
    yaml.replace(yaml.find(items), items.size(),
                 "items: { members: 1, list: [ { id: a, skill: writing }, { id: b, skill: reading } ] }");
    return yaml;
  }());
  ASSERT_EQ(teamster(waiting), 4) << said_;
  const Json asked = question();
  EXPECT_EQ(asked["question"], "parts/2/stuck.1") << asked;
  EXPECT_NE(asked["text"].get<std::string>().find("reading"), std::string::npos) << asked;
  project_file(".teamster/skills/reading/SKILL.md", skill_text("reading"));
  home_.ok({"answer", "parts/2/stuck", "same"});
  EXPECT_EQ(teamster({"resume", last_run()}), 0) << said_;
}

std::string crew(const std::string& start) {
  return R"(
name: crew
roles: { author: {}, critic: {} }
team: { name: crew)" + start + R"( }
phases:
  - { id: write, role: author, template: write.md, returns: any.json }
  - { id: good, kind: gate, question: { text: 'Good?' }, on: [ { when: { approved: false }, goto: done } ] }
  - { id: look, role: critic, template: look.md, returns: any.json }
  - { id: best, kind: gate, question: { text: 'Best?' }, on: [ { when: { approved: false }, goto: done } ] }
  - { id: tidy, role: critic, template: tidy.md, returns: any.json }
)";
}

constexpr const char* kWritesToCritic = R"({"turns": [], "otherwise": [
  {"send": {"to": "critic", "body": "mind the gap"}}, {"report": {"heard": "{{HEARD}}"}}, {"say": "done"}]})";

TEST_F(Members, AreOnTheRosterBeginWithTheirFirstTurnsAndGoWhenNoWayLeadsToThem) {
  workflow("crew", crew(""), kFiles);
  script("author", kWritesToCritic);
  script("critic", kHears);
  Process engine(start_of(run_words("crew")));
  EXPECT_EQ(question()["question"], "good.1");
  EXPECT_EQ(roster("crew"), (std::map<std::string, std::string>{
                                {"lead", "live"}, {"author", "no way of the workflow leads to it any more"}, {"critic", "live"}}))
      << "nothing leads back to the author";
  EXPECT_EQ(agents("crew"), std::set<std::string>()) << "the critic has not begun";
  home_.ok({"approve", "good"});
  EXPECT_TRUE(eventually([&] { return question()["question"] == "best.1"; }));
  EXPECT_EQ(agents("crew"), (std::set<std::string>{"critic"}));
  EXPECT_EQ(roster("crew")["critic"], "live") << "it will be asked again";
  home_.ok({"approve", "best"});
  EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
  EXPECT_EQ(heard("look").find("Look at it."), 0U) << "its work comes before what others say: " << heard("look");
  EXPECT_NE(heard("tidy").find("mind the gap"), std::string::npos) << heard("tidy");
  EXPECT_TRUE(home_.ok({"team", "list"})["teams"].empty());
}

TEST_F(Members, BeginAndGoTogetherWhereTheWorkflowSaysSo) {
  workflow("crew", crew(", start: together"), kFiles);
  script("author", kHears);
  script("critic", kHears);
  Process engine(start_of(run_words("crew")));
  EXPECT_EQ(question()["question"], "good.1");
  EXPECT_EQ(agents("crew"), (std::set<std::string>{"author", "critic"}));
  home_.ok({"reject", "good", "no"});
  EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
}

// Who has never begun has nobody who could agree to a shutdown, so none is waited for.
TEST_F(Members, OneThatHasNeverBegunHoldsUpNoEnd) {
  workflow("crew", crew(""), kFiles);
  script("author", kHears);
  script("critic", kHears);
  Process engine(start_of(run_words("crew")));
  question();
  const auto before = std::chrono::steady_clock::now();
  home_.ok({"reject", "good", "no"});
  EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(8));
}

}  // namespace
}  // namespace teamster::e2e
