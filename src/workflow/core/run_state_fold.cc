// What a record does to the state of a run.
#include <algorithm>

#include "workflow/core/run_notes.h"
#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"
#include "workflow/core/step_names.h"

namespace teamster::workflow {
namespace {

// Rungs that are no turns of a member.
constexpr const char* kRestructured = "restructure";
constexpr const char* kAsked = "ask";

void take_loops(RunState& state, const std::map<std::string, std::int64_t>& loops) {
  for (const auto& [name, count] : loops) state.loops[name] = count;
}

// A run that goes on where a ledger says it is.
void take_up(RunState& state, const event::Resumption& resume) {
  state.start_phase = resume.phase;
  take_loops(state, resume.loops);
  for (const auto& [phase, answer] : resume.answers) state.answers[phase] = {answer.value, answer.sequence};
  state.next_sequence = std::max<std::int64_t>(resume.next_sequence, 1);
  state.foreign = resume.foreign;
}

void count_usage(RunState& state, const RunEvent& event) {
  const auto usage = usage_of(event.body);
  if (!usage) return;
  const auto add = [&](const std::string& scope) {
    RunUsage& sum = state.usage[scope];
    sum.turns += usage->turns.value_or(1);
    sum.tokens += usage->input_tokens + usage->output_tokens;
    sum.usd += usage->cost_usd.value_or(0);
    state.worked_ms[scope] += std::max<std::int64_t>(usage->duration_ms.value_or(0), 0);
  };
  add("run");
  add("phase/" + phase_of(event.step));
  const auto open = state.open.find(effect_id(event.step, event.attempt));
  if (open == state.open.end()) return;
  if (const auto* turn = open->second.as<command::Turn>()) add("role/" + turn->role);
}

void forget_team(RunState& state, const std::string& team) {
  state.teams.erase(std::remove(state.teams.begin(), state.teams.end(), team), state.teams.end());
  std::erase_if(state.members, [&](const auto& member) { return member.second.team == team; });
  std::erase_if(state.item_teams, [&](const auto& made) { return made.second == team; });
  if (state.phase_team == team) state.phase_team.clear();
  if (state.run_team == team) state.run_team.clear();
}

bool is_of_the_end(const RunCommand& command) {
  return command.is<command::End>() || command.is<command::EndTeam>() || command.is<command::EndSubRun>();
}

// The run is ending: what was under way is given up.
void end_with(RunState& state, const std::string& status, const std::string& reason) {
  state.ending = status;
  state.ending_reason = reason;
  std::erase_if(state.open, [](const auto& open) { return !is_of_the_end(open.second); });
}

// What an effect that is begun does to the state, beside being open. Most do nothing.
struct Opening {
  RunState& state;
  const std::string& step;

