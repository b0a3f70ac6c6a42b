// What people and commands tell a run, on its way to the hub: the engine hears it from the journal, where it stays with
// who said it, how and when. Values.
#pragma once

#include <string>

#include "base/json.h"
#include "protocol/client/run_calls.h"

namespace teamster::engine {

// A person who says something, and over which way: "terminal".
struct Speaker {
  std::string by;
  std::string how;
};

hub::TellRun cancel_of(const std::string& run, const std::string& by);
// `body`: answer, or approved with feedback or note (people/replies.h).
hub::TellRun answer_to(const std::string& run, const std::string& question, Json body, const Speaker& speaker);
// What becomes of a step of which nobody knows whether it happened.
hub::TellRun decision_on(const std::string& run, const std::string& step, const std::string& decision,
                         const std::string& by);

}  // namespace teamster::engine
