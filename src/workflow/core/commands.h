// What `next` can decide, one struct for each kind of command. Values without behaviour. CommandBody at the end is the
// table of kinds: what reads, writes and names commands goes by it, so a new kind is a struct here, its fields in
// commands_codec.cc and an entry in that list. How each is written is in docs/formats/run.md.
//
// `more` of a struct holds the fields that this program does not know, or whose shape it cannot read: they are of a
// newer program, and are written again as they were.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::workflow {

// How a turn is tried once more; empty: it is the first try.
// The ladder's first rungs; what comes above them is a question or another task graph.
namespace rung {
inline constexpr const char* kRetry = "retry";        // L0: the same member, the same words
inline constexpr const char* kMend = "mend";          // L1: the same member, told what is missing
inline constexpr const char* kFresh = "fresh";        // L2: a member that is made for this try
inline constexpr const char* kLost = "lost";          // the same member, which had lost its conversation
inline constexpr const char* kWaited = "waited";      // the same member, after the provider was away
inline constexpr const char* kAnswered = "answered";  // the same member, whose question was answered
}  // namespace rung

namespace command {

// --- Effects: each stays open until an event with its step and attempt settles it.

// A member that a new team begins with.
struct NewMember {
  std::string name;
  std::string role;
  bool native = false;  // a part of the engine: it reads its mailbox and has no agent
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
  std::string task = {};                        // in the team's list: claimed in the member's name
  std::string why = {};                         // it is said again: the beginning of what went wrong
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
  std::string checklist;  // path of a Markdown file
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

// --- What became of the run: nothing has to be done for these.

struct Enter {
  static constexpr std::string_view kKind = "enter";
  static constexpr bool kHasEffect = false;
  std::string phase;
  std::string sender = {};                         // the phase that led there
  std::map<std::string, std::int64_t> loops = {};  // counts that changed
  Json more = {};
};

struct Items {
  static constexpr std::string_view kKind = "items";
  static constexpr bool kHasEffect = false;
  std::vector<Json> list;           // what the phase works on
  std::vector<Json> findings = {};  // for each, what was found when it had been done before; empty: nothing
  bool append = false;              // they come to those that are there
  bool group = false;               // and are a group of their own, which a checklist has next
  Json more = {};
};

// From here on the answer of a phase counts.
struct Settle {
  static constexpr std::string_view kKind = "settle";
  static constexpr bool kHasEffect = false;
  std::string phase;
  std::int64_t sequence = 0;                       // of the answer's artifact; 0: it has none
  std::map<std::string, std::int64_t> loops = {};  // counts that changed
  std::optional<Json> answer = {};                 // instead of the event's
  Json more = {};
};

// An answer was accepted although it objects; the report says so.
struct Note {
  static constexpr std::string_view kKind = "note";
  static constexpr bool kHasEffect = false;
  std::string phase;
  std::string loop = {};  // which has been taken too often; empty: the owner accepted the answer
  Json answer = {};
  Json more = {};
};

// A budget is one more of itself.
struct Raise {
  static constexpr std::string_view kKind = "raise";
  static constexpr bool kHasEffect = false;
  std::string scope;
  Json more = {};
};

struct Remind {
  static constexpr std::string_view kKind = "remind";
  static constexpr bool kHasEffect = false;
  std::string question;  // STEP.ATTEMPT of an open `ask`
  std::string to = {};   // is asked, too, from now on; empty: who was asked is reminded
  Json more = {};
};

// An item is over.
struct ItemDone {
  static constexpr std::string_view kKind = "item_done";
  static constexpr bool kHasEffect = false;
  std::int64_t number = 0;
  std::string status;    // passed, failed, replaced
  Json answer = {};      // null: none
  std::string why = {};  // it failed
  Json more = {};
};

// A member has ended its turn to wait for an answer; it goes on when that comes.
struct Pause {
  static constexpr std::string_view kKind = "pause";
  static constexpr bool kHasEffect = false;
  PostponedTurn turn = {};
  Json more = {};
};

// An open effect is not wanted any more: a question that nobody needs to answer.
struct Withdraw {
  static constexpr std::string_view kKind = "withdraw";
  static constexpr bool kHasEffect = false;
  std::string of;  // STEP.ATTEMPT
  Json more = {};
};

// A run that stood goes on, from this phase: answers of those that will be given anew are dropped.
struct Reopen {
  static constexpr std::string_view kKind = "reopen";
  static constexpr bool kHasEffect = false;
  std::string phase;
  std::vector<std::string> dropped = {};           // phases whose answers do not count any more
  std::map<std::string, std::int64_t> loops = {};  // counts that changed
  std::string sender = {};                         // of that phase; empty: whoever answered last and leads there
  bool keeps_items = false;                        // what has passed of its items stays passed
  Json more = {};
};

// Something that the user should know goes on otherwise than they may expect.
struct Warn {
  static constexpr std::string_view kKind = "warn";
  static constexpr bool kHasEffect = false;
  std::string about;  // a step; one is warned once about each
  std::string text;
  Json more = {};
};

// Of a newer program. It has an effect, for all that is known.
struct Unknown {
  std::string kind = {};
  Json fields = Json::object();
};

}  // namespace command

using CommandBody =
    std::variant<command::Unknown, command::MakeTeam, command::EndTeam, command::Turn, command::Check, command::Ask,
                 command::Notify, command::Commit, command::ReadItems, command::MakeTasks, command::SubRun,
                 command::EndSubRun, command::Wait, command::End, command::Enter, command::Items, command::Settle,
                 command::Note, command::Raise, command::Remind, command::FinishTask, command::Tick, command::Reply,
                 command::ItemDone, command::Pause, command::Withdraw, command::Reopen, command::Warn>;

std::string_view kind_of(const CommandBody& body);
bool has_effect(const CommandBody& body);

// The fields of a command in a record, without its kind, step and attempt.
Json fields_of(const CommandBody& body);
// Never fails: a field of another shape is as absent and stays in `more`. Takes the values out of `fields`.
CommandBody read_command_body(std::string_view kind, Json fields);

}  // namespace teamster::workflow
