// What `next` can decide that has an effect, one struct for each kind: each stays open until an event with its step and
// attempt settles it. A part of commands.h, which says the rest; include that one. Values without behaviour.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "workflow/core/rungs.h"

namespace teamster::workflow::command {

// A member that a new team begins with.
struct NewMember {
  std::string name;
  std::string role;
  bool native = false;  // a part of the engine: it reads its mailbox and has no agent
  bool later = false;   // on the roster with its team; its agent begins with its first turn
  Json more = {};
};

struct MakeTeam {
  static constexpr std::string_view kKind = "make_team";
  static constexpr bool kHasEffect = true;
  std::string team;
  std::vector<NewMember> members = {};
  Json more = {};
};

struct EndTeam {
  static constexpr std::string_view kKind = "end_team";
  static constexpr bool kHasEffect = true;
  std::string team;
  // With which status and why the run ends; nothing while it goes on without this team.
  std::optional<std::string> status = {};
  std::optional<std::string> reason = {};
  Json more = {};
};

// A field of an answer that names a file, of which more is asked than to be there.
struct NamedOutput {
  std::string field;
  std::string path = {};    // that it must be; empty: any
  std::string header = {};  // schema that the file's header must fit; empty: it needs none
  Json more = {};
};

// A prompt to a member.
struct Turn {
  static constexpr std::string_view kKind = "turn";
  static constexpr bool kHasEffect = true;
  std::string member;
  std::string role;
  std::string team = {};
  std::string prompt = {};
  bool first = true;                            // in this conversation: with the preamble
  std::string schema = {};                      // file that the answer is checked with; empty: any answer will do
  std::string rung = {};                        // see rung::
  bool temporary = false;                       // the member is there for this turn alone
  std::int64_t limit_ms = 0;                    // 0: the turn may take as long as it wants
  std::string marker = {};                      // of answers to this phase; empty: answers have none
  std::vector<std::string> other_markers = {};  // of answers to other phases, which are refused
  std::vector<std::string> files = {};          // fields of the answer that name files, which must be there
  std::vector<NamedOutput> outputs = {};        // what else is asked of them
  std::vector<std::string> writes = {};         // paths that it may write, and nothing else; empty: what its role may
  std::string task = {};                        // in the team's list: claimed in the member's name
  std::string why = {};                         // it is said again: the beginning of what went wrong
  std::string skill = {};                       // that the member works by
  // STEP.ATTEMPT of the turn with which the conversation began, where the workflow wanted a new one; empty: it is the
  // member's first. A member whose agent is in another one begins anew.
  std::string conversation = {};
  Json more = {};
};

// A command of the workflow, run with sh -c at the project's root.
struct ShellCommand {
  std::string command;
  std::int64_t limit_ms = 0;  // 0: as long as any program may take
  std::map<std::string, std::string> environment = {};
};

struct Check {
  static constexpr std::string_view kKind = "check";
  static constexpr bool kHasEffect = true;
  ShellCommand shell;
  Json more = {};
};

// Says `text` to whoever watches the run or, without one, runs `shell`, which says it elsewhere.
struct Notify {
  static constexpr std::string_view kKind = "notify";
  static constexpr bool kHasEffect = true;
  std::optional<std::string> text = {};
  std::string to = {};  // whom the text is for; empty: whoever watches
  ShellCommand shell = {};
  Json more = {};
};

// A turn that waits: for a budget to be raised, for an answer, for the owner.
struct PostponedTurn {
  std::string step;
  std::string role = {};
  std::string member = {};
  std::string rung = {};
  bool temporary = false;
  std::string why = {};       // the last try failed; of an answered question: what was asked
  std::string guidance = {};  // a person's words, as they are to be told
  Json more = {};
};

// An effect of which nobody knows whether it happened before a crash.
struct DoubtfulEffect {
  std::string kind;
  std::string step = {};
  std::int64_t attempt = 0;
  Json body = Json::object();  // its fields, see read_command_body
  Json more = {};
};

// A question to a person, or a gate.
struct Ask {
  static constexpr std::string_view kKind = "ask";
  static constexpr bool kHasEffect = true;
  std::string text;
  std::string to = {};
  bool gate = false;
  std::vector<std::string> options = {};
  std::map<std::string, std::string> outcomes = {};  // what follows from an option, where that is not plain
  std::string expertise = {};
  std::string attach = {};                   // path of a file that goes with the question
  std::string from = {};                     // the member that asks; empty: the workflow does
  std::int64_t message = 0;                  // by which it asked
  std::string also = {};                     // is asked, too, since the deadline
  std::string sets = {};                     // what the answer becomes: "people"; empty: an answer
  std::int64_t remind_ms = 0;                // after the question was asked; 0: nobody is reminded
  std::int64_t deadline_ms = 0;              // after the question was asked; 0: it waits for ever
  std::string scope = {};                    // of the budget that is spent; empty: the question is about something else
  std::optional<PostponedTurn> turn = {};    // what is said when that budget is raised
  std::optional<DoubtfulEffect> about = {};  // is done again or skipped, as the owner answers
  bool reminded = false;                     // the reminder was due, and is not due again
  bool late = false;                         // the deadline was due, and is not due again
  Json more = {};
};

struct Commit {
  static constexpr std::string_view kKind = "commit";
  static constexpr bool kHasEffect = true;
  std::vector<std::string> paths;
  std::string message;
  std::string tag = {};       // empty: none
  std::string last_tag = {};  // instead of `tag` for the last of a series
  Json more = {};
};

struct ReadItems {
  static constexpr std::string_view kKind = "read_items";
  static constexpr bool kHasEffect = true;
  std::string checklist = {};  // path of a Markdown file
  std::string criteria = {};   // instead, path of a manifest
  std::string group = {};
  std::vector<std::int64_t> left_out = {};  // numbers in the list that are as good as ticked: the owner skipped them
  Json more = {};
};

// One task in the team's list for each of these items of the phase.
struct MakeTasks {
  static constexpr std::string_view kKind = "make_tasks";
  static constexpr bool kHasEffect = true;
  std::string team;
  std::int64_t from = 0;  // numbers of items; both are included
  std::int64_t to = 0;
  Json more = {};
};

// The task of an item is over.
struct FinishTask {
  static constexpr std::string_view kKind = "finish_task";
  static constexpr bool kHasEffect = true;
  std::string team;
  std::string task;
  std::string status;    // of the task
  std::string why = {};  // it failed
  Json more = {};
};

// An item of a checklist is done.
struct Tick {
  static constexpr std::string_view kKind = "tick";
  static constexpr bool kHasEffect = true;
  std::string checklist;  // path of a Markdown file
  std::int64_t number = 0;
  std::string text = {};
  Json more = {};
};

// What a person said to a member that had asked.
struct Reply {
  static constexpr std::string_view kKind = "reply";
  static constexpr bool kHasEffect = true;
  std::string team;
  std::string member;
  std::int64_t message = 0;  // the member's question
  std::string text = {};
  std::string by = {};
  std::string question = {};  // that was asked
  Json more = {};
};

// A member goes: no way of the workflow leads to it any more.
struct Retire {
  static constexpr std::string_view kKind = "retire";
  static constexpr bool kHasEffect = true;
  std::string team;
  std::string member;
  Json more = {};
};

struct SubRun {
  static constexpr std::string_view kKind = "sub_run";
  static constexpr bool kHasEffect = true;
  std::string workflow;
  std::string entry = {};  // of that workflow; empty: it has none
  Json args = Json::object();
  Json more = {};
};

struct EndSubRun {
  static constexpr std::string_view kKind = "end_sub_run";
  static constexpr bool kHasEffect = true;
  std::string of;                          // STEP.ATTEMPT of the sub_run that is given up
  std::optional<std::string> status = {};  // with which this run ends
  std::optional<std::string> reason = {};
  Json more = {};
};

// The event step.due follows after `ms`.
struct Wait {
  static constexpr std::string_view kKind = "wait";
  static constexpr bool kHasEffect = true;
  std::int64_t ms = 0;
  std::string what = {};  // is due then, see due::
  Turn turn = {};         // is said then
  std::string why = {};
  Json more = {};
};

// The event run.ended follows.
struct End {
  static constexpr std::string_view kKind = "end";
  static constexpr bool kHasEffect = true;
  std::string status;
  std::string reason = {};
  std::string report = {};
  Json more = {};
};

}  // namespace teamster::workflow::command
