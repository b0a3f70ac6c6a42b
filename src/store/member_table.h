// Projection of the rosters: members with their epoch, and whether they live. Each team
// also has the row of its operator, an address that is no member; its id is the team's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "store/database.h"
#include "store/event.h"

namespace teamster::store {

// What a member's turns have cost so far, over all its epochs.
struct UsageTotals {
  std::int64_t turns = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_read_tokens = 0;
  std::int64_t cache_write_tokens = 0;
  std::int64_t cost_microusd = 0;
};

struct MemberRow {
  MemberId id;
  TeamId team;
  std::string name;
  Epoch epoch;
  bool live = false;
  bool running = false;    // a turn runs
  bool is_native = false;  // teamster itself reads its mailbox: no agent, nobody who answers a shutdown
  WallTime joined;
  std::optional<WallTime> left;
  std::string left_why;
  std::string shutdown_answer;  // why it rejected the last shutdown request, if it did
  UsageTotals usage;

  bool is_operator() const { return id.value == team.value; }
};

class MemberTable {
 public:
  explicit MemberTable(Database& database) : database_(database) {}

  Result<std::optional<MemberRow>> find(TeamId team, std::string_view name);
  Result<std::optional<MemberRow>> get(MemberId id);
  // Without the operator, by name.
  Result<std::vector<MemberRow>> list(TeamId team);

  Result<void> add_operator(const Event& team_created);
  Result<void> apply_joined(const Event& event);
  Result<void> apply_left(const Event& event);
  Result<void> apply_turn(const Event& event);
  Result<void> apply_rejected_shutdown(const Event& event);
  // A new request makes old answers void.
  Result<void> apply_shutdown(const Event& event);
  Result<void> remove_team(TeamId team);
  // After a rollback: what is remembered may be wrong.
  void forget() {
    known_.clear();
    by_name_.clear();
  }

 private:
  // The row that the query found, and remembers it.
  Result<std::optional<MemberRow>> one(Query& query);

  Database& database_;
  std::map<MemberId, MemberRow> known_;                         // rows read since the last change of a member
  std::map<std::pair<TeamId, std::string>, MemberId> by_name_;  // of the known ones
};

}  // namespace teamster::store
