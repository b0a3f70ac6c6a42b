// What others tell a run, for its engine to hear: the records `run.told`, one struct for each kind. Values without
// behaviour; ToldBody is the table of kinds. How each is written is in docs/formats/run.md, and `more` is what
// commands.h says of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::workflow {

namespace told {

struct Cancel {
  static constexpr std::string_view kKind = "cancel";
  std::string by;
  std::string how = {};  // "terminal"
  Json more = {};
};

// What a person says to a question or a gate.
struct Reply {
  static constexpr std::string_view kKind = "answer";
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
  static constexpr std::string_view kKind = "decide";
  std::string step;      // STEP.ATTEMPT
  std::string decision;  // see events.h
  std::string by = {};
  std::string how = {};
  Json more = {};
};

// Of a newer program.
struct Unknown {
  std::string kind = {};
  Json fields = Json::object();
};

}  // namespace told

using ToldBody = std::variant<told::Unknown, told::Cancel, told::Reply, told::Decide>;

std::string_view kind_of(const ToldBody& body);

// The arguments `what` and `body` of run.tell, which are those of the record.
Json told_fields(const ToldBody& body);
// Never fails: what has another shape is as absent.
ToldBody read_told(const Json& fields);

}  // namespace teamster::workflow
