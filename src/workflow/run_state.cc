#include "workflow/run_state.h"

#include <algorithm>

#include <fmt/format.h>

namespace teamster::workflow {

// In the namespace of the types, where the JSON library looks for them. Absent fields keep their
// defaults: a snapshot of an older program can be read.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunMember, role, team, has_preamble, temporary);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunAnswer, value, sequence);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunTries, retries, fresh);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunUsage, turns, tokens, usd);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunCommand, kind, step, attempt, body);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunState, status, reason, ending, ending_reason, args, values, skills, people,
                                                told, start_phase, phase, sender, loops, attempts, answers,
                                                next_sequence, notes, members, teams, open, phase_team, items, gathered,
                                                tries, usage, worked_ms, raised);

namespace {

const Json& field(const Json& body, const char* name) {
  static const Json kNothing;
  const auto found = body.find(name);
  return found == body.end() ? kNothing : *found;
}

std::string text(const Json& body, const char* name) {
  const Json& value = field(body, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t integer(const Json& body, const char* name) {
  const Json& value = field(body, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

void take_loops(RunState& state, const Json& body) {
  const Json& loops = field(body, "loops");
  if (!loops.is_object()) return;
  for (const auto& [name, count] : loops.items())
    if (count.is_number_integer()) state.loops[name] = count.get<std::int64_t>();
}

std::vector<Json> list(const Json& value) {
  return value.is_array() ? value.get<std::vector<Json>>() : std::vector<Json>();
}

// A run that goes on where a ledger says it is.
void take_up(RunState& state, const Json& resume) {
  if (!resume.is_object()) return;
  state.start_phase = text(resume, "phase");
  take_loops(state, resume);
  if (const Json& answers = field(resume, "answers"); answers.is_object())
    for (const auto& [phase, answer] : answers.items())
      state.answers[phase] = {field(answer, "value"), integer(answer, "sequence")};
  state.next_sequence = std::max<std::int64_t>(integer(resume, "next_sequence"), 1);
}

void count_usage(RunState& state, const RunEvent& event) {
  const Json& usage = field(event.body, "usage");
  if (!usage.is_object()) return;
  const auto add = [&](const std::string& scope) {
    RunUsage& sum = state.usage[scope];
    ++sum.turns;
    sum.tokens += integer(usage, "input_tokens") + integer(usage, "output_tokens");
    if (const Json& cost = field(usage, "cost_usd"); cost.is_number()) sum.usd += cost.get<double>();
    state.worked_ms[scope] += std::max<std::int64_t>(integer(usage, "duration_ms"), 0);
  };
  add("run");
  add("phase/" + phase_of(event.step));
  if (const auto open = state.open.find(fmt::format("{}.{}", event.step, event.attempt)); open != state.open.end())
    add("role/" + text(open->second.body, "role"));
}

void forget_team(RunState& state, const std::string& team) {
  state.teams.erase(std::remove(state.teams.begin(), state.teams.end(), team), state.teams.end());
  std::erase_if(state.members, [&](const auto& member) { return member.second.team == team; });
  if (state.phase_team == team) state.phase_team.clear();
}

void enter(RunState& state, const RunCommand& command) {
  state.phase = text(command.body, "phase");
  state.sender = text(command.body, "sender");
  take_loops(state, command.body);
  state.items.clear();
  state.gathered.clear();
  state.tries.clear();
}

void settle(RunState& state, const RunEvent& cause, const RunCommand& command) {
  const Json& changed = field(command.body, "answer");
  const std::int64_t sequence = integer(command.body, "sequence");
  state.answers[text(command.body, "phase")] = {changed.is_null() ? field(cause.body, "answer") : changed, sequence};
  if (sequence != 0) state.next_sequence = sequence + 1;
  take_loops(state, command.body);
}

bool is_of_the_end(const RunCommand& command) {
  return command.kind == command::kEnd || command.kind == command::kEndTeam || command.kind == command::kEndSubRun;
}

void open_effect(RunState& state, const RunCommand& command) {
  state.open[command.id()] = command;
  if (!command.step.empty()) state.attempts[command.step] = std::max(state.attempts[command.step], command.attempt);
  if (command.kind == command::kTurn) {
    RunMember& member = state.members[text(command.body, "member")];
    member.role = text(command.body, "role");
    member.team = text(command.body, "team");
    member.temporary = field(command.body, "temporary") == Json(true);
    member.has_preamble = true;
    RunTries& tries = state.tries[command.step];
    if (text(command.body, "rung") == "retry") ++tries.retries;
    if (text(command.body, "rung") == "fresh") ++tries.fresh;
  } else if (command.kind == command::kMakeTeam) {
    const std::string team = text(command.body, "team");
    state.teams.push_back(team);
    // "research/team"; "research/2/team" is of one item.
    if (std::count(command.step.begin(), command.step.end(), '/') == 1) state.phase_team = team;
    for (const auto& member : list(field(command.body, "members")))
      state.members[text(member, "name")] = {text(member, "role"), team, false, false};
  } else if (is_of_the_end(command) && command.body.contains("status")) {
    state.ending = text(command.body, "status");
    state.ending_reason = text(command.body, "reason");
    // What was under way is given up.
    std::erase_if(state.open, [](const auto& open) { return !is_of_the_end(open.second); });
  }
}

// An effect is over: `open` is the one that the event names.
void close_effect(RunState& state, const RunEvent& event, const RunCommand& open) {
  const auto member = state.members.find(text(open.body, "member"));
  if (member != state.members.end() && member->second.temporary) state.members.erase(member);
  // A team that was not made is not ours to end.
  if (open.kind == command::kMakeTeam && event.kind == event::kFailed) forget_team(state, text(open.body, "team"));
  if (event.kind == event::kDone) state.gathered[event.step] = field(event.body, "answer");
  if (event.kind == event::kDecided && text(event.body, "decision") == "skip")
    state.gathered[event.step] = Json::object();
}

// Who is asked from now on. What was due once is marked, so that an engine that takes the run up does not
// raise it again.
void remind(RunState& state, const RunCommand& command) {
  const auto open = state.open.find(text(command.body, "question"));
  if (open == state.open.end()) return;
  const std::string to = text(command.body, "to");
  Json& question = open->second.body;
  question[to.empty() ? "reminded" : "late"] = true;
  if (!to.empty()) question["to"] = to;
}

}  // namespace

std::string phase_of(const std::string& step) { return step.substr(0, step.find('/')); }

void apply(RunState& state, const RunEvent& event) {
  count_usage(state, event);
  state.told = std::max(state.told, integer(event.body, "told"));
  const std::string id = fmt::format("{}.{}", event.step, event.attempt);
  if (event.kind == event::kStarted) {
    state.args = field(event.body, "args");
    state.values = field(event.body, "values");
    state.people = field(event.body, "people");
    for (const auto& skill : list(field(event.body, "skills")))
      if (skill.is_string()) state.skills.push_back(skill.get<std::string>());
    take_up(state, field(event.body, "resume"));
  } else if (event.kind == event::kDone || event.kind == event::kFailed || event.kind == event::kDecided) {
    if (const auto open = state.open.find(id); open != state.open.end()) {
      const RunCommand closed = std::move(open->second);
      state.open.erase(open);
      close_effect(state, event, closed);
    }
  } else if (event.kind == event::kDue && text(event.body, "what") == "retry") {
    state.open.erase(id);
  } else if (event.kind == event::kTeamReady || event.kind == event::kTeamGone) {
    state.open.erase(id);
    if (event.kind == event::kTeamGone) forget_team(state, text(event.body, "team"));
  } else if (event.kind == event::kMemberLost) {
    if (const auto found = state.members.find(text(event.body, "member")); found != state.members.end())
      found->second.has_preamble = false;
  } else if (event.kind == event::kEnded) {
    state.status = text(event.body, "status");
    state.reason = text(event.body, "reason");
    state.open.clear();
  }
}

void apply(RunState& state, const RunEvent& cause, const RunCommand& command) {
  if (command.has_effect()) return open_effect(state, command);
  if (command.kind == command::kEnter) {
    enter(state, command);
  } else if (command.kind == command::kItems) {
    state.items = list(field(command.body, "list"));
  } else if (command.kind == command::kSettle) {
    settle(state, cause, command);
  } else if (command.kind == command::kNote) {
    state.notes.push_back(command.body);
  } else if (command.kind == command::kRaise) {
    ++state.raised[text(command.body, "scope")];
  } else if (command.kind == command::kRemind) {
    remind(state, command);
  }
}

void apply(RunState& state, const RunRecord& record) {
  apply(state, record.event);
  for (const auto& command : record.commands) apply(state, record.event, command);
}

Json to_json(const RunState& state) { return Json(state); }

Result<RunState> state_from_json(const Json& json) {
  try {
    return json.get<RunState>();
  } catch (const Json::exception& error) {
    return fail(Code::invalid, fmt::format("the snapshot of the run cannot be read: {}", error.what()));
  }
}

}  // namespace teamster::workflow
