// RunRecord: one entry of a run's journal: what happened, and the commands that follow from it.
// Commands with an effect stay open until an event with their step and attempt settles them;
// the others say what became of the run, so that recorded decisions win over a newer program.
// Values; kinds of events are in events.h, those of commands in commands.h, and the format in docs/formats/run.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/result.h"
#include "workflow/core/commands.h"
#include "workflow/core/events.h"

namespace teamster::workflow {

// "verify.1": names an effect in the journal, in faults and for idempotency.
std::string effect_id(std::string_view step, std::int64_t attempt);

struct RunEvent {
  EventBody body = {};
  std::string step = {};  // what it is about: "verify", "research/2", "run-tests/check"; empty: the run
  std::int64_t attempt = 0;

  std::string_view kind() const { return kind_of(body); }
  // Null when the event is of another kind.
  template <class Body>
  const Body* as() const {
    return std::get_if<Body>(&body);
  }
  template <class Body>
  Body* as() {
    return std::get_if<Body>(&body);
  }
  template <class Body>
  bool is() const {
    return std::holds_alternative<Body>(body);
  }
  // The number of the record by which somebody told it; 0: nobody did.
  std::int64_t told() const { return told_of(body); }
};

struct RunCommand {
  CommandBody body = {};
  std::string step = {};
  std::int64_t attempt = 0;

  std::string_view kind() const { return kind_of(body); }
  std::string id() const { return effect_id(step.empty() ? kind() : step, attempt); }
  bool has_effect() const { return workflow::has_effect(body); }
  // Null when the command is of another kind.
  template <class Body>
  const Body* as() const {
    return std::get_if<Body>(&body);
  }
  template <class Body>
  Body* as() {
    return std::get_if<Body>(&body);
  }
  template <class Body>
  bool is() const {
    return std::holds_alternative<Body>(body);
  }
  // The body of one that is of this kind, as its caller knows.
  template <class Body>
  const Body& get() const {
    CHECK(is<Body>());
    return *as<Body>();
  }
};

inline std::string_view kind_of(const RunEvent& event) { return event.kind(); }
inline std::string_view kind_of(const RunCommand& command) { return command.kind(); }

// An event about the run as a whole.
RunEvent event_of(EventBody body);
// An event about this command: mostly the one that settles it.
RunEvent event_about(const RunCommand& command, EventBody body);

// The effect of which nobody knows whether it happened, as it was decided.
RunCommand command_of(const command::DoubtfulEffect& effect);

struct RunRecord {
  RunEvent event;
  std::vector<RunCommand> commands;
};

// {kind, body}: one of the records of run.append.
Json journal_entry(const RunRecord& record);
// The body of the journal's event; its kind is the event's.
Json body_of(const RunRecord& record);
// The list `then` of it.
Json then_of(const std::vector<RunCommand>& commands);
// Code::invalid where the body was not written by body_of.
Result<RunRecord> read_record(std::string_view kind, Json body);

}  // namespace teamster::workflow