  void operator()(const command::Turn& turn) const {
    RunMember& member = state.members[turn.member];
    member.role = turn.role;
    member.team = turn.team;
    member.temporary = turn.temporary;
    member.has_preamble = true;
    member.missed.clear();
    member.conversation = turn.conversation;
    RunTries& tries = state.tries[step];
    if (turn.rung == rung::kRetry || turn.rung == rung::kMend || turn.rung == rung::kFresh)
      ++state.rungs[step][turn.rung];
    if (turn.rung == rung::kRetry) note_rung(state, step, "L0", turn.why);
    if (turn.rung == rung::kMend) note_rung(state, step, "L1", turn.why);
    if (turn.rung == rung::kFresh) note_rung(state, step, "L2", turn.why);
    if (step.ends_with(kAdvice) && turn.rung.empty()) {
      ++state.rungs[without(step, kAdvice)][kRestructured];
      note_rung(state, without(step, kAdvice), "L3", "several members were in trouble at once");
    }
    if (turn.rung == rung::kRetry) ++tries.retries;
    if (turn.rung == rung::kMend) ++tries.mends;
    if (turn.rung == rung::kFresh) ++tries.fresh;
    if (turn.rung == rung::kLost) ++tries.lost;
    tries.role = turn.role;
    tries.member = turn.member;
    tries.temporary = turn.temporary;
    if (!turn.why.empty()) tries.why = turn.why;
    state.paused.erase(turn.member);
    state.replied.erase(turn.member);
    if (const std::int64_t number = number_of_item(step); number != 0) state.items.begin(number);
  }
  void operator()(const command::MakeTeam& made) const {
    state.teams.push_back(made.team);
    if (step == kRunTeam) state.run_team = made.team;
    // "research/team"; "research/2/team" is of one item.
    if (std::count(step.begin(), step.end(), '/') == 1) state.phase_team = made.team;
    if (item_in(step) != 0) state.item_teams[without(step, kTeam)] = made.team;
    // A native one is in every team, and has no conversation.
    for (const auto& member : made.members)
      if (!member.native) state.members[member.name] = {member.role, made.team, false, false};
  }
  void operator()(const command::Ask&) const {
    if (step.ends_with(kStuck)) {
      const std::string about = without(step, kStuck);
      ++state.rungs[about][kAsked];
      const auto tried = state.tries.find(about);
      note_rung(state, about, "L4", tried == state.tries.end() ? "" : tried->second.why);
    }
    if (step.ends_with(kWeather)) state.tries[without(step, kWeather)].owner_knows = true;
  }
  void operator()(const command::Reply& reply) const { state.replied[reply.member] = reply; }
  void operator()(const command::Retire& retired) const { state.members.erase(retired.member); }
  void operator()(const command::SubRun&) const {
    if (const std::int64_t number = number_of_item(step); number != 0) state.items.begin(number);
  }
  void operator()(const command::Wait& wait) const {
    RunTries& tries = state.tries[step];
    ++tries.waits;
    tries.waited_ms += wait.ms;
  }
  void operator()(const command::End& end) const { end_with(state, end.status, end.reason); }
  void operator()(const command::EndTeam& end) const {
    if (end.status) end_with(state, *end.status, end.reason.value_or(""));
  }
  void operator()(const command::EndSubRun& end) const {
    if (end.status) end_with(state, *end.status, end.reason.value_or(""));
  }
  template <class Other>
  void operator()(const Other&) const {}
};

void open_effect(RunState& state, const RunCommand& command) {
  state.open[command.id()] = command;
  if (!command.step.empty()) {
    std::int64_t& attempts = state.attempts[command.step];
    attempts = std::max(attempts, command.attempt);
  }
  std::visit(Opening{state, command.step}, command.body);
}

// What the checklist looks like now. Only the engine ticks: one for each item that has passed.
void note_checklist(RunState& state, const Json& read) {
  const auto number = [&](const char* field) {
    return read.is_object() && read.contains(field) && read[field].is_number_integer() ? read[field].get<std::int64_t>()
                                                                                       : -1;
  };
  if (number("boxes") < 0 || number("ticked") < 0) return;
  std::int64_t passed = 0;
  for (const auto& item : state.items.list()) passed += item.status == RunItem::Status::passed ? 1 : 0;
  state.boxes = number("boxes");
  state.ticked = number("ticked");
  if (state.items.empty()) state.ticked_before = state.ticked;
  state.ticked_by_others = state.ticked - state.ticked_before - passed;
  state.ticked_before += state.ticked_by_others;
}

// An effect is over: `open` is the one that the event names.
void close_effect(RunState& state, const RunEvent& event, const RunCommand& open) {
  if (const auto* turn = open.as<command::Turn>()) {
    const auto member = state.members.find(turn->member);
    if (member != state.members.end() && member->second.temporary) state.members.erase(member);
  }
  // A team that was not made is not ours to end.
  if (const auto* made = open.as<command::MakeTeam>(); made != nullptr && event.is<event::Failed>())
    forget_team(state, made->team);
  const auto* done = event.as<event::Done>();
  if (const auto* asked = open.as<command::Ask>(); asked != nullptr && done != nullptr)
    note_directive(state, event.step, *asked, done->answer);
  if (const auto* made = open.as<command::MakeTasks>(); made != nullptr && done != nullptr) {
    for (std::size_t i = 0; done->answer.is_array() && i < done->answer.size(); ++i)
      if (done->answer[i].is_string())
        state.items.set_task(made->from + static_cast<std::int64_t>(i), done->answer[i].get<std::string>());
    return;
  }
  if (open.is<command::ReadItems>() && done != nullptr) return note_checklist(state, done->answer);
  if (const auto* failed = event.as<event::Failed>(); failed != nullptr && open.is<command::Turn>())
    state.tries[event.step].why = failed->error;
  // What is done for an item beside its answer is nothing to gather: there may be thousands.
  if (open.is<command::FinishTask>() || open.is<command::Tick>() || open.is<command::Reply>()) return;
  if (open.is<command::Retire>()) return;
  if (done != nullptr) state.gathered[event.step] = done->answer;
  if (const auto* decided = event.as<event::Decided>(); decided != nullptr && decided->decision == verdict::kSkip)
    state.gathered[event.step] = Json::object();
}

// What a command without an effect says of the run. All others open one.
struct Fact {
  RunState& state;
  const RunEvent& cause;

