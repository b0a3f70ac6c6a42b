// Decision: the work of `next` for one event: a state that moves with every command that is
// decided, so that each decision sees those before it. Made for one event and thrown
// away. Split by concern: decision.cc (phases and ways), decision_teams.cc (teams of the run),
// decision_end.cc (loops, the end, reopening),
// decision_steps.cc (starting the steps of a phase), decision_answers.cc (what they answer), decision_items.cc and
// decision_tasks.cc (several items, their teams and tasks), decision_trouble.cc (the ladder), decision_parking.cc (what
// waits for the owner), decision_owner.cc (what the owner says), decision_advice.cc (another task graph),
// decision_asking.cc (questions of agents).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workflow/core/advice.h"
#include "workflow/core/ladder.h"
#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"
#include "workflow/core/step_names.h"
#include "workflow/core/words.h"

namespace teamster::workflow {

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
  void warn_of_strays();
  std::string latest_sender(const Phase& target) const;
  void enter(const Phase* phase, const std::string& sender, std::map<std::string, std::int64_t> loops = {});
  void begin_phase(const Phase& phase);
  void settle(const Phase& phase, const Json& answer, bool is_changed);
  void leave(const Phase& phase, const Json& answer);
  void take(const Phase& phase, const Way& way, const Json& answer);

  // --- teams
  void start();
  bool is_run_team_due(const Phase& before);
  bool is_team_wanted(const Team& wanted, const Moment& at, const std::string& step);
  void warn_of_work_alone(const Team& wanted, const Moment& at, const std::string& step);
  bool goes_on_alone();
  void make_way_for_run_team();
  void make_run_team(bool is_own);
  void team_ready();
  void team_gone();
  std::vector<command::NewMember> members_for_items(const Phase& phase) const;
  void retire_members();
  bool may_retire(const std::string& member) const;

  // --- loops, the end, and after it
  void loop_is_over(const Phase& phase, const Loop& loop, const Json& answer);
  void end_with(const std::string& status, const std::string& reason);
  void end_when_all_are_gone();
  void end_now();
  void reopen(const event::Reopened& reopened);
  void go_on_when_all_are_gone();

  // --- steps
  struct Turn {
    std::string step;
    std::string role;
    std::string member;
    std::string rung = {};           // see commands.h
    std::string template_file = {};  // empty: the phase's
    std::string returns = {};
    Json answers = {};
    bool is_temporary = false;
    std::string why = {};       // the last try failed
    std::string guidance = {};  // a person's words, as they are to be told
    std::string advice = {};    // of the advisor: what it is told instead of a template
    // Who begins which item at the same time; null: nobody else does.
    const std::map<std::int64_t, std::string>* holders = nullptr;
  };
  void begin_agent(const Phase& phase);
  void begin_question(const Phase& phase);
  void begin_check(const Phase& phase);
  void begin_commit(const Phase& phase);
  void say(const Phase& phase, Turn turn);
  Result<std::string> words_for(const Phase& phase, const Turn& turn, bool first) const;
  void add_outputs(const Phase& target, const Turn& turn, command::Turn& said);
  Result<void> check_share(const Turn& turn, const std::string& prompt) const;
  std::string skill_of(const Phase& phase, const Turn& turn) const;
  void add_markers(const Phase& target, command::Turn& turn) const;
  std::optional<command::ShellCommand> shell_command(const Phase& target, const std::string& step,
                                                     const std::string& command, const Json* answer);

  // --- answers
  void step_done();
  void answer_given(const Phase& phase, const std::string& step, const Json& answer);
  const Trouble* trouble_in(const Phase& phase, const Json& answer) const;
  bool has_strayed(const Phase& phase);
  bool set_people(const Phase& phase, const Json& answer);
  bool start_proof(const Phase& phase, const std::string& step, const Json& answer);
  void proved(const Phase& phase, const std::string& step);
  void accepted(const Phase& phase, const std::string& step, const Json& answer, bool is_changed);
  void skipped(const Phase& phase, const std::string& step);

  // --- items
  void begin_items(const Phase& phase);
  void checklist_read(const Phase& target);
  void items_known(const Phase& phase, std::vector<Json> items);
  void begin_work(const Phase& phase, std::int64_t from);
  std::string why_no_items(const Phase& answered, const Json& answer) const;
  void carry_over(const Phase& phase, const std::vector<Json>& findings, std::int64_t from);
  std::vector<Json> findings_for(const Phase& phase, const std::vector<Json>& items) const;
  void go_on_with_items(const Phase& phase);
  void start_free_items(const Phase& phase);
  // The turn with which an item begins, and its member among the busy ones; nothing: it begins otherwise, or not now.
  std::optional<Turn> start_item(const Phase& phase, std::int64_t number, std::set<std::string>& busy);
  std::string role_of_item(const Phase& phase, std::int64_t number) const;
  std::set<std::string> busy_members(const Phase& phase) const;
  std::int64_t members_at_once(const Phase& phase) const;
  void item_passed(const Phase& phase, std::int64_t number, const Json& answer);
  void item_over(const Phase& phase, std::int64_t number, RunItem::Status status, const Json& answer,
                 const std::string& why);
  void items_over(const Phase& phase);
  void group_is_over(const Phase& phase);
  Turn merge_turn(const Phase& phase) const;
  Json item_answers() const;
  void begin_sub_run(const Phase& phase, const std::string& step);

