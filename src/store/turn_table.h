// Projection of the prompts that a turn has ended for: where in the journal that end stands. Whoever takes up the work
// of a process that died finds it here, at a cost that does not grow with the journal.
#pragma once

#include <optional>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "store/database.h"
#include "store/event.h"

namespace teamster::store {

class TurnTable {
 public:
  explicit TurnTable(Database& database) : database_(database) {}

  // Of the member.turn that ended the prompt.
  Result<std::optional<Seq>> find_end(TeamId team, std::string_view prompt);

  // Of two ends of one prompt the first counts: somebody may have acted on it.
  Result<void> apply_turn(const Event& event);
  Result<void> remove_team(TeamId team);

 private:
  Database& database_;
};

}  // namespace teamster::store