  bool operator()(const command::Enter& entered) const {
    if (!state.items.empty()) state.earlier[state.phase] = std::move(state.items);
    state.phase = entered.phase;
    state.stage = entered.stage;
    state.sender = entered.sender;
    ++state.entered[entered.phase];
    take_loops(state, entered.loops);
    state.paused.clear();
    state.items.clear();
    state.gathered.clear();
    state.tries.clear();
    return true;
  }
  bool operator()(const command::Items& items) const {
    if (!items.append) state.items.clear();
    for (std::size_t i = 0; i < items.list.size(); ++i)
      state.items.add(items.list[i], i < items.findings.size() ? items.findings[i] : Json(), items.group && i == 0);
    return true;
  }
  bool operator()(const command::ItemDone& item) const {
    const auto status = item.status == "passed"   ? RunItem::Status::passed
                        : item.status == "failed" ? RunItem::Status::failed
                                                  : RunItem::Status::replaced;
    state.items.end(item.number, status, item.answer, item.why);
    const std::string step = item_step(state.phase, item.number);
    state.gathered.erase(step);
    state.gathered.erase(step_of(step, kProof));
    state.tries.erase(step);
    return true;
  }
  bool operator()(const command::Pause& pause) const {
    state.paused[pause.turn.member] = pause.turn;
    return true;
  }
  bool operator()(const command::Withdraw& withdrawn) const {
    state.open.erase(withdrawn.of);
    return true;
  }
  bool operator()(const command::Reopen& reopen) const {
    state.status = status::kRunning;
    state.reason.clear();
    state.ending.clear();
    state.ending_reason.clear();
    std::erase_if(state.open, [](const auto& open) { return !open.second.template is<command::EndTeam>(); });
    for (const auto& phase : reopen.dropped) {
      state.answers.erase(phase);
      state.earlier.erase(phase);
      std::erase_if(state.notes, [&](const auto& note) { return note.phase == phase; });
    }
    if (reopen.keeps_items) state.earlier[state.phase] = std::move(state.items);
    take_loops(state, reopen.loops);
    state.start_phase = reopen.phase;
    state.phase.clear();
    state.stage.clear();
    state.sender = reopen.sender;
    state.items.clear();
    state.gathered.clear();
    state.tries.clear();
    state.paused.clear();
    return true;
  }
  bool operator()(const command::Settle& settled) const {
    const auto* done = cause.as<event::Done>();
    const bool is_changed = settled.answer && !settled.answer->is_null();
    RunAnswer& answer = state.answers[settled.phase];
    answer.value = is_changed ? *settled.answer : done == nullptr ? Json() : done->answer;
    answer.sequence = settled.sequence;
    state.answer_order[settled.phase] = ++state.answered;
    if (answer.sequence != 0) state.next_sequence = answer.sequence + 1;
    take_loops(state, settled.loops);
    for (const auto& step : {settled.phase, step_of(settled.phase, kMerge)}) note_missed(settled.phase, step);
    return true;
  }
  bool operator()(const command::Note& note) const {
    state.notes.push_back(note);
    return true;
  }
  bool operator()(const command::Warn& warning) const {
    state.warnings.push_back(warning);
    return true;
  }
  bool operator()(const command::SetPeople& set) const {
    state.people = set.people;
    return true;
  }
  bool operator()(const command::Raise& raise) const {
    ++state.raised[raise.scope];
    return true;
  }
  // Who is asked, too, from now on. What was due once is marked, so that an engine that takes the run up does not
  // raise it again.
  bool operator()(const command::Remind& remind) const {
    const auto open = state.open.find(remind.question);
    if (open == state.open.end()) return true;
    auto* question = open->second.as<command::Ask>();
    if (question == nullptr) return true;
    (remind.to.empty() ? question->reminded : question->late) = true;
    // Who was asked first may still answer.
    if (!remind.to.empty()) question->also = remind.to;
    return true;
  }
  template <class Effect>
  bool operator()(const Effect&) const {
    return false;
  }

