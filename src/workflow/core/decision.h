// Decision: the work of `next` for one event: a state that moves with every command that is
// decided, so that each decision sees those before it. Made for one event and thrown
// away. Split by concern over decision.cc (phases and ways), decision_steps.cc (starting and
// finishing the steps of a phase), decision_items.cc (several items, their teams and sub-runs) and
// decision_trouble.cc (what to do when one fails).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"
#include "workflow/core/words.h"

namespace teamster::workflow {

// Ends of the names of steps that belong to a phase as a whole: "research/merge".
inline constexpr const char* kMerge = "/merge";
inline constexpr const char* kItemList = "/items";
inline constexpr const char* kTasks = "/tasks";
// And of the question whether a step was done: "announce/unknown".
inline constexpr const char* kUnknownEnd = "/unknown";

// What the owner can answer when a loop or a budget is over.
inline constexpr const char* kAgain = "again";
inline constexpr const char* kAccept = "accept";
inline constexpr const char* kRaiseIt = "raise";
inline constexpr const char* kStop = "stop";

// The value of a key, or what a new one would be. Looking does not change the map.
template <class Map>
typename Map::mapped_type entry_of(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type{} : found->second;
}

class Decision {
 public:
  Decision(const Pinned& pinned, RunState state, const RunEvent& event);

  void decide();
  std::vector<RunCommand> take_commands() { return std::move(commands_); }
  // The state after the event and its commands.
  RunState take_state() { return std::move(state_); }

 private:
  // --- phases and ways
  void start();
  void team_ready();
  void team_gone();
  std::string latest_sender(const Phase& target) const;
  void enter(const Phase* phase, const std::string& sender, std::map<std::string, std::int64_t> loops = {});
  void begin_phase(const Phase& phase);
  void settle(const Phase& phase, const Json& answer, bool is_changed);
  void leave(const Phase& phase, const Json& answer);
  void take(const Phase& phase, const Way& way, const Json& answer);
  void loop_is_over(const Phase& phase, const Loop& loop, const Json& answer);
  void end_with(const std::string& status, const std::string& reason);
  void end_when_all_are_gone();
  void end_now();

  // --- steps
  void step_done();
  void begin_agent(const Phase& phase);
  void begin_items(const Phase& phase);
  void items_known(const Phase& phase, std::vector<Json> items);
  void go_on_with_items(const Phase& phase);
  void start_free_items(const Phase& phase);
  void start_item(const Phase& phase, std::int64_t number, std::set<std::string>& busy);
  std::set<std::string> busy_members(const Phase& phase) const;
  bool has_item_teams(const Phase& phase) const;
  Result<std::string> team_of_item(const Phase& phase, const std::string& step) const;
  bool is_item_ready(const Phase& phase, const std::string& step);
  bool end_item_team(const Phase& phase);
  void item_team_gone(const Phase& phase);
  bool make_tasks(const Phase& phase);
  void begin_question(const Phase& phase);
  void begin_check(const Phase& phase);
  void begin_commit(const Phase& phase);
  void begin_sub_runs(const Phase& phase);
  void add_markers(const Phase& target, command::Turn& turn) const;
  std::optional<command::ShellCommand> shell_command(const Phase& target, const std::string& command,
                                                     const Json* answer);
  bool start_proof(const Phase& phase, const Json& answer);
  void proved(const Phase& phase);
  void answered(const Phase& phase, const Json& answer, bool is_changed);
  void item_done(const Phase& phase);
  void items_done(const Phase& phase);
  void skipped(const Phase& phase, const std::string& step);
  void pool_turn_done(const Phase& phase);

  struct Turn {
    std::string step;
    std::string role;
    std::string member;
    std::string rung = {};           // see commands.h
    std::string template_file = {};  // empty: the phase's
    std::string returns = {};
    Json answers = {};
    bool is_temporary = false;
  };
  Turn merge_turn(const Phase& phase, const Json& answers) const;
  void say(const Phase& phase, Turn turn);
  struct Spent {
    std::string scope;
    std::string text;
  };
  std::optional<Spent> spent_budget(const Phase& phase, const std::string& role) const;
  void ask_for_budget(const Phase& phase, const Spent& spent, const Turn& turn);

  // --- trouble
  void step_failed(const std::string& fault, const std::string& error);
  void member_lost(const event::MemberLost& lost);
  void step_due(const event::Due& due);
  void step_unknown();
  void step_decided(const RunCommand& about, const std::string& decision);
  // A turn that was tried before, or could not be.
  struct Tried {
    std::string step;
    std::string role;
    std::string member;
    bool is_temporary = false;
  };
  void try_again(const Phase& phase, const Tried& turn, const std::string& rung);
  void wait_and_retry(const command::Turn& turn, const std::string& error, std::int64_t retries);
  void ask_owner(const std::string& step, command::Ask question);
  void owner_decided(const Phase& phase, const std::string& about);
  void budget_is_raised(const Phase& phase, const command::Ask& question);

  // --- what is there
  const Phase* phase(const std::string& id) const;
  const Phase* phase_after(const Phase& phase) const;
  const Json* item_of(const std::string& step) const;
  std::optional<Json> item_answers(const Phase& phase) const;
  std::string team() const;
  std::string team_for(const Phase& phase, const std::string& step) const;
  std::int64_t attempts_of(const std::string& step) const;
  bool is_open(const std::string& step) const;
  std::vector<std::string> roles_of(const Phase& phase) const;
  std::optional<std::string> text_or_block(const Phase& phase, const std::string& text, const Json* answer = nullptr);
  Moment moment(const Phase& phase, const Json* item = nullptr, const Json* answer = nullptr) const {
    return {state_, &phase, item, answer};
  }
  const Json& event_answer() const;
  // A command with an effect, as the next attempt of its step.
  void emit(std::string step, CommandBody body);
  // A command that says what became of the run.
  void emit_fact(CommandBody body);

  const Pinned& pinned_;
  const Workflow& workflow_;
  const RunEvent& event_;
  // The effect that the event settles; nullopt: it is not about an open one.
  std::optional<RunCommand> settled_;
  RunState state_;
  std::vector<RunCommand> commands_;
};

}  // namespace teamster::workflow
