// TurnResult: what came of a turn, for whoever asked for it; and the words in which a host tells the hub of its end
// (`team.turn`) and an engine that takes a run up is told it again (`turn.get`). Both say the same: what is too large
// for the journal is cut before anybody acts on it. A value with its codec.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agent/answer.h"
#include "agent/session.h"
#include "base/json.h"
#include "base/time.h"

namespace teamster::agent {

struct TurnResult {
  // Of a text that was cut: what it was.
  struct WholeText {
    std::size_t bytes = 0;
    std::string sha256 = {};
  };

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
Json turn_json(const TurnResult& result);
TurnResult read_turn(const Json& turn);

}  // namespace teamster::agent
