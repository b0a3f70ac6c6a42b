// What members of teams without a run ask: such a question goes to the operator's mailbox of their team, and is open until
// it was answered. Read anew each time, by calls that wait; nothing of it is kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "engine/run_service.h"
#include "workflow/core/events.h"

namespace teamster::engine {

struct TeamQuestion {
  workflow::event::Asked asks;
  std::optional<WallTime> asked;

  // TEAM/NUMBER, the number being that of the message.
  std::string id() const;
};

// Of all teams, oldest first.
Result<std::vector<TeamQuestion>> open_team_questions(const HubCall& call);

// By its id or its number. Nothing when it is none of these.
std::optional<TeamQuestion> find_team_question(const std::vector<TeamQuestion>& questions, const std::string& typed);

// Sends the words to who asked, once however often it is tried; then the question is not open any more. Code::refused
// when other words were sent before, or nobody is there to hear them.
Result<void> answer_team_question(const HubCall& call, const TeamQuestion& question, const std::string& words);

}  // namespace teamster::engine
