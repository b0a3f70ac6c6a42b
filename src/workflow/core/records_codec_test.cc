// Every kind of event and command, with all fields that its struct has, as docs/formats/run.md says it is written.
#include <set>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "workflow/core/commands.h"
#include "workflow/core/events.h"

namespace teamster::workflow {
namespace {

struct Written {
  std::string_view kind;
  const char* fields;
};

constexpr Written kCommands[] = {
    {"make_team", R"({"team":"t","members":[{"name":"builder-1","role":"builder"},
        {"name":"lead","role":"lead","native":true}]})"},
    {"warn", R"({"about":"team","text":"Nobody is there."})"},
    {"end_team", R"({"team":"t"})"},
    {"end_team", R"({"team":"t","status":"done","reason":""})"},
    {"turn", R"({"member":"b","role":"builder","team":"t","prompt":"Do it.","first":true})"},
    {"turn", R"({"member":"b","role":"builder","team":"t","prompt":"Do it.","first":false,"schema":"a.json",
        "rung":"fresh","temporary":true,"limit_ms":5,"marker":"[1]","other_markers":[],"files":["report"],
        "task":"7","why":"its check failed"})"},
    {"turn", R"({"member":"b","role":"builder","team":"t","prompt":"","first":false,"marker":"[1]",
        "other_markers":["[2]","[3]"]})"},
    {"check", R"({"command":"make","limit_ms":0})"},
    {"check", R"({"command":"make","limit_ms":7,"environment":{"WORDS":"a b"}})"},
    {"ask", R"({"text":"tell.1 may have been done","to":"owner","gate":false,"options":["rerun","skip"],
        "about":{"kind":"notify","step":"tell","attempt":1,"body":{"command":"./announce","limit_ms":5}}})"},
    {"ask", R"({"text":"Right?","to":"kim","gate":true,"attach":"plan.md","also":"owner"})"},
    {"ask", R"({"text":"Which way?","to":"owner","gate":false,"options":["left"],"outcomes":{"left":"it goes left"},
        "from":"builder","message":17})"},
    {"ask", R"({"text":"Which?","to":"owner","gate":false,"options":["raise","stop"],"expertise":"law",
        "remind_ms":1,"deadline_ms":2,"scope":"run","reminded":true,"late":true,
        "turn":{"step":"fix","role":"builder","member":"b","rung":"","temporary":false,"why":"it broke",
                "guidance":"use clang"}})"},
    {"notify", R"({"text":""})"},
    {"notify", R"({"command":"post","limit_ms":7,"environment":{"A":"b"}})"},
    {"commit", R"({"paths":["a"],"message":"m","tag":"t","last_tag":""})"},
    {"read_items", R"({"checklist":"tasks.md","group":"[P]"})"},
    {"read_items", R"({"checklist":"tasks.md","group":"","left_out":[3,4]})"},
    {"make_tasks", R"({"team":"t","from":1,"to":200})"},
    {"finish_task", R"({"team":"t","task":"7","status":"completed"})"},
    {"finish_task", R"({"team":"t","task":"7","status":"failed","why":"left out by the owner"})"},
    {"tick", R"({"checklist":"tasks.md","number":3,"text":"Write it."})"},
    {"reply", R"({"team":"t","member":"b","message":17,"text":"left","by":"kim","question":"Left?"})"},
    {"sub_run", R"({"workflow":"w","args":{"spec":"01"}})"},
    {"end_sub_run", R"({"of":"each/1.1","status":"cancelled","reason":"by kim"})"},
    {"wait", R"({"ms":10000,"what":"retry","why":"busy",
        "turn":{"member":"b","role":"builder","team":"t","prompt":"Do it.","first":true,"newer":1}})"},
    {"end", R"({"status":"done","reason":"","report":"All is well."})"},
    {"enter", R"({"phase":"fix","sender":"test","loops":{"fixes":2}})"},
    {"items", R"({"list":["a",{"path":"b"},3]})"},
    {"items", R"({"list":["a","b"],"findings":[null,["too long"]],"append":true,"group":true})"},
    {"item_done", R"({"number":3,"status":"passed","answer":{"ok":true}})"},
    {"item_done", R"({"number":3,"status":"failed","why":"left out by the owner"})"},
    {"pause", R"({"turn":{"step":"fix","role":"builder","member":"b","rung":"","temporary":false}})"},
    {"withdraw", R"({"of":"build/weather.1"})"},
    {"reopen", R"({"phase":"fix","dropped":["fix","commit"],"loops":{"fixes":0}})"},
    {"reopen", R"({"phase":"fix","dropped":["fix"],"loops":{},"sender":"test","keeps_items":true})"},
    {"settle", R"({"phase":"fix","sequence":4,"loops":{}})"},
    {"settle", R"({"phase":"fix","sequence":0,"loops":{"a":1},"answer":null})"},
    {"note", R"({"phase":"review","answer":{"ok":false}})"},
    {"note", R"({"phase":"review","loop":"rounds","answer":null})"},
    {"raise", R"({"scope":"role/builder"})"},
    {"retire", R"({"team":"t","member":"b"})"},
    {"people", R"({"people":{"owner":"kim","stakeholders":[]}})"},
    {"enter", R"({"phase":"fix","sender":"test","stage":"P2","loops":{}})"},
    {"remind", R"({"question":"approve.1"})"},
    {"remind", R"({"question":"approve.1","to":"owner"})"},
};

