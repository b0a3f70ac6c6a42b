// Spec: a workflow as read from its bundle (docs/formats/workflow.md): roles, loops, phases
// and where each prompt gets its words from. Plain values without behaviour; made and
// checked by read_spec, never changed afterwards. Everything else of this module works on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/time.h"

namespace teamster::workflow {

// A word of the command line: positional, in the order in which they are declared, or the value of a flag.
struct Argument {
  std::string name = {};
  std::string about = {};
  std::string pattern = {};               // ECMAScript, the whole word; empty: any
  std::vector<std::string> choices = {};  // empty: any
  std::optional<std::string> fallback = {};
};

// A flag of the command line: a switch, or one with a value.
struct Flag {
  Argument value = {};     // with the name of the flag; of a switch no more than that
  std::string shown = {};  // stands for the value in the help; empty: it is a switch

  const std::string& name() const { return value.name; }
  bool is_switch() const { return shown.empty(); }
};

// One of the things that a workflow is started for, named by the first word of the command line.
struct Entry {
  std::string name = {};
  std::string about = {};
  std::string from = {};                               // the phase it begins with; empty: the first of the list
  std::string to = {};                                 // its last phase; empty: the last of the list
  bool cancels = false;                                // it ends the run of the same key, and begins none
  std::optional<std::vector<std::string>> args = {};   // names of those it takes, in their order; nothing: all
  std::optional<std::vector<std::string>> flags = {};  // the same of flags
};

// Something the engine finds out in the project before the run starts, and pins.
struct Value {
  enum class Kind {
    file,      // the one file that `pattern` (a glob) matches
    files,     // all files that `pattern` matches, a sorted list; none is no mistake
    match,     // first group of the regular expression `pattern` in the text of `of`
    line,      // first group of `pattern` in the first line of file `of` that it matches
    text,      // contents of the file `of`
    config,    // setting `of` of the project's configuration
    env,       // variable `of` of the environment, unless it is empty
    sections,  // headings of the Markdown file `of`, with the entries under each: those that concern a step
  };
  std::string name;
  Kind kind = Kind::file;
  std::string pattern;
  std::string of;                       // a template
  std::optional<std::string> fallback;  // without it a missing value stops the run
  std::string otherwise;                // what the user is told when it is missing; a template
};

// Where words come from: `args/spec`, `values/name`, `implement/files_created`, `loops/verify`, `item/path`, `run/id`.
// In the reasons of ways `answer/summary` is of the answer just given: an answer of the name "answer".
struct Source {
  enum class Kind { argument, flag, value, answer, loop, item, run };
  Kind kind = Kind::argument;
  std::string name;               // of the argument, flag, value, phase, loop; of run: see run_facts()
  std::vector<std::string> path;  // into the answer or item
  Json where;                     // object: of a list only the entries with these values; null: all
};

// What fields of an answer must be (`a/b`: a field of a field); all must hold. A value is compared as it is; a map is a
// test of its own, see workflow/core/condition.h: of `when` and `pass` alone, and of the form that read_condition
// promises.
using Condition = std::map<std::string, Json>;

struct Input {
  std::string name;
  std::vector<Source> sources;                           // more than one: their lists one after the other
  std::map<std::string, std::vector<Source>> by_sender;  // instead, by the phase that sent us here
  std::optional<std::string> fallback;                   // when there is nothing, or it is empty
  Condition only = {};                                   // sides as in Phase::only; otherwise there is nothing
};
using Inputs = std::map<std::string, Input>;

// What is tried when a step fails, rung by rung. Of a workflow, a role or a phase: what one leaves open, the one before
// it says. See workflow/core/ladder.h for the order and for what is so where nobody says it.
struct Ladder {
  enum class Then { ask, block, fail };
  std::optional<std::int64_t> retry;          // L0: so often the same again
  std::optional<std::int64_t> mend;           // L1: so often told what is missing, in the same conversation
  std::optional<std::int64_t> fresh;          // L2: so many new agents for one step
  std::optional<std::string> advisor;         // L3: the role that proposes another task graph
  std::optional<std::int64_t> advise_at;      // L3 comes when so many members are at L2 at once
  std::optional<Then> then;                   // L4
  std::optional<Duration> patience;           // with a provider that is away: then the owner is asked
  std::map<std::string, std::string> faults;  // with which rung a fault begins, see faults.h
};

struct Budget {
  std::optional<std::int64_t> tokens;
  std::optional<double> usd;
  std::optional<std::int64_t> turns;
  std::optional<Duration> time;
};

struct Role {
  std::string name;
  std::string about;
  std::string prompt;  // template of the agent's standing instructions; may be empty
  std::string driver;  // empty: what the user or the configuration says
  std::string model;
  std::string effort;
  std::string auth;
  std::vector<std::string> writes;  // directories or globs
  bool writes_everywhere = true;    // in the project: `writes` is not given. An empty list means nothing
  std::vector<std::string> tools;   // all that the agent has; where the workflow says nothing, see tools.h
  std::int64_t window = 0;          // of its model's context, in characters; 0: not known, and prompts have any length
  Budget budget;
  Ladder ladder;
  Duration silence{};      // after so long without a word of its agent in a turn it is taken for lost; 0: the driver's
  bool is_native = false;  // a part of the engine that costs no tokens: a coordinator
};

struct Team {
  enum class Scope { none, run, phase, item };
  std::string name;  // a template
  Scope scope = Scope::none;
  Condition only;  // sides as in Phase::only; otherwise members work alone, with a warning
  // Of the run's team: a phase before which it is made, if `only` holds by then.
  struct From {
    std::string phase;
    Condition only = {};
  };
  std::vector<From> from;        // the first of them that comes; empty: the first phase
  bool starts_together = false;  // its agents begin with it, and stay until it goes; else with their first turns
  std::int64_t at_least = 0;     // of a phase's: for fewer items there is none, and nobody is warned
  // A template: what the user is told when `only` does not hold. With it a team that cannot be made is no end: members
  // work alone, and the user is told.
  std::string otherwise;
};

struct Loop {
  enum class Then { block, accept, escalate, fail, go };
  std::string name;
  std::int64_t max = 0;
  Then then = Then::block;
  std::string target = {};  // of Then::go: the phase
  std::string counts = {};  // a phase: +1 whenever it is done; empty: +1 per way taken
  std::string resets = {};  // a phase: whenever it is entered, the count begins anew
};

// One way out of a phase; the first whose condition holds is taken.
struct Way {
  Condition when;      // empty: always
  std::string target;  // a phase, or empty: see `end`
  std::string loop;    // counted on this way
  enum class End { none, done, block, fail } end = End::none;
  std::string reason;  // template over the answer, of block and fail
};

// A command whose exit code decides: a step of its own, or the proof of an answer.
struct Check {
  std::string command;  // a template; run with sh -c at the project's root
  Duration limit{};
  Inputs inputs;   // environment variables of the command: words of agents come in no other way
  Condition when;  // of a proof: only if the answer says so
  // Of a proof that fails: these fields replace the answer's; "$output" is what it printed. Without them the step has
  // failed, and the ladder says what is tried.
  std::map<std::string, Json> then;
};

struct Question {
  std::string text;    // a template
  std::string to;      // a handle, "owner", "stakeholders" or "qa"; a template
  std::string attach;  // path of a file whose contents go with it; a template
  std::string expertise;
  std::vector<std::string> options;
  Duration remind{};
  Duration deadline{};
  enum class Late { wait, fail } late = Late::wait;  // at the deadline the owner is asked as well, or the run fails
};

// Work on several items at once.
struct Items {
  std::vector<Json> fixed;            // texts, or maps as an answer would list them
  std::optional<Source> source;       // a list in an answer, or a value of `files`
  std::vector<Source> or_from;        // instead, where that has no entries: the first of these that has
  std::string checklist;              // a Markdown checklist; a template of its path
  std::string criteria;               // a manifest whose criteria need a reviewer; a template of its path
  std::string group;                  // mark of the items that may run together
  std::int64_t at_least = 0;          // fewer: one member, no team
  std::int64_t members = 0;           // at most so many at once
  std::string members_text = {};      // instead: a template of that number
  std::optional<Source> findings;     // entries that send items back, when the phase is entered again
  std::vector<Source> more_findings;  // lists that come behind
  std::string finding_item;           // their field that names the item
  // A field of each item, a list of paths: nobody but the item's member may write these, and it nothing else.
  std::string owns;
};

// A field of an answer that names a file.
struct NamedFile {
  std::string field;
  std::string path = {};    // it must be this one; a template. Empty: any
  std::string header = {};  // schema file of the YAML between `---` at its beginning; empty: it needs none
};

// An answer that is a fault: its step has failed.
struct Trouble {
  Condition when;
  std::string fault;  // see faults.h
  std::string why;    // template over the answer: what is told to whoever tries next; empty: the answer itself
};

struct Commit {
  std::vector<std::string> paths;  // templates; what is committed
  std::string message;
  std::string tag;       // "step-*": the next number; empty: none
  std::string last_tag;  // when nothing is left of the series
};

struct Phase {
  enum class Kind { agent, fanout, ask, gate, check, notify, workflow, commit };
  std::string id;
  std::string title;
  std::int64_t number = 0;  // its place in the list, from 1
  std::string stage;        // what people and ledgers call it instead; see stage_of
  Kind kind = Kind::agent;
  std::string role;
  std::vector<std::string> roles;  // of fanout, instead of one: the item's field `role` says which, else in turn
  std::string template_file;
  std::string skill;   // that its agent works by; an item may name another
  bool fresh = false;  // whoever begins to work in it begins a new conversation
  Inputs inputs;
  std::string returns;           // schema file
  std::vector<NamedFile> files;  // that the answer names; they must be there and not empty
  Condition only;                // fields of `args`, `values` or answers ("phase/field"); otherwise it is skipped
  std::vector<Way> on;
  Condition pass;  // of an answer: otherwise the step has failed
  Ladder ladder;
  std::optional<Check> check;  // also the command of check and notify
  std::string text;            // of notify, instead of a command; a template
  std::string to;              // of such a text: whom it is for, as of a question; a template
  std::optional<Question> question;
  bool sets_people = false;  // of ask: the answer says who the people around the run are
  std::optional<Items> items;
  std::string merge;  // of fanout: role of the coordinator that gets the answers; empty: they are a list
  std::string merge_template;
  std::string merge_returns;
  std::string merge_skill;
  std::vector<NamedFile> merge_files;
  Condition merge_pass;
  bool merge_needs_all = false;  // it is never begun without one of the items, so the owner can leave none out
  std::optional<Commit> commit;
  std::string workflow;                     // of a sub-run
  std::string entry;                        // of that workflow; empty: it has none
  std::map<std::string, std::string> with;  // its arguments, templates
  Team team;                                // of scope phase or item
  Duration limit{};                         // of one turn
  Budget budget;
};

// Files that people read and commit, kept in step with the run.
struct Ledger {
  std::string directory;               // a template
  std::string index;                   // file name, `manifest` in the workflow
  std::string artifact;                // "{{sequence:03}}-p{{number:02}}-{{id}}.json"
  std::map<std::string, Json> fields;  // of the index: templates and constants
};

// What other programs read about a run: fields kept up to date in a JSON file, or in a task.
struct State {
  std::string file;                    // a template; keys that are not ours stay
  std::string task;                    // instead: subject of the task that carries them; a template
  std::map<std::string, Json> fields;  // templates and constants; one without a value yet is null
};

// One thing that must be so before a run starts.
struct Precondition {
  enum class Kind { file, clean, done, skills, command, idle, head };
  Kind kind = Kind::file;
  std::string what;                 // template: path, heading, command
  std::string of;                   // template: file with the heading; empty: see the format page
  std::vector<std::string> except;  // of clean
  Condition only;                   // sides args/… and values/…: otherwise it is not asked
  std::string otherwise;            // template: what the user is told
};

struct Messages {
  std::string preamble;  // a value's name
  std::string first;     // template around a prompt that a member gets first
  std::string later;
  std::string marker;  // of an answer: "[PHASE {{PHASE_NUMBER}} RESULT]"; one of another phase is refused
};

// Several runs in order: `--all`.
struct Series {
  std::string items;  // glob; the first group of `pattern` is the argument
  std::string pattern;
  std::string argument;
  std::string dependencies;   // heading under which an item names others
  std::string required = {};  // heading without which a file is no item but a reference; empty: all are items
};

// How long questions of agents wait, when those who are asked are reminded, and which of them people are asked at all.
struct AgentQuestions {
  Duration remind{};
  Duration deadline = std::chrono::hours(2);
  bool declines = false;  // what people write that clearly asks for what nobody may, see core/dangerous_requests.h
  std::vector<std::string> reasons =
      {};                      // a person is asked for one of these, or when there are options to choose from
  std::string otherwise = {};  // the lead's answer to all others; empty: people are asked everything
  // Of what the owner is asked when the run cannot go on by itself.
  std::string title = {};  // stands above it
  std::string abort = {};  // the words of the last option; empty: abort
};

struct Workflow {
  std::string name;
  std::string about;
  std::vector<Entry> entries;  // as they stand in the file; empty: it is started for one thing
  std::vector<Argument> args;
  std::vector<Flag> flags;
  std::vector<Value> values;
  std::string key;  // template: one live run for each
  Team team;
  std::map<std::string, Role> roles;
  Ladder ladder;
  AgentQuestions questions;
  Messages messages;
  std::map<std::string, Loop> loops;
  Inputs inputs;            // of every phase
  std::vector<Way> always;  // tried before a phase's own ways
  std::vector<Trouble> trouble;
  std::vector<Precondition> preconditions;
  std::optional<Ledger> ledger;
  std::optional<State> state;
  std::vector<std::string> files;  // templates: paths of what a run is about, which can go when it is cancelled
  std::optional<Series> series;
  std::vector<Phase> phases;
  std::string report;  // template
  Inputs report_inputs;
  Budget budget;
};

}  // namespace teamster::workflow
