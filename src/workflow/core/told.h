// What others tell a run, for its engine to hear: the records `run.told`, one struct for each kind. Values without
// behaviour; ToldBody is the table of kinds. How each is written is in docs/formats/run.md, and `more` is what
// commands.h says of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "protocol/words/told.h"

namespace teamster::workflow {

namespace told {

struct Cancel {
  static constexpr std::string_view kKind = teamster::told::kCancel;
  std::string by;
  std::string how = {};  // "terminal"
  Json more = {};
};

// What a person says to a question or a gate.
struct Reply {
  static constexpr std::string_view kKind = teamster::told::kAnswer;
  std::string question = {};  // STEP.ATTEMPT
  std::string by = {};
  std::string how = {};
  Json answer = {};                   // to a question
  std::optional<bool> approved = {};  // a gate
  Json feedback = {};                 // why the gate is not approved
  Json note = {};                     // to the approval
  Json more = {};
};

// What becomes of an effect that a crash left undecided.
struct Decide {
  static constexpr std::string_view kKind = teamster::told::kDecide;
  std::string step;      // STEP.ATTEMPT
  std::string decision;  // see events.h
  std::string by = {};
  std::string how = {};
  Json more = {};
};

// How it goes on from now: what the user sets, and what it may use.
struct Adjust {
  static constexpr std::string_view kKind = teamster::told::kAdjust;
  std::string by;
  std::string how = {};
  std::map<std::string, std::string> configuration = {};
  Json values = {};
  Json budget = {};
  Json more = {};
};

// The run shall go on, from this phase or from where it stood.
struct Reopen {
  static constexpr std::string_view kKind = teamster::told::kReopen;
  std::string by;
  std::string how = {};
  std::string from = {};  // a phase; empty: where it stood
  Json more = {};
};

// Of a newer program.
struct Unknown {
  std::string kind = {};
  Json fields = Json::object();
};

}  // namespace told

using ToldBody = std::variant<told::Unknown, told::Cancel, told::Reply, told::Decide, told::Adjust, told::Reopen>;

std::string_view kind_of(const ToldBody& body);

// The `body` of the record; its `what` is the kind.
Json fields_of(const ToldBody& body);
// Never fails: what has another shape is as absent.
ToldBody read_told(const Json& record);

}  // namespace teamster::workflow