constexpr Written kEvents[] = {
    {"run.started", R"({})"},
    {"run.started", R"({"args":{"spec":"01"},"values":{},"skills":[],"people":{"owner":"kim"},"digest":"of the bundle",
        "resume":{"phase":"fix","loops":{"a":1},"answers":{"test":{"value":{"ok":1},"sequence":3}},"next_sequence":4}})"},
    {"run.started", R"({"entry":"design","args":{},"flags":{"quick":true},"configuration":{"roles.b.model":"m"}})"},
    {"run.team_ready", R"({"team":"t"})"},
    {"run.team_gone", R"({"team":"t"})"},
    {"run.member_lost", R"({"member":"b","why":"crash"})"},
    {"run.member_strayed", R"({"member":"b","paths":["a"],"aside":"refs/teamster/aside/r/b"})"},
    {"step.done", R"({"answer":null})"},
    {"step.done", R"({"answer":{},"strayed":{"paths":["a"],"aside":"refs/teamster/aside/r/x.1"}})"},
    {"step.done", R"({"answer":{"ok":true},"member":"b","restarts":["silent"],"tasks_left":0,"tasks":[],
        "usage":{"input_tokens":1,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":4,"cost_usd":0.5,
                 "duration_ms":0}})"},
    {"step.done", R"({"answer":{"approved":true,"feedback":null,"by":"kim"},"told":7,"by":"kim","how":"","note":"!"})"},
    {"step.failed", R"({"fault":"crashed","error":"it died","member":"b","restarts":["silent"],
        "usage":{"input_tokens":1,"output_tokens":2}})"},
    {"step.done", R"({"answer":{"run":"r"},"usage":{"turns":3,"input_tokens":70,"cost_usd":0.5,"duration_ms":9}})"},
    {"step.due", R"({"what":"deadline"})"},
    {"step.unknown", R"({})"},
    {"step.declined", R"({"why":"it asks for secrets","by":"sam","how":"terminal","told":3})"},
    {"run.cancel_asked", R"({"by":"kim","how":"terminal","told":3})"},
    {"run.adjusted", R"({})"},
    {"run.adjusted", R"({"configuration":{"phases.fix.limit":"5m"},"values":{"test":"make"},
        "budget":{"usd":5.0,"turns":9},"by":"kim","how":"terminal","told":3})"},
    {"run.reopened", R"({})"},
    {"run.reopened", R"({"from":"fix","by":"kim","how":"terminal","told":3})"},
    {"run.asked", R"({"member":"b","team":"t","message":17,"text":"Left or right?"})"},
    {"run.asked", R"({"member":"b","team":"t","message":17,"text":"Left or right?","options":["left","right"],
        "expertise":"roads"})"},
    {"step.declined", R"({"why":"it asks for secrets","by":"kim","how":"chat","told":3})"},
    {"step.decided", R"({"decision":"skip","by":"kim","how":"","told":3})"},
    {"run.ended", R"({"status":"blocked","reason":"no login"})"},
};

template <class Unknown, class... Bodies>
std::set<std::string_view> kinds_of_table(const std::variant<Unknown, Bodies...>&) {
  return {Bodies::kKind...};
}

// `more` of a body; of an unknown one everything.
template <class Variant>
Json more_of(const Variant& body) {
  return std::visit(
      [](const auto& known) -> Json {
        if constexpr (requires { known.more; })
          return known.more;
        else
          return known.fields;
      },
      body);
}

