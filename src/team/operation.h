// Operation: one thing a client can ask of the hub about teams and runs, and the table of all of
// them. The hub finds the operation, proves who asks, opens the transaction and calls
// `run`; the rules are in roster, lifecycle, mailbox, task_list and run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "team/actor.h"
#include "team/topic.h"

namespace teamster::team {

// An answer is JSON text from where it is made: the journal and the client both want text.
struct Outcome {
  std::string answer;
  // Nothing to answer yet: worth asking again when one of these is touched. A request
  // that waits is parked; one that does not gets `answer`.
  std::vector<Topic> empty_until;
  // What was recorded stays, but the caller is told no.
  std::optional<Error> refusal;
  // `answer` as it is to be sent, where the rule knows it; otherwise `render` makes it.
  std::optional<std::string> rendered = std::nullopt;
};

// One that says all there is to say.
Outcome answered(const Json& answer);

struct Operation {
  std::string_view name;
  bool writes;
  bool operator_only;
  Result<Outcome> (*run)(Scene&, const Actor&, const Json& args);
  // Turns the recorded answer into the one that is sent, where the recorded one is short.
  Result<std::string> (*render)(Scene&, const std::string& recorded) = nullptr;
};

// nullptr when there is none of that name.
const Operation* find_operation(std::string_view name);
std::vector<std::string> operation_names();

// Proves that the actor may still act. An older or ended epoch is refused; where the
// operation writes, that is also recorded.
Result<Outcome> perform(Scene& scene, const Actor& actor, const Operation& operation, const Json& args);

}  // namespace teamster::team
