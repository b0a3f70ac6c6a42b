// What `next` can decide, one struct for each kind of command. Values without behaviour. CommandBody at the end is the
// table of kinds: what reads, writes and names commands goes by it, so a new kind is a struct here or, with an
// effect, in effect_commands.h, its fields in commands_codec.cc and an entry in that list. How each is written is in
// docs/formats/run.md.
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
#include "workflow/core/effect_commands.h"

namespace teamster::workflow {

namespace command {

// --- What became of the run: nothing has to be done for these.

struct Enter {
  static constexpr std::string_view kKind = "enter";
  static constexpr bool kHasEffect = false;
  std::string phase;
  std::string sender = {};                         // the phase that led there
  std::string stage = {};                          // what people call it, where the workflow says so
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

// Who the people around the run are, from now on.
struct SetPeople {
  static constexpr std::string_view kKind = "people";
  static constexpr bool kHasEffect = false;
  Json people = {};  // see people.h
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

// Those that a run's state keeps, as JSON. Declared where the types are: whether a type can be JSON is decided where it
// is asked first, and that may be anywhere.
void to_json(Json& json, const Note& note);
void from_json(const Json& json, Note& note);
void to_json(Json& json, const Warn& warning);
void from_json(const Json& json, Warn& warning);
void to_json(Json& json, const Reply& reply);
void from_json(const Json& json, Reply& reply);
void to_json(Json& json, const PostponedTurn& turn);
void from_json(const Json& json, PostponedTurn& turn);

}  // namespace command

using CommandBody =
    std::variant<command::Unknown, command::MakeTeam, command::EndTeam, command::Turn, command::Check, command::Ask,
                 command::Notify, command::Commit, command::ReadItems, command::MakeTasks, command::SubRun,
                 command::EndSubRun, command::Wait, command::End, command::Enter, command::Items, command::Settle,
                 command::Note, command::Raise, command::Remind, command::FinishTask, command::Tick, command::Reply,
                 command::ItemDone, command::Pause, command::Withdraw, command::Reopen, command::Warn, command::Retire,
                 command::SetPeople>;

std::string_view kind_of(const CommandBody& body);
bool has_effect(const CommandBody& body);

// The fields of a command in a record, without its kind, step and attempt.
Json fields_of(const CommandBody& body);
// Never fails: a field of another shape is as absent and stays in `more`. Takes the values out of `fields`.
CommandBody read_command_body(std::string_view kind, Json fields);

}  // namespace teamster::workflow
