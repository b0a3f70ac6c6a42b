#include "rehearsal/stub_scripts.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "env/sim/sim_world.h"
#include "rehearsal/people.h"
#include "script/script.h"

namespace teamster::cli {
namespace {

constexpr const char* kStubbed = R"(
name: stubbed
roles:
  planner: { writes: [] }
  writer: { writes: [chapters] }
loops:
  again: { max: 2, then: escalate }
phases:
  - { id: plan, role: planner, template: plan.md, returns: plan.json, pass: { status: GOOD } }
  - id: ask
    kind: ask
    question: { to: owner, text: 'Which of {{plan/first}}?', options: [stop, go] }
    on: [ { when: { answer: stop }, block: stopped } ]
  - id: write
    kind: fanout
    role: writer
    items: { from: plan/chapters, members: 3 }
    template: chapter.md
    inputs: { TITLE: item/title }
    returns: chapter.json
    files: [file]
    merge: { role: planner, template: merge.md, returns: merged.json }
  - id: review
    role: planner
    template: look.md
    returns: review.json
    on:
      - { when: { passed: false }, goto: write, loop: again }
      - { when: { issues: { any: { fixed: false } } }, goto: write, loop: again }
  - id: good
    kind: gate
    question: { to: owner, text: 'Is it good?' }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

FoundWorkflow stubbed() {
  FoundWorkflow found{.name = "stubbed", .from = "path", .path = "/w", .bundle = {}};
  found.bundle = {
      {"workflow.yaml", kStubbed},
      {"plan.md", "Plan a book.\nGive each chapter a title."},
      {"chapter.md", "Write chapter {{ITEM}}: {{TITLE}}."},
      {"merge.md", "Join the chapters: {{ANSWERS}}"},
      {"look.md", "Read the chapters."},
      {"plan.json", R"({"type": "object", "required": ["status", "chapters"], "properties": {
         "status": {"enum": ["BAD", "GOOD"]},
         "chapters": {"type": "array", "items": {"type": "object"}}, "first": {"type": "string"}}})"},
      {"chapter.json", R"({"type": "object", "required": ["file"], "properties": {"file": {"type": "string"}}})"},
      {"merged.json", R"({"type": "object", "required": ["words"], "properties": {
         "words": {"type": "integer", "minimum": 10}}})"},
      {"review.json", R"({"type": "object", "required": ["passed", "issues"], "properties": {
         "passed": {"type": "boolean"},
         "issues": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["fixed"],
                    "properties": {"fixed": {"enum": [false, true]}}}}}})"},
  };
  return found;
}

class StubScriptsTest : public testing::Test {
 protected:
  FileContents scripts() {
    const WorkflowPlaces places(
        files_, [](const char*) { return std::nullopt; }, "/project");
    const auto made = stub_scripts(stubbed(), places);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return made.value_or(FileContents());
  }

  env::sim::World world_{1};
  env::Files& files_ = world_.start("engine").view().files;
};

TEST_F(StubScriptsTest, EachRoleAnswersSoThatTheRunGoesOn) {
  const FileContents made = scripts();
  ASSERT_EQ(made.size(), 3U);
  for (const char* role : {"planner.json", "writer.json"})
    EXPECT_TRUE(script::parse_script(made.at(role), role)) << made.at(role);
  const Json planner = Json::parse(made.at("planner.json"));
  ASSERT_EQ(planner["turns"].size(), 3U);
  const Json& plan = planner["turns"][0];
  EXPECT_EQ(plan["when"]["contains"], "Give each chapter a title.");
  EXPECT_EQ(plan["repeat"], true);
  EXPECT_EQ(plan["steps"][0]["report"], Json::parse(R"({"status": "GOOD", "first": "first",
                                                         "chapters": [{"title": "title"}]})"))
      << "`pass` holds, what others read is there, and there is something to work on";
  EXPECT_EQ(planner["turns"][1]["steps"][0]["report"], Json::parse(R"({"words": 10})")) << "as the coordinator";
  EXPECT_EQ(planner["turns"][2]["steps"][0]["report"], Json::parse(R"({"passed": true, "issues": [{"fixed": true}]})"));
  const Json writer = Json::parse(made.at("writer.json"));
  EXPECT_EQ(writer["otherwise"][0]["append"]["path"], "chapters/write-file.txt") << "where the role may write";
  EXPECT_EQ(writer["otherwise"][1]["report"]["file"], "chapters/write-file.txt");
}

TEST_F(StubScriptsTest, PeopleAnswerEachQuestion) {
  EXPECT_EQ(Json::parse(scripts().at("people.json")),
            Json::parse(R"({"ask": {"answer": "go"}, "good": {"approve": true}})"));
}

TEST_F(StubScriptsTest, WhatIsThereIsNotOverwritten) {
  const FileContents made = scripts();
  ASSERT_TRUE(files_.make_private_directory("/project/rehearsal"));
  ASSERT_TRUE(files_.replace("/project/rehearsal/writer.json", "mine", 0644));
  const auto refused = write_stub_scripts(files_, "/project/rehearsal", made);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  EXPECT_NE(refused.error().what.find("writer.json"), std::string::npos);
  EXPECT_EQ(files_.list("/project/rehearsal")->size(), 1U) << "nothing was written";
  ASSERT_TRUE(files_.remove_tree("/project/rehearsal/writer.json"));
  const auto written = write_stub_scripts(files_, "/project/rehearsal", made);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->size(), 3U);
  EXPECT_TRUE(read_people(files_, "/project/rehearsal/people.json"));
}

}  // namespace
}  // namespace teamster::cli
