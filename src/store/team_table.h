// Projection of teams: which exist, who owns them, whether they are shutting down.
// Read by the rules; changed by Projection::apply alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/team_ref.h"
#include "base/time.h"
#include "protocol/words/team_records.h"
#include "store/database.h"
#include "store/event.h"

namespace teamster::store {

struct TeamRow {
  TeamId id;
  std::string name;
  WallTime created;
  std::optional<WallTime> deleted;
  std::optional<OwnerRecord> owner;        // empty for a team made by hand
  std::optional<WallTime> shutdown_since;  // the last time it was asked to shut down
  std::optional<WallTime> shutdown_due;    // until when it may answer; empty when over
  std::string project;                     // its directory; empty: it is of none

  // As it is named where others of its name may be.
  TeamRef ref() const { return TeamRef::of(name, project); }
};

class TeamTable {
 public:
  explicit TeamTable(Database& database) : database_(database) {}

  // Teams that are not deleted.
  Result<std::optional<TeamRow>> find(const TeamRef& ref);
  // Of this name, whatever their projects.
  Result<std::vector<TeamRow>> named(std::string_view name);
  Result<std::vector<TeamRow>> list();
  Result<std::optional<TeamRow>> get(TeamId id);
  Result<std::vector<TeamRow>> shutdown_due_by(WallTime now);
  Result<std::optional<WallTime>> next_shutdown_due();
  Result<std::vector<TeamRow>> deleted_before(WallTime time);

  Result<void> apply_created(const Event& event);
  Result<void> apply_shutdown(const Event& event);
  Result<void> apply_deleted(const Event& event);
  Result<void> remove(TeamId id);
  // After a rollback: what is remembered may be wrong.
  void forget() { known_.clear(); }

 private:
  Database& database_;
  std::map<TeamId, TeamRow> known_;  // rows read since the last change of a team
};

}  // namespace teamster::store