TEST(RecordsCodecTest, EveryCommandIsReadAsItWasWritten) {
  std::set<std::string_view> left = kinds_of_table(CommandBody());
  for (const auto& [kind, text] : kCommands) {
    const Json fields = Json::parse(text);
    const CommandBody body = read_command_body(kind, fields);
    EXPECT_EQ(kind_of(body), kind);
    EXPECT_EQ(fields_of(body), fields);
    EXPECT_TRUE(more_of(body).is_null()) << kind << ": every field has a member, but for " << more_of(body);
    left.erase(kind);
  }
  for (const auto kind : left) ADD_FAILURE() << "this test has no " << kind;
}

TEST(RecordsCodecTest, EveryEventIsReadAsItWasWritten) {
  std::set<std::string_view> left = kinds_of_table(EventBody());
  for (const auto& [kind, text] : kEvents) {
    Json fields = Json::parse(text);
    const EventBody body = read_event_body(kind, fields);
    EXPECT_EQ(kind_of(body), kind);
    EXPECT_EQ(fields_of(body), fields);
    const Json others = fields.contains("digest") ? Json{{"digest", fields["digest"]}} : Json();
    EXPECT_EQ(more_of(body), others) << kind;
    left.erase(kind);
  }
  for (const auto kind : left) ADD_FAILURE() << "this test has no " << kind;
}

TEST(RecordsCodecTest, WhatANewerProgramWritesIsKept) {
  for (const auto& [kind, text] : kCommands) {
    Json fields = Json::parse(text);
    fields["newer"] = {{"a", 1}};
    EXPECT_EQ(fields_of(read_command_body(kind, fields)), fields);
  }
  for (const auto& [kind, text] : kEvents) {
    Json fields = Json::parse(text);
    fields["newer"] = {{"a", 1}};
    EXPECT_EQ(fields_of(read_event_body(kind, fields)), fields);
  }
  const Json inside = Json::parse(R"({"team":"t","members":[{"name":"b","role":"builder","newer":1}]})");
  EXPECT_EQ(fields_of(read_command_body("make_team", inside)), inside);
  const Json whole = Json::parse(R"({"a":1})");
  EXPECT_EQ(kind_of(read_command_body("invented", whole)), "invented");
  EXPECT_EQ(fields_of(read_command_body("invented", whole)), whole);
  EXPECT_EQ(kind_of(read_event_body("step.invented", whole)), "step.invented");
  EXPECT_EQ(fields_of(read_event_body("step.invented", whole)), whole);
}

TEST(RecordsCodecTest, AFieldOfAnotherShapeIsAsAbsentAndIsKept) {
  const Json fields = Json::parse(
      R"({"member":[],"role":1,"team":null,"prompt":"p","first":"yes","limit_ms":"1","temporary":1,"rung":{}})");
  const CommandBody body = read_command_body("turn", fields);
  const auto& turn = std::get<command::Turn>(body);
  EXPECT_EQ(turn.member, "");
  EXPECT_EQ(turn.prompt, "p");
  EXPECT_TRUE(turn.first) << "as of a turn that does not say it";
  EXPECT_EQ(turn.limit_ms, 0);
  EXPECT_EQ(fields_of(body), fields);
  const auto enter = std::get<command::Enter>(read_command_body("enter", {{"loops", {{"a", "many"}, {"b", 2}}}}));
  EXPECT_EQ(enter.loops, (std::map<std::string, std::int64_t>{{"b", 2}})) << "of a map what fits is taken";
}

TEST(RecordsCodecTest, WhatEventsOfAnyKindMaySayIsFoundInUnknownOnes) {
  const EventBody body = read_event_body("step.invented", Json::parse(R"({"usage":{"input_tokens":5},"told":9})"));
  ASSERT_TRUE(usage_of(body));
  EXPECT_EQ(usage_of(body)->input_tokens, 5);
  EXPECT_EQ(told_of(body), 9);
  EXPECT_FALSE(usage_of(event::Due{"retry"}));
  EXPECT_EQ(told_of(event::CancelAsked{{.told = 4}}), 4);
}

TEST(RecordsCodecTest, OnlyCommandsThatSayWhatBecameOfTheRunHaveNoEffect) {
  const std::set<std::string_view> facts = {"warn",   "enter",     "items", "settle",   "note",   "raise",
                                            "remind", "item_done", "pause", "withdraw", "reopen", "people"};
  for (const auto& [kind, text] : kCommands)
    EXPECT_EQ(has_effect(read_command_body(kind, Json::parse(text))), facts.count(kind) == 0) << kind;
  EXPECT_TRUE(has_effect(command::Unknown{"invented"})) << "for all that is known";
}

}  // namespace
}  // namespace teamster::workflow
