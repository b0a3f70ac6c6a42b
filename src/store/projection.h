// Projection: everything that is derived from the journal. `apply` is the only way any of
// it changes, for events of now and for a rebuild alike, so the two cannot differ.
#pragma once

#include "base/result.h"
#include "store/database.h"
#include "store/event.h"
#include "store/member_table.h"
#include "store/message_table.h"
#include "store/run_table.h"
#include "store/task_table.h"
#include "store/team_table.h"
#include "store/turn_table.h"

namespace teamster::store {

class Projection {
 public:
  explicit Projection(Database& database)
      : teams(database), members(database), messages(database), turns(database), tasks(database), runs(database) {}

  // Depends on the event and on earlier ones alone. A kind that this version does not
  // know changes nothing.
  Result<void> apply(const Event& event);
  // Takes a deleted team out altogether.
  Result<void> remove_team(TeamId team);
  // What is held back until the end of a batch or of a rebuild.
  Result<void> write_out() { return messages.write_out(); }
  // After a rollback.
  void forget() {
    teams.forget();
    members.forget();
    messages.forget();
    tasks.forget();
    runs.forget();
  }

  TeamTable teams;
  MemberTable members;
  MessageTable messages;
  TurnTable turns;
  TaskTable tasks;
  RunTable runs;
};

}  // namespace teamster::store