  // --- another task graph
  AdviceScene advice_scene(const Phase& phase) const;
  bool has_been_advised(const Phase& phase) const;
  void restructure(const Phase& phase, const FullLadder& ladder, const std::string& step, const std::string& error);
  void advised(const Phase& phase, const Json& advice);
  void go_on_without_advice(const Phase& phase);
  void withdraw_questions(const Phase& phase, std::int64_t number);

  // --- teams and tasks of items
  bool has_item_teams(const Phase& phase) const;
  bool has_tasks(const Phase& phase) const;
  Result<std::string> team_of_item(const Phase& phase, std::int64_t number) const;
  bool is_item_ready(const Phase& phase, std::int64_t number);
  bool is_item_parked(const std::string& step) const;
  bool end_item_team(const Phase& phase, std::int64_t number);
  bool goes_on_without_list(const Phase& target, const std::string& error);
  void make_tasks(const Phase& phase, std::int64_t from);
  void finish_task(const Phase& phase, std::int64_t number);

  // --- trouble
  void step_failed(const std::string& fault, const std::string& error);
  void turn_failed(const Phase& phase, const std::string& step, const std::string& fault, const std::string& error);
  void wait_is_over(const Phase& phase, const command::Wait& wait);
  void member_lost(const event::MemberLost& lost);
  void warn_of_strays(const std::string& member, const event::Strayed& strayed, const std::string& about);
  void step_due(const event::Due& due);
  void step_unknown();
  void step_decided(const RunCommand& about, const std::string& decision);
  // A turn that was tried before, or could not be.
  struct Tried {
    std::string step;
    std::string role;
    std::string member;
    bool is_temporary = false;
    std::string why = {};
    std::string guidance = {};
  };
  Tried tried_at(const Phase& phase, const std::string& step) const;
  void try_again(const Phase& phase, const Tried& turn, const std::string& rung);
  void wait_for_provider(const Phase& phase, const std::string& step, const FullLadder& ladder,
                         const std::string& error);
  std::int64_t others_at_fresh(const std::string& step) const;
  // Parking: the run waits for its owner, who is told what stands and what can be done.
  struct Stuck {
    std::string step;
    std::string what;                                               // the situation, a sentence or two
    std::vector<std::pair<std::string, std::string>> options = {};  // and what follows from each
    std::optional<command::PostponedTurn> turn = {};
    std::optional<command::DoubtfulEffect> about = {};
  };
  void park(Stuck stuck);
  void park_turn(const Phase& phase, const Tried& turn, const std::string& fault);
  void park_effect(const RunCommand& effect, const std::string& error);

  // --- the owner
  struct Spent {
    std::string scope;
    std::string text;
  };
  std::optional<Spent> spent_budget(const Phase& phase, const std::string& role) const;
  void ask_for_budget(const Phase& phase, const Spent& spent, const Turn& turn);
  void ask_owner(const std::string& step, command::Ask question);
  void owner_decided(const Phase& phase, const std::string& step);
  void stuck_decided(const Phase& phase, const std::string& step, const std::string& choice);
  void begin_again(const Phase& phase, const std::string& step);
  void loop_decided(const Phase& phase, const std::string& choice);
  void budget_is_raised(const Phase& phase, const command::Ask& question);
  void go_on_with_budget(const Phase& phase, const command::Ask& question);
  void adjusted();
  void withdraw(const std::string& step);

  // --- questions of agents
  bool is_for_people(const event::Asked& asked) const;
  void agent_asked(const event::Asked& asked);
  void agent_answered(const Phase* phase);
  bool pause_for_answer(const Phase& phase, const command::Turn& turn);
  bool has_asked(const std::string& member) const;
  void decline(const event::Declined& declined);
  void was_declined();

  // --- what is there
  const Phase* phase(const std::string& id) const;
  const Phase& first_phase() const;
  bool is_within(const Phase& phase) const;
  const Phase* phase_after(const Phase& phase) const;
  const Json* item_of(const std::string& step) const;
  std::string team() const;
  std::string team_for(const Phase& phase, const std::string& step) const;
  Result<std::string> team_name(const Moment& at, const std::string& text) const;
  std::int64_t attempts_of(const std::string& step) const;
  bool is_open(const std::string& step) const;
  std::vector<std::string> roles_of(const Phase& phase) const;
  std::vector<command::NewMember> native_members() const;
  bool is_ending(const std::string& team) const;
  // Parks the step when the text cannot be made.
  std::optional<std::string> text_or_park(const Phase& phase, const std::string& step, const std::string& text,
                                          const Json* answer = nullptr);
  void park_words(const std::string& step, const Error& error);
  Moment moment(const Phase& phase, const Json* item = nullptr, const Json* answer = nullptr) const {
    return {state_, &phase, item, answer};
  }
  Moment moment_of(const Phase& phase, const std::string& step, const Json* answer = nullptr) const;
  const Json& event_answer() const;
  // A command with an effect, as the next attempt of its step.
  void emit(std::string step, CommandBody body);
  // A command that says what became of the run.
  void emit_fact(CommandBody body);

  const Pinned& pinned_;
  std::optional<Workflow> configured_;  // where the user has set something
  const Workflow& workflow_;
  const RunEvent& event_;
  // The effect that the event settles; nullopt: it is not about an open one.
  std::optional<RunCommand> settled_;
  RunState state_;
  std::vector<RunCommand> commands_;
};

}  // namespace teamster::workflow
