// What can happen to a run, one struct for each kind of event. Values without behaviour. EventBody at the end is the
// table of kinds: a new kind is a struct here, its fields in events_codec.cc and an entry in that list. How each is
// written is in docs/formats/run.md. `more` is what commands.h says of it.
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
#include "protocol/words/record_kinds.h"

namespace teamster::workflow {

// What of an effect is due, in step.due.
namespace due {
inline constexpr const char* kRetry = "retry";        // settles a `wait`
inline constexpr const char* kRemind = "remind";      // leaves the question open
inline constexpr const char* kDeadline = "deadline";  // leaves the question open, too
}  // namespace due

// What a person says of an effect that a crash left undecided: as an answer, or in step.decided.
namespace verdict {
inline constexpr const char* kRerun = "rerun";
inline constexpr const char* kSkip = "skip";
}  // namespace verdict

namespace event {

// An answer that a ledger has of a phase.
struct LedgerAnswer {
  Json value = {};
  std::int64_t sequence = 0;  // of its artifact
  Json more = {};
};

// Where a run begins that goes on with what a ledger says.
struct Resumption {
  std::string phase;
  std::map<std::string, std::int64_t> loops = {};
  std::map<std::string, LedgerAnswer> answers = {};  // by phase
  std::int64_t next_sequence = 1;
  Json foreign = {};  // keys of the file of a state that the workflow does not know; null: none
  Json more = {};
};

struct Started {
  static constexpr std::string_view kKind = kind::kRunStarted;
  std::string entry = {};                                 // of the workflow; empty: it has none
  Json args = {};                                         // null: none were given
  Json flags = {};                                        // null: the workflow has none
  Json values = {};                                       // null: none were found out
  std::optional<std::vector<std::string>> skills = {};    // nothing: nobody looked
  Json people = {};                                       // around the run, see people.h; null: nobody was named
  std::int64_t at_s = 0;                                  // seconds since 1970
  std::string temporary = {};                             // directory for temporary files
  std::map<std::string, std::string> configuration = {};  // what the user set, see format/configuration.h
  std::optional<Resumption> resume = {};
  Json more = {};  // also how the run was set up, see engine/run_setup.h
};

struct TeamReady {
  static constexpr std::string_view kKind = "run.team_ready";
  std::string team;
  Json more = {};
};

// A member that was asked to go and did not.
struct ForcedMember {
  std::string member;
  std::int64_t pid = 0;  // of its agent, which was ended; 0: none ran
  std::string why = {};  // it refused; empty: it did not answer in time
  Json more = {};
};

struct TeamGone {
  static constexpr std::string_view kKind = "run.team_gone";
  std::string team;
  std::vector<ForcedMember> forced = {};
  std::string left = {};  // what of it could not be removed: where, why, and what to do
  Json more = {};
};

// The conversation of a member is lost. With the step of a turn that was under way: it is none any more.
struct MemberLost {
  static constexpr std::string_view kKind = "run.member_lost";
  std::string member;
  std::string why = {};
  Json more = {};
};

// What a member has changed though its role may not: it was put back, and is kept aside.
struct Strayed {
  std::vector<std::string> paths;
  std::string aside = {};  // a name that git knows; empty: nothing was left to be put back
  Json more = {};
};

// The same, in a turn that no step asked for: a message began it.
struct MemberStrayed {
  static constexpr std::string_view kKind = "run.member_strayed";
  std::string member;
  std::vector<std::string> paths;
  std::string aside = {};
  Json more = {};
};

// What a turn has used, or a whole sub-run.
struct TurnUsage {
  std::optional<std::int64_t> turns = {};  // nothing: one; a sub-run counts its own, and all its tokens are input
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<std::int64_t> cache_read_tokens = {};
  std::optional<std::int64_t> cache_write_tokens = {};
  std::optional<double> cost_usd = {};           // nothing: the agent does not say
  std::optional<std::int64_t> duration_ms = {};  // nothing: nobody looked at the clock
  Json more = {};
};

// Who said what became this event.
struct Spoken {
  std::int64_t told = 0;  // number of the record by which it was told; 0: it came another way
  std::optional<std::string> by = {};
  std::optional<std::string> how = {};  // "terminal", "script"
};

struct Done {
  static constexpr std::string_view kKind = "step.done";
  Json answer = {};
  std::optional<TurnUsage> usage = {};
  std::string member = {};                      // whose turn it was; empty: it was none
  std::vector<std::string> restarts = {};       // why the member's agent was started again, each time
  std::optional<std::int64_t> tasks_left = {};  // for the member of a pool
  Json tasks = {};                              // of the pool
  Spoken spoken = {};                           // of an answer that a person gave
  Json note = {};                               // that the person added
  std::optional<Strayed> strayed = {};
  Json more = {};
};

struct Failed {
  static constexpr std::string_view kKind = "step.failed";
  std::string fault;  // chooses what is tried next
  std::string error;  // for people
  std::optional<TurnUsage> usage = {};
  std::string member = {};
  std::vector<std::string> restarts = {};
  std::optional<Strayed> strayed = {};
  Json more = {};
};

struct Due {
  static constexpr std::string_view kKind = "step.due";
  std::string what;  // see due::
  Json more = {};
};

// A member asks whoever decides: what it sent to a native member of its team.
struct Asked {
  static constexpr std::string_view kKind = "run.asked";
  std::string member;
  std::string team = {};
  std::int64_t message = 0;
  std::string text = {};
  std::vector<std::string> options = {};
  std::string expertise = {};
  std::string reason = {};  // why a person is needed, in a word
  Json more = {};
};

// What a person said to an open question is declined: it clearly asks for what nobody may (dangerous_requests.h). The
// question stays open.
struct Declined {
  static constexpr std::string_view kKind = "step.declined";
  std::string why;  // "it asks for secrets"
  Spoken spoken = {};
  Json more = {};
};

// A person wants a run to go on that had ended, or from an earlier phase.
struct Reopened {
  static constexpr std::string_view kKind = "run.reopened";
  std::string from = {};  // a phase; empty: where it stood
  Spoken spoken = {};
  Json more = {};
};

// A person has changed how the run goes on.
struct Adjusted {
  static constexpr std::string_view kKind = "run.adjusted";
  std::map<std::string, std::string> configuration = {};  // as in Started; what it does not name stays
  Json values = {};                                       // by name: values of settings
  Json budget = {};                                       // usd, tokens, turns, time_ms: at most, over the workflow's
  Spoken spoken = {};
  Json more = {};
};

struct CancelAsked {
  static constexpr std::string_view kKind = "run.cancel_asked";
  Spoken spoken = {};
  Json more = {};
};

// A crash left open whether the effect happened. Its owner is asked.
struct OutcomeUnknown {
  static constexpr std::string_view kKind = "step.unknown";
  Json more = {};
};

// What became of such an effect, in journals of programs that did not ask yet.
struct Decided {
  static constexpr std::string_view kKind = "step.decided";
  std::string decision;  // see verdict::
  Spoken spoken = {};
  Json more = {};
};

struct Ended {
  static constexpr std::string_view kKind = kind::kRunEnded;
  std::string status;
  std::string reason = {};
  Json more = {};
};

// Of a newer program.
struct Unknown {
  std::string kind = {};
  Json fields = Json::object();
};

}  // namespace event

using EventBody = std::variant<event::Unknown, event::Started, event::TeamReady, event::TeamGone, event::MemberLost,
                               event::MemberStrayed, event::Done, event::Failed, event::Due, event::CancelAsked,
                               event::Asked, event::Reopened, event::Adjusted, event::OutcomeUnknown, event::Decided,
                               event::Ended, event::Declined>;

std::string_view kind_of(const EventBody& body);

// What an event of any kind says was used; nothing: it says nothing of it.
std::optional<event::TurnUsage> usage_of(const EventBody& body);
// The number of the record by which somebody told it; 0: nobody did.
std::int64_t told_of(const EventBody& body);

// The fields of an event in a record, without its step, its attempt and the commands that followed.
Json fields_of(const EventBody& body);
// Never fails: a field of another shape is as absent and stays in `more`. Takes the values out of `fields`.
EventBody read_event_body(std::string_view kind, Json fields);

}  // namespace teamster::workflow
