// The rehearsal of a user's own workflow on their own project: stub scripts that play it to its end, and people who
// answer in an order, after a while, by a way. Scripted agents are real processes.
#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBook = R"(
name: book
args:
  topic: { about: what it is about }
roles:
  planner: { writes: [] }
  writer: { writes: [chapters] }
inputs: { TOPIC: args/topic }
loops:
  again: { max: 2, then: block }
phases:
  - { id: plan, role: planner, template: plan.md, returns: plan.json, pass: { status: GOOD } }
  - { id: name, kind: ask, question: { to: owner, text: 'What is it called?', options: [spring, summer] } }
  - id: write
    kind: fanout
    role: writer
    items: { from: plan/chapters, members: 2 }
    template: chapter.md
    inputs: { TITLE: item/title, NAME: name/answer }
    returns: chapter.json
    files: [file]
    merge: { role: planner, template: merge.md, returns: merged.json }
  - id: review
    role: planner
    template: review.md
    inputs: { WORDS: write/words }
    returns: review.json
    on: [ { when: { passed: false }, goto: write, loop: again } ]
  - id: good
    kind: gate
    question: { to: owner, text: 'Is it good?', remind: 1h }
    on: [ { when: { approved: false }, goto: review, loop: again } ]
  - { id: record, kind: commit, paths: [chapters], message: 'book: {{args/topic}}, {{good/by}}' }
)";

class OwnRehearsal : public OwnWorkflow {
 protected:
  OwnRehearsal() {
    workflow(
        "book", kBook,
        {{"plan.md", "Plan a book about {{TOPIC}}."},
         {"chapter.md", "Write {{TITLE}} of {{NAME}} about {{TOPIC}}."},
         {"merge.md", "Count the words of {{ANSWERS}}, about {{TOPIC}}."},
         {"review.md", "Read all {{WORDS}} words about {{TOPIC}}."},
         {"plan.json", R"({"type": "object", "required": ["status", "chapters"], "properties": {
                 "status": {"enum": ["BAD", "GOOD"]}, "chapters": {"type": "array", "items": {"type": "object"}}}})"},
         {"chapter.json", R"({"type": "object", "required": ["file"], "properties": {"file": {"type": "string"}}})"},
         {"merged.json", R"({"type": "object", "required": ["words"], "properties": {
                 "words": {"type": "integer", "minimum": 1}}})"},
         {"review.json", R"({"type": "object", "required": ["passed"], "properties": {
                 "passed": {"type": "boolean"}}})"}});
    Start git;
    git.command = {"/usr/bin/env",
                   "-C",
                   project_,
                   "/bin/sh",
                   "-c",
                   "git init -q . && git config user.name Ada && git config user.email ada@example.org && "
                   "git add -A && git commit -q -m begin"};
    git.environment = {"HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
    Process process(git);
    EXPECT_EQ(process.wait(), 0) << process.err();
  }
  Outcome rehearse(const Words& flags) {
    Words words = {"rehearse", "./.teamster/workflows/book", "the sea", "--project", ".", "--json"};
    words.insert(words.end(), flags.begin(), flags.end());
    Process process(start_of(words));
    return outcome_of(process);
  }
  // Of a rehearsal that was kept.
  Json events_of(const Outcome& played) const {
    Start start = start_of({"log", played.json["run"].get<std::string>(), "--json"});
    start.environment.front() = "TEAMSTER_HOME=" + played.json["home"].get<std::string>();
    Process process(start);
    return outcome_of(process).json["events"];
  }
  const std::string kept_ = home_.scratch() + "/kept";
};