  // Whose work it would have been learns of it when its turn comes.
  void note_missed(const std::string& phase, const std::string& step) const {
    const auto tried = state.tries.find(step);
    if (tried == state.tries.end() || !tried->second.temporary) return;
    const auto own = state.members.find(tried->second.role);
    if (own == state.members.end()) return;
    auto& missed = own->second.missed;
    if (std::find(missed.begin(), missed.end(), phase) == missed.end()) missed.push_back(phase);
  }
};

// What an event does to the state, beside its usage and who told it.
struct Happening {
  RunState& state;
  const RunEvent& event;

  std::string id() const { return effect_id(event.step, event.attempt); }
  void close() const {
    if (const auto closed = state.open.extract(id())) close_effect(state, event, closed.mapped());
  }

  void operator()(const event::Started& started) const {
    state.configuration = started.configuration;
    state.entry = started.entry;
    state.args = started.args;
    state.flags = started.flags;
    state.values = started.values;
    state.people = started.people;
    state.started_s = started.at_s;
    state.temporary = started.temporary;
    if (started.skills) state.skills.insert(state.skills.end(), started.skills->begin(), started.skills->end());
    if (started.resume) take_up(state, *started.resume);
  }
  void operator()(const event::Done&) const { close(); }
  void operator()(const event::Failed&) const { close(); }
  void operator()(const event::OutcomeUnknown&) const { close(); }
  void operator()(const event::Decided&) const { close(); }
  void operator()(const event::Due& due) const {
    if (due.what == due::kRetry) state.open.erase(id());
  }
  void operator()(const event::TeamReady&) const { state.open.erase(id()); }
  void operator()(const event::TeamGone& gone) const {
    state.open.erase(id());
    forget_team(state, gone.team);
  }
  void operator()(const event::MemberLost& lost) const {
    if (const auto found = state.members.find(lost.member); found != state.members.end())
      found->second.has_preamble = false;
    close();  // a turn that was under way is said anew
  }
  void operator()(const event::MemberStrayed&) const {}
  void operator()(const event::CancelAsked&) const {}
  void operator()(const event::Declined&) const {}
  void operator()(const event::Asked&) const { ++state.questions; }
  void operator()(const event::Reopened&) const {}
  void operator()(const event::Adjusted& adjusted) const {
    for (const auto& [name, value] : adjusted.configuration) state.configuration[name] = value;
    if (adjusted.values.is_object() && state.values.is_object()) state.values.update(adjusted.values);
    if (!adjusted.budget.is_object()) return;
    if (!state.budget.is_object()) state.budget = Json::object();
    state.budget.update(adjusted.budget);
    state.raised.erase("run");  // it is said anew, not once more
  }
  void operator()(const event::Ended& ended) const {
    state.status = ended.status;
    state.reason = ended.reason;
    state.open.clear();
  }
  void operator()(const event::Unknown&) const {}
};

}  // namespace

void apply(RunState& state, const RunEvent& event) {
  count_usage(state, event);
  state.told = std::max(state.told, told_of(event.body));
  std::visit(Happening{state, event}, event.body);
}

void apply(RunState& state, const RunEvent& cause, const RunCommand& command) {
  if (!std::visit(Fact{state, cause}, command.body)) open_effect(state, command);
}

void apply(RunState& state, const RunRecord& record) {
  apply(state, record.event);
  for (const auto& command : record.commands) apply(state, record.event, command);
}

}  // namespace teamster::workflow
