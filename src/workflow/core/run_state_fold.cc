// What a record does to the state of a run. Never fails: what has the wrong shape is as if it were absent.
#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_fields.h"
#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"

namespace teamster::workflow {
namespace {

std::optional<std::int64_t> as_integer(const Json& value) {
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}
std::int64_t integer(const Json& body, const char* name) { return as_integer(field_in(body, name)).value_or(0); }

// Parts of objects and lists; of anything else none.
template <class Take>
void each_field(const Json& value, Take take) {
  if (!value.is_object()) return;
  for (const auto& [name, each] : value.items()) take(name, each);
}
template <class Take>
void each_item(const Json& value, Take take) {
  if (!value.is_array()) return;
  for (const auto& each : value) take(each);
}

void take_loops(RunState& state, const Json& body) {
  each_field(field_in(body, "loops"), [&](const std::string& name, const Json& count) {
    if (const auto number = as_integer(count)) state.loops[name] = *number;
  });
}

// A run that goes on where a ledger says it is.
void take_up(RunState& state, const Json& resume) {
  if (!resume.is_object()) return;
  state.start_phase = raw_text_in(resume, "phase");
  take_loops(state, resume);
  each_field(field_in(resume, "answers"), [&](const std::string& phase, const Json& answer) {
    state.answers[phase].value = field_in(answer, "value");
    state.answers[phase].sequence = integer(answer, "sequence");
  });
  state.next_sequence = std::max<std::int64_t>(integer(resume, "next_sequence"), 1);
}

void count_usage(RunState& state, const RunEvent& event) {
  const auto& usage = field_in(event.body, "usage");
  if (!usage.is_object()) return;
  const auto add = [&](const std::string& scope) {
    RunUsage& sum = state.usage[scope];
    // A sub-run says how many it took.
    sum.turns += field_in(usage, "turns").is_null() ? 1 : integer(usage, "turns");
    sum.tokens += integer(usage, "input_tokens") + integer(usage, "output_tokens");
    sum.usd += real_in(usage, "cost_usd");
    state.worked_ms[scope] += std::max<std::int64_t>(integer(usage, "duration_ms"), 0);
  };
  add("run");
  add("phase/" + phase_of(event.step));
  const auto open = state.open.find(effect_id(event.step, event.attempt));
  if (open != state.open.end() && open->second.body.contains("role"))
    add("role/" + raw_text_in(open->second.body, "role"));
}

void forget_team(RunState& state, const std::string& team) {
  state.teams.erase(std::remove(state.teams.begin(), state.teams.end(), team), state.teams.end());
  std::erase_if(state.members, [&](const auto& member) { return member.second.team == team; });
  if (state.phase_team == team) state.phase_team.clear();
}

void enter(RunState& state, const RunCommand& command) {
  state.phase = raw_text_in(command.body, "phase");
  state.sender = raw_text_in(command.body, "sender");
  take_loops(state, command.body);
  state.items.clear();
  state.gathered.clear();
  state.tries.clear();
}

void settle(RunState& state, const RunEvent& cause, const RunCommand& command) {
  const auto& changed = field_in(command.body, "answer");
  auto& answer = state.answers[raw_text_in(command.body, "phase")];
  answer.value = changed.is_null() ? field_in(cause.body, "answer") : changed;
  answer.sequence = integer(command.body, "sequence");
  if (answer.sequence != 0) state.next_sequence = answer.sequence + 1;
  take_loops(state, command.body);
}

void take_items(RunState& state, const RunCommand& command) {
  state.items.clear();
  each_item(field_in(command.body, "list"), [&](const Json& item) { state.items.push_back(item); });
}

bool is_of_the_end(std::string_view kind) {
  return kind == command::kEnd || kind == command::kEndTeam || kind == command::kEndSubRun;
}

void open_effect(RunState& state, const RunCommand& command) {
  state.open[command.id()] = command;
  if (!command.step.empty()) {
    std::int64_t& attempts = state.attempts[command.step];
    attempts = std::max(attempts, command.attempt);
  }
  if (command.kind == command::kTurn) {
    RunMember& member = state.members[raw_text_in(command.body, "member")];
    member.role = raw_text_in(command.body, "role");
    member.team = raw_text_in(command.body, "team");
    member.temporary = flag_in(command.body, "temporary");
    member.has_preamble = true;
    RunTries& tries = state.tries[command.step];
    const std::string rung = raw_text_in(command.body, "rung");
    if (rung == "retry") ++tries.retries;
    if (rung == "fresh") ++tries.fresh;
    if (rung == "lost") ++tries.lost;
  } else if (command.kind == command::kMakeTeam) {
    const std::string team = raw_text_in(command.body, "team");
    state.teams.push_back(team);
    // "research/team"; "research/2/team" is of one item.
    if (std::count(command.step.begin(), command.step.end(), '/') == 1) state.phase_team = team;
    each_item(field_in(command.body, "members"), [&](const Json& member) {
      state.members[raw_text_in(member, "name")] = {raw_text_in(member, "role"), team, false, false};
    });
  } else if (is_of_the_end(command.kind) && command.body.contains("status")) {
    state.ending = raw_text_in(command.body, "status");
    state.ending_reason = raw_text_in(command.body, "reason");
    // What was under way is given up.
    std::erase_if(state.open, [](const auto& open) { return !is_of_the_end(open.second.kind); });
  }
}

// An effect is over: `open` is the one that the event names.
void close_effect(RunState& state, const RunEvent& event, const RunCommand& open) {
  if (open.kind == command::kTurn) {
    const auto member = state.members.find(raw_text_in(open.body, "member"));
    if (member != state.members.end() && member->second.temporary) state.members.erase(member);
  }
  // A team that was not made is not ours to end.
  if (open.kind == command::kMakeTeam && event.kind == event::kFailed)
    forget_team(state, raw_text_in(open.body, "team"));
  if (event.kind == event::kDone) state.gathered[event.step] = field_in(event.body, "answer");
  if (event.kind == event::kDecided && raw_text_in(event.body, "decision") == "skip")
    state.gathered[event.step] = Json::object();
}

// Who is asked from now on. What was due once is marked, so that an engine that takes the run up does not
// raise it again.
void remind(RunState& state, const RunCommand& command) {
  const auto open = state.open.find(raw_text_in(command.body, "question"));
  if (open == state.open.end()) return;
  const std::string to = raw_text_in(command.body, "to");
  open->second.body[to.empty() ? "reminded" : "late"] = true;
  if (!to.empty()) open->second.body["to"] = to;
}

void start(RunState& state, const RunEvent& event) {
  state.args = field_in(event.body, "args");
  state.values = field_in(event.body, "values");
  state.people = field_in(event.body, "people");
  each_item(field_in(event.body, "skills"), [&](const Json& skill) {
    if (skill.is_string()) state.skills.push_back(skill);
  });
  take_up(state, field_in(event.body, "resume"));
}

}  // namespace

void apply(RunState& state, const RunEvent& event) {
  count_usage(state, event);
  state.told = std::max(state.told, integer(event.body, "told"));
  if (event.kind == event::kStarted) {
    start(state, event);
  } else if (event.kind == event::kDone || event.kind == event::kFailed || event.kind == event::kDecided ||
             event.kind == event::kUnknown) {
    if (const auto closed = state.open.extract(effect_id(event.step, event.attempt)))
      close_effect(state, event, closed.mapped());
  } else if (event.kind == event::kDue && raw_text_in(event.body, "what") == "retry") {
    state.open.erase(effect_id(event.step, event.attempt));
  } else if (event.kind == event::kTeamReady || event.kind == event::kTeamGone) {
    state.open.erase(effect_id(event.step, event.attempt));
    if (event.kind == event::kTeamGone) forget_team(state, raw_text_in(event.body, "team"));
  } else if (event.kind == event::kMemberLost) {
    if (const auto found = state.members.find(raw_text_in(event.body, "member")); found != state.members.end())
      found->second.has_preamble = false;
    // Of a turn that was under way: it is said anew.
    if (const auto closed = state.open.extract(effect_id(event.step, event.attempt)))
      close_effect(state, event, closed.mapped());
  } else if (event.kind == event::kEnded) {
    state.status = raw_text_in(event.body, "status");
    state.reason = raw_text_in(event.body, "reason");
    state.open.clear();
  }
}

void apply(RunState& state, const RunEvent& cause, const RunCommand& command) {
  if (command.kind == command::kEnter) {
    enter(state, command);
  } else if (command.kind == command::kItems) {
    take_items(state, command);
  } else if (command.kind == command::kSettle) {
    settle(state, cause, command);
  } else if (command.kind == command::kNote) {
    state.notes.push_back(command.body);
  } else if (command.kind == command::kRaise) {
    ++state.raised[raw_text_in(command.body, "scope")];
  } else if (command.kind == command::kRemind) {
    remind(state, command);
  } else {
    open_effect(state, command);  // all others have one
  }
}

void apply(RunState& state, const RunRecord& record) {
  apply(state, record.event);
  for (const auto& command : record.commands) apply(state, record.event, command);
}

}  // namespace teamster::workflow