TEST_F(OwnRehearsal, StubsAreWrittenOnceAndPlayTheWorkflowToItsEnd) {
  const Outcome none = rehearse({});
  EXPECT_EQ(none.exit, 1) << none;
  EXPECT_NE(none.next().find("--init"), std::string::npos) << none;

  const Outcome made = rehearse({"--init"});
  ASSERT_EQ(made.exit, 0) << made;
  EXPECT_EQ(made.json["written"].size(), 3U) << made;
  EXPECT_TRUE(fs::exists(project_ + "/rehearsal/planner.json"));

  const Outcome played = rehearse({"--keep", kept_});
  ASSERT_EQ(played.exit, 0) << played;
  EXPECT_EQ(read_file(kept_ + "/chapters/write-file.txt"), "Written in a rehearsal.\n");

  write_file(project_ + "/rehearsal/writer.json", R"({"turns": [], "otherwise": [
    {"write": {"path": "chapters/mine.txt", "text": "mine"}}, {"report": {"file": "chapters/mine.txt"}}, {"say": "x"}]})");
  const Outcome refused = rehearse({"--init"});
  EXPECT_EQ(refused.exit, 3) << refused;
  EXPECT_NE(refused.what().find("people.json, planner.json, writer.json"), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("without --init"), std::string::npos) << refused;
  const Outcome edited = rehearse({"--keep", kept_ + "2"});
  ASSERT_EQ(edited.exit, 0) << edited;
  EXPECT_EQ(read_file(kept_ + "2/chapters/mine.txt"), "mine") << "what was edited is what is played";
}

TEST_F(OwnRehearsal, InitNeedsAPlaceForTheScripts) {
  Process process(start_of({"rehearse", "implement-spec", "--init", "--json"}));
  const Outcome nowhere = outcome_of(process);
  EXPECT_EQ(nowhere.exit, 2) << nowhere;
  EXPECT_NE(nowhere.next().find("--project"), std::string::npos) << nowhere;
}

TEST_F(OwnRehearsal, PeopleAnswerInTheirOrderAfterAWhileByAWay) {
  ASSERT_EQ(rehearse({"--init"}).exit, 0);
  write_file(project_ + "/rehearsal/people.json",
             R"({"name": 2, "good": [{"reject": "too short", "by": "kim"},
                                     {"approve": true, "by": "ida", "after": "90m", "way": "terminal"}]})");
  write_file(project_ + "/people.yaml", "owner: kim\nstakeholders: [ { name: ida }, { name: sam } ]\n");
  const Outcome strangers = rehearse({"--stakeholders", "people.yaml"});
  EXPECT_EQ(strangers.exit, 4) << "ida may not answer for the owner: " << strangers;

  write_file(project_ + "/people.yaml", "owner: ida\nstakeholders: [ { name: kim } ]\n");
  write_file(project_ + "/rehearsal/people.json",
             R"({"name": 2, "good": [{"reject": "too short", "by": "ida"},
                                     {"approve": true, "by": "ida", "after": "90m", "way": "terminal"}]})");
  const Outcome played = rehearse({"--stakeholders", "people.yaml", "--keep", kept_});
  ASSERT_EQ(played.exit, 0) << played;
  std::vector<Json> said;
  bool was_reminded = false;
  for (const auto& event : events_of(played)) {
    const Json& body = event["body"];
    if (event["kind"] == "step.done" && (body["step"] == "good" || body["step"] == "name")) said.push_back(body);
    was_reminded = was_reminded || (event["kind"] == "step.due" && body["what"] == "remind");
  }
  ASSERT_EQ(said.size(), 3U);
  EXPECT_EQ(said[0]["answer"]["answer"], "summer") << "by its number";
  EXPECT_EQ(said[1]["answer"], Json::parse(R"({"approved": false, "by": "ida", "feedback": "too short"})"));
  EXPECT_EQ(said[2]["answer"]["approved"], true);
  EXPECT_EQ(said[2]["by"], "ida");
  EXPECT_EQ(said[2]["how"], "terminal");
  EXPECT_TRUE(was_reminded) << "an hour went by before the answer";
}

TEST_F(OwnRehearsal, MistakesInPeopleAreToldBeforeAnythingStarts) {
  ASSERT_EQ(rehearse({"--init"}).exit, 0);
  write_file(project_ + "/rehearsal/people.json", R"({"good": {"aprove": true}})");
  const Outcome wrong = rehearse({});
  EXPECT_EQ(wrong.exit, 2) << wrong;
  EXPECT_NE(wrong.what().find("'aprove', which means nothing"), std::string::npos) << wrong;
  const Outcome missing = rehearse({"--stakeholders", "nobody.yaml"});
  EXPECT_NE(missing.exit, 0) << missing;
}

}  // namespace
}  // namespace teamster::e2e
