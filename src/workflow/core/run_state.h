// RunState: what is known of a run: a fold over its records and nothing else. The same records
// give the same state, in whichever process and whenever; snapshots are its JSON. A value;
// `apply` is the only way to change it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "workflow/core/run_items.h"
#include "workflow/core/run_record.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

struct RunMember {
  std::string role;
  std::string team;
  bool has_preamble = false;             // in the conversation it is in now
  bool temporary = false;                // for one step
  std::vector<std::string> missed = {};  // phases that another agent did in its place
  std::string conversation = {};         // as of a turn
};

struct RunAnswer {
  Json value;
  std::int64_t sequence = 0;  // of its artifact; 0: none
};

// What was tried at a step since its phase was entered.
struct RunTries {
  std::int64_t retries = 0;    // L0
  std::int64_t mends = 0;      // L1
  std::int64_t fresh = 0;      // L2
  std::int64_t waits = 0;      // for the provider
  std::int64_t waited_ms = 0;  // for it, in all
  // Who tried last.
  std::string role = {};
  std::string member = {};
  bool temporary = false;
  std::string why = {};      // it failed
  std::int64_t lost = 0;     // said anew, because the member had lost its conversation
  bool owner_knows = false;  // was asked about the provider, once
};

// What a person decided in answer to a question.
struct RunDirective {
  std::string step = {};  // that it was asked about
  std::string question = {};
  std::string answer = {};
  std::string by = {};
  bool is_for_all = false;  // the workflow asked, and not one that works on a step
};

struct RunUsage {
  std::int64_t turns = 0;
  std::int64_t tokens = 0;
  double usd = 0;
};

namespace status {
inline constexpr const char* kRunning = "running";
inline constexpr const char* kDone = "done";
inline constexpr const char* kBlocked = "blocked";
inline constexpr const char* kFailed = "failed";
inline constexpr const char* kCancelled = "cancelled";
}  // namespace status

struct RunState {
  std::string status = status::kRunning;
  std::string reason;
  // How it will end when its teams are gone; empty: not yet.
  std::string ending;
  std::string ending_reason;

  // Boxes of the checklist that is worked on, and how many of them are ticked, when it was read last; -1: not read.
  std::int64_t boxes = -1;
  std::int64_t ticked = 0;
  std::int64_t ticked_by_others = 0;  // more, or fewer, than the engine has ticked since the read before
  std::int64_t ticked_before = 0;     // when the phase began, and what others have done since

  std::vector<std::string> skills;
  std::int64_t told = 0;    // the last request of others that was heard
  std::string start_phase;  // empty: the first
  std::string phase;        // empty: before the first
  std::string stage;        // what people call it, where the workflow says so
  std::string sender;       // the phase that led there
  std::map<std::string, std::int64_t> loops;
  std::map<std::string, std::int64_t> attempts;  // by step, over the whole run
  std::int64_t next_sequence = 1;

  std::map<std::string, RunMember> members;
  std::vector<std::string> teams;
  std::string run_team;                           // that members work in when their phase has none of its own
  std::string phase_team;                         // the team of the phase alone; empty: it works with that of the run
  std::map<std::string, std::string> item_teams;  // by step of the item: the team that was made for it alone
  std::map<std::string, RunTries> tries;          // by step, since the phase was entered

  // By step, over the whole run: how often each rung of the ladder was climbed.
  std::map<std::string, std::map<std::string, std::int64_t>> rungs;

  std::map<std::string, std::string> escalated;  // by step, over the whole run: the last rung and why, "L2|…"
  std::map<std::string, std::int64_t> entered;   // by phase: how often
  std::vector<RunDirective> directives;

  std::map<std::string, RunUsage> usage;          // by scope: "run", "role/builder", "phase/fix"
  std::map<std::string, std::int64_t> worked_ms;  // by scope: how long turns took, one after the other
  Json budget;                                    // of the run, over the workflow's: see event::Adjusted
  std::map<std::string, std::int64_t> raised;     // how often a budget was raised, by scope

  std::map<std::string, std::string> configuration;  // what the user set, see format/configuration.h
  std::string entry;                                 // of the workflow; empty: it has none
  Json args = Json::object();
  Json flags = Json::object();
  Json values = Json::object();
  std::int64_t started_s = 0;                        // since 1970
  std::string temporary;                             // directory for temporary files
  Json foreign;                                      // keys of the file of its state that the workflow does not know
  Json people;                                       // around the run, see people.h; null: nobody was named
  std::map<std::string, RunAnswer> answers;          // by phase, the latest
  std::map<std::string, std::int64_t> answer_order;  // of the latest answers, by phase: among all of the run, from 1
  std::int64_t answered = 0;                         // how many answers there were
  std::vector<command::Note> notes;
  std::vector<command::Warn> warnings;
  std::map<std::string, RunCommand> open;                // effects that were not settled, by id
  RunItems items;                                        // what the phase works on
  std::map<std::string, Json> gathered;                  // answers of the phase's steps
  std::map<std::string, RunItems> earlier;               // what other phases worked on, and what came of it
  std::int64_t questions = 0;                            // of agents, so far
  std::map<std::string, command::PostponedTurn> paused;  // by member: it waits for an answer, or for a budget
  std::map<std::string, command::Reply> replied;         // by member: what was answered to it in its turn

  bool has_ended() const { return status != status::kRunning; }
};

// What a record does to the state. It never fails: records of any shape can be folded.
void apply(RunState& state, const RunEvent& event);
void apply(RunState& state, const RunEvent& cause, const RunCommand& command);
void apply(RunState& state, const RunRecord& record);

// What the run may use at most: what was said in it, over what the workflow says.
Budget budget_of(const Workflow& workflow, const RunState& state);

Json to_json(const RunState& state);
Result<RunState> state_from_json(const Json& json);

// "research" of "research/2".
std::string phase_of(const std::string& step);
// 2 of "research/2"; 0 of steps that are not the work on an item.
std::int64_t number_of_item(const std::string& step);
// 2 of "research/2" and of "research/2/check"; 0 of steps that are about no item.
std::int64_t item_in(const std::string& step);

}  // namespace teamster::workflow
