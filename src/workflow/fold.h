// The fold itself: what a record does to the state of a run. Written once for the two forms in which
// JSON is kept, trees (RunState) and text (TextState); the overloads at the beginning are all
// that tells them apart. Included by the two that instantiate it and by nobody else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_view.h"
#include "workflow/run_record.h"
#include "workflow/run_state.h"
#include "workflow/text_record.h"
#include "workflow/text_state.h"

namespace teamster::workflow::fold {

// Fields. Absent ones are null.
inline const Json& field(const Json& body, std::string_view name) {
  static const Json kNothing;
  const auto found = body.find(name);
  return found == body.end() ? kNothing : *found;
}
inline JsonView field(JsonView body, std::string_view name) { return body.field(name); }
inline JsonView field(const std::string& body, std::string_view name) { return JsonView(body).field(name); }
template <std::size_t N>
JsonView field(const TextBody& body, const char (&name)[N]) {
  for (std::size_t i = body.first; i < body.last; ++i)
    if (is_word((*body.fields)[i].name, name)) return (*body.fields)[i].value;
  return {};
}

inline bool has_field(const Json& body, const char* name) { return body.contains(name); }
template <std::size_t N>
bool has_field(const TextBody& body, const char (&name)[N]) {
  return !field(body, name).text().empty();
}

// Values. Those of another type are as if they were absent.
inline bool is_object(const Json& value) { return value.is_object(); }
inline bool is_object(JsonView value) { return value.is_object(); }
inline bool is_text(const Json& value) { return value.is_string(); }
inline bool is_text(JsonView value) { return value.is_text(); }
inline bool is_true(const Json& value) { return value.is_boolean() && value.get<bool>(); }
inline bool is_true(JsonView value) { return value.is_true(); }
inline std::string as_text(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }
inline std::string as_text(JsonView value) { return value.string().value_or(""); }
inline std::optional<std::int64_t> as_integer(const Json& value) {
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}
inline std::optional<std::int64_t> as_integer(JsonView value) { return value.integer(); }
inline double as_number(const Json& value) { return value.is_number() ? value.get<double>() : 0; }
inline double as_number(JsonView value) { return value.number().value_or(0); }

template <class Body, std::size_t N>
std::string text(const Body& body, const char (&name)[N]) {
  return as_text(field(body, name));
}
template <class Body, std::size_t N>
std::int64_t integer(const Body& body, const char (&name)[N]) {
  return as_integer(field(body, name)).value_or(0);
}

// Parts of objects and lists; of anything else none.
template <class Take>
void each_field(const Json& value, Take take) {
  if (!value.is_object()) return;
  for (const auto& [name, each] : value.items()) take(name, each);
}
template <class Take>
void each_field(JsonView value, Take take) {
  JsonCursor cursor(value.text());
  if (!cursor.enter_object()) return;
  for (std::string_view name; cursor.next_field(name);) take(std::string(name), cursor.skip());
}
template <class Take>
void each_item(const Json& value, Take take) {
  if (!value.is_array()) return;
  for (const auto& each : value) take(each);
}
template <class Take>
void each_item(JsonView value, Take take) {
  JsonCursor cursor(value.text());
  if (!cursor.enter_list()) return;
  while (cursor.next_item()) take(cursor.skip());
}

// What stays in the state.
inline void keep(Json& kept, const Json& value) { kept = value; }
inline void keep(std::string& kept, JsonView value) { kept.assign(value.text()); }
inline void keep(RunCommand& kept, const RunCommand& command) { kept = command; }
inline void keep(OpenText& kept, const TextCommand& command) {
  kept.kind = command.kind;
  kept.step = command.step;
  kept.attempt = command.attempt;
  kept.body.assign(command.body.text);
  kept.since = command.at;
}
inline void keep_body(Json& kept, const Json& body) { kept = body; }
inline void keep_body(std::string& kept, const TextBody& body) { kept.assign(body.text); }
inline void keep_nothing(Json& kept) { kept = Json::object(); }
inline void keep_nothing(std::string& kept) { kept = "{}"; }
inline void set(Json& kept, const char* name, Json value) { kept[name] = std::move(value); }
inline void set(std::string& kept, const char* name, Json value) {
  Json tree = parse_json(kept, {.max_depth = 2 * limits::kJsonMaxDepth}).value_or(Json::object());
  tree[name] = std::move(value);
  kept = dump_json(tree);
}

template <class State, class Body>
void take_loops(State& state, const Body& body) {
  each_field(field(body, "loops"), [&](const std::string& name, const auto& count) {
    if (const auto number = as_integer(count)) state.loops[name] = *number;
  });
}

// A run that goes on where a ledger says it is.
template <class State, class Value>
void take_up(State& state, const Value& resume) {
  if (!is_object(resume)) return;
  state.start_phase = text(resume, "phase");
  take_loops(state, resume);
  each_field(field(resume, "answers"), [&](const std::string& phase, const auto& answer) {
    keep(state.answers[phase].value, field(answer, "value"));
    state.answers[phase].sequence = integer(answer, "sequence");
  });
  state.next_sequence = std::max<std::int64_t>(integer(resume, "next_sequence"), 1);
}

template <class State, class Event>
void count_usage(State& state, const Event& event) {
  const auto& usage = field(event.body, "usage");
  if (!is_object(usage)) return;
  const auto add = [&](const std::string& scope) {
    RunUsage& sum = state.usage[scope];
    ++sum.turns;
    sum.tokens += integer(usage, "input_tokens") + integer(usage, "output_tokens");
    sum.usd += as_number(field(usage, "cost_usd"));
    state.worked_ms[scope] += std::max<std::int64_t>(integer(usage, "duration_ms"), 0);
  };
  add("run");
  add("phase/" + phase_of(event.step));
  if (const auto open = state.open.find(effect_id(event.step, event.attempt)); open != state.open.end())
    add("role/" + text(open->second.body, "role"));
}

inline void forget_team(RunFacts& state, const std::string& team) {
  state.teams.erase(std::remove(state.teams.begin(), state.teams.end(), team), state.teams.end());
  std::erase_if(state.members, [&](const auto& member) { return member.second.team == team; });
  if (state.phase_team == team) state.phase_team.clear();
}

template <class State, class Command>
void enter(State& state, const Command& command) {
  state.phase = text(command.body, "phase");
  state.sender = text(command.body, "sender");
  take_loops(state, command.body);
  state.items.clear();
  state.gathered.clear();
  state.tries.clear();
}

template <class State, class Event, class Command>
void settle(State& state, const Event& cause, const Command& command) {
  const auto& changed = field(command.body, "answer");
  auto& answer = state.answers[text(command.body, "phase")];
  keep(answer.value, changed.is_null() ? field(cause.body, "answer") : changed);
  answer.sequence = integer(command.body, "sequence");
  if (answer.sequence != 0) state.next_sequence = answer.sequence + 1;
  take_loops(state, command.body);
}

template <class State, class Command>
void take_items(State& state, const Command& command) {
  state.items.clear();
  each_item(field(command.body, "list"), [&](const auto& item) { keep(state.items.emplace_back(), item); });
}

inline bool is_of_the_end(std::string_view kind) {
  return kind == command::kEnd || kind == command::kEndTeam || kind == command::kEndSubRun;
}

template <class State, class Command>
void open_effect(State& state, const Command& command) {
  keep(state.open[command.id()], command);
  if (!command.step.empty()) {
    std::int64_t& attempts = state.attempts[command.step];
    attempts = std::max(attempts, command.attempt);
  }
  if (command.kind == command::kTurn) {
    RunMember& member = state.members[text(command.body, "member")];
    member.role = text(command.body, "role");
    member.team = text(command.body, "team");
    member.temporary = is_true(field(command.body, "temporary"));
    member.has_preamble = true;
    RunTries& tries = state.tries[command.step];
    const std::string rung = text(command.body, "rung");
    if (rung == "retry") ++tries.retries;
    if (rung == "fresh") ++tries.fresh;
  } else if (command.kind == command::kMakeTeam) {
    const std::string team = text(command.body, "team");
    state.teams.push_back(team);
    // "research/team"; "research/2/team" is of one item.
    if (std::count(command.step.begin(), command.step.end(), '/') == 1) state.phase_team = team;
    each_item(field(command.body, "members"), [&](const auto& member) {
      state.members[text(member, "name")] = {text(member, "role"), team, false, false};
    });
  } else if (is_of_the_end(command.kind) && has_field(command.body, "status")) {
    state.ending = text(command.body, "status");
    state.ending_reason = text(command.body, "reason");
    // What was under way is given up.
    std::erase_if(state.open, [](const auto& open) { return !is_of_the_end(open.second.kind); });
  }
}

// An effect is over: `open` is the one that the event names.
template <class State, class Event, class Open>
void close_effect(State& state, const Event& event, const Open& open) {
  if (open.kind == command::kTurn) {
    const auto member = state.members.find(text(open.body, "member"));
    if (member != state.members.end() && member->second.temporary) state.members.erase(member);
  }
  // A team that was not made is not ours to end.
  if (open.kind == command::kMakeTeam && event.kind == event::kFailed) forget_team(state, text(open.body, "team"));
  if (event.kind == event::kDone) keep(state.gathered[event.step], field(event.body, "answer"));
  if (event.kind == event::kDecided && text(event.body, "decision") == "skip") keep_nothing(state.gathered[event.step]);
}

// Who is asked from now on. What was due once is marked, so that an engine that takes the run up does not
// raise it again.
template <class State, class Command>
void remind(State& state, const Command& command) {
  const auto open = state.open.find(text(command.body, "question"));
  if (open == state.open.end()) return;
  const std::string to = text(command.body, "to");
  set(open->second.body, to.empty() ? "reminded" : "late", true);
  if (!to.empty()) set(open->second.body, "to", to);
}

template <class State, class Event>
void start(State& state, const Event& event) {
  keep(state.args, field(event.body, "args"));
  keep(state.values, field(event.body, "values"));
  keep(state.people, field(event.body, "people"));
  each_item(field(event.body, "skills"), [&](const auto& skill) {
    if (is_text(skill)) state.skills.push_back(as_text(skill));
  });
  take_up(state, field(event.body, "resume"));
}

template <class State, class Event>
void apply_event(State& state, const Event& event) {
  count_usage(state, event);
  state.told = std::max(state.told, integer(event.body, "told"));
  if (event.kind == event::kStarted) {
    start(state, event);
  } else if (event.kind == event::kDone || event.kind == event::kFailed || event.kind == event::kDecided) {
    if (const auto closed = state.open.extract(effect_id(event.step, event.attempt)))
      close_effect(state, event, closed.mapped());
  } else if (event.kind == event::kDue && text(event.body, "what") == "retry") {
    state.open.erase(effect_id(event.step, event.attempt));
  } else if (event.kind == event::kTeamReady || event.kind == event::kTeamGone) {
    state.open.erase(effect_id(event.step, event.attempt));
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

template <class State, class Event, class Command>
void apply_command(State& state, const Event& cause, const Command& command) {
  if (command.kind == command::kEnter) {
    enter(state, command);
  } else if (command.kind == command::kItems) {
    take_items(state, command);
  } else if (command.kind == command::kSettle) {
    settle(state, cause, command);
  } else if (command.kind == command::kNote) {
    keep_body(state.notes.emplace_back(), command.body);
  } else if (command.kind == command::kRaise) {
    ++state.raised[text(command.body, "scope")];
  } else if (command.kind == command::kRemind) {
    remind(state, command);
  } else {
    open_effect(state, command);  // all others have one
  }
}

template <class State, class Record>
void apply_record(State& state, const Record& record) {
  apply_event(state, record.event);
  for (const auto& command : record.commands) apply_command(state, record.event, command);
}

}  // namespace teamster::workflow::fold
