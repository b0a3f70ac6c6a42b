// TurnResult: what came of a turn, for whoever asked for it; and as a host tells the hub of its end and an engine that
// takes a run up is told it again. Both say the same: what is too large for the journal is cut before anybody acts on
// it. Values and functions of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/answer.h"
#include "agent/session.h"
#include "base/time.h"
#include "protocol/client/team_calls.h"

namespace teamster::agent {

struct TurnResult {
  using WholeText = hub::EndedTurn::WholeText;

  TurnEnd end;
  Answer answer = {};                            // where a schema was given
  std::string prompt = {};                       // the id of what was asked; empty: it had none
  Usage spent = {};                              // on what was asked, over all turns that it took
  Duration took = {};                            // and how long those took
  std::vector<std::string> restarts = {};        // why its agent was started again meanwhile, each time
  std::optional<WholeText> whole_text = {};      // nullopt: end.text is all of it
  std::optional<std::string> lost_because = {};  // the conversation that the prompt was worded for is gone: no turn was
};

// Cuts texts to what the journal takes of them.
void bound(TurnResult& result);

// Of a result that is bound.
hub::EndedTurn ended_turn(const TurnResult& result);
TurnResult turn_result(hub::EndedTurn turn);

}  // namespace teamster::agent
