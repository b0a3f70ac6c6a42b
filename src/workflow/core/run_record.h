// RunRecord: one entry of a run's journal: what happened, and the commands that follow from it.
// Commands with an effect stay open until an event with their step and attempt settles them;
// the others say what became of the run, so that recorded decisions win over a newer program.
// Values; the format is in docs/formats/run.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json.h"
#include "base/result.h"
#include "protocol/words/record_kinds.h"
#include "workflow/core/commands.h"
#include "workflow/core/events.h"

namespace teamster::workflow {

struct RunEvent {
  std::string kind;
  std::string step = {};  // of a step: "verify", "research/2", "run-tests/check"
  std::int64_t attempt = 0;
  Json body = Json::object();

  // Nothing when the event is of another kind.
  template <class Body>
  std::optional<Body> as() const {
    return is<Body>() ? std::optional(std::get<Body>(read_event_body(kind, body))) : std::nullopt;
  }
  template <class Body>
  bool is() const {
    return kind == Body::kKind;
  }
  // The number of the record by which somebody told it; 0: nobody did.
  std::int64_t told() const { return told_of(read_event_body(kind, body)); }
};

namespace event {
inline constexpr const char* kStarted = kind::kRunStarted;      // args, values, skills, people?, resume?
inline constexpr const char* kTeamReady = "run.team_ready";    // team
inline constexpr const char* kTeamGone = "run.team_gone";      // team
inline constexpr const char* kMemberLost = "run.member_lost";  // member, why
inline constexpr const char* kDone = "step.done";              // answer, usage?, member?
inline constexpr const char* kFailed = "step.failed";          // fault, error, usage?, member?
inline constexpr const char* kDue = "step.due";                // what: retry, remind, deadline
inline constexpr const char* kCancelled = "run.cancel_asked";  // by
inline constexpr const char* kDecided = "step.decided";        // rerun or skip, by: what a crash left open
inline constexpr const char* kEnded = kind::kRunEnded;          // status, reason
}  // namespace event

// "verify.1": names an effect in the journal, in faults and for idempotency.
std::string effect_id(std::string_view step, std::int64_t attempt);
// Of a command of this kind.
bool has_effect(std::string_view kind);

struct RunCommand {
  std::string kind;
  std::string step = {};
  std::int64_t attempt = 0;
  Json body = Json::object();

  std::string id() const { return effect_id(step.empty() ? kind : step, attempt); }
  bool has_effect() const { return workflow::has_effect(kind); }
  // Nothing when the command is of another kind.
  template <class Body>
  std::optional<Body> as() const {
    return is<Body>() ? std::optional(std::get<Body>(read_command_body(kind, body))) : std::nullopt;
  }
  template <class Body>
  bool is() const {
    return kind == Body::kKind;
  }
  // The body of one that is of this kind, as its caller knows.
  template <class Body>
  Body get() const {
    auto known = as<Body>();
    CHECK(known);
    return *std::move(known);
  }
};

std::string_view kind_of(const RunEvent& event);
std::string_view kind_of(const RunCommand& command);

// An event about the run as a whole.
RunEvent event_of(const EventBody& body);
// An event about this command: mostly the one that settles it.
RunEvent event_about(const RunCommand& command, const EventBody& body);

namespace command {
// Effects: each is settled by an event.
inline constexpr const char* kMakeTeam = "make_team";     // team, members [{name, role}]
inline constexpr const char* kEndTeam = "end_team";       // team
inline constexpr const char* kTurn = "turn";              // member, role, prompt, schema?, first, marker?, …
inline constexpr const char* kCheck = "check";            // command, limit_ms, environment?
inline constexpr const char* kAsk = "ask";                // text, to, expertise, options, gate, remind_ms, deadline_ms
inline constexpr const char* kNotify = "notify";          // command or text
inline constexpr const char* kCommit = "commit";          // paths, message, tag, last_tag
inline constexpr const char* kReadItems = "read_items";   // checklist, group
inline constexpr const char* kMakeTasks = "make_tasks";   // team, tasks [{subject, item}]
inline constexpr const char* kSubRun = "sub_run";         // workflow, args
inline constexpr const char* kEndSubRun = "end_sub_run";  // of: the sub_run that is given up
inline constexpr const char* kWait = "wait";              // ms; then the event step.due
inline constexpr const char* kEnd = "end";                // status, reason, report: then run.ended
// What became of the run.
inline constexpr const char* kEnter = "enter";    // phase, sender, loops
inline constexpr const char* kItems = "items";    // list: what the phase works on
inline constexpr const char* kSettle = "settle";  // phase, answer?, sequence, loops: an answer counts
inline constexpr const char* kNote = "note";      // phase, loop, answer: accepted although it objects
inline constexpr const char* kRaise = "raise";    // scope, by: a budget
inline constexpr const char* kRemind = "remind";  // of a question; to: who is asked from now on
}  // namespace command

struct RunRecord {
  RunEvent event;
  std::vector<RunCommand> commands;
};

// {kind, body}: one of the records of run.append.
Json journal_entry(const RunRecord& record);
// The body of the journal's event; its kind is the event's.
Json body_of(const RunRecord& record);
// Code::invalid where the body was not written by body_of.
Result<RunRecord> read_record(std::string_view kind, Json body);

}  // namespace teamster::workflow
