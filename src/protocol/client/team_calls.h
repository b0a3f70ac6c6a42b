// Calls about teams: who belongs to one, how it does, how it ends. Rules and refusals are the hub's (team/roster.h,
// team/lifecycle.h, team/turn.h). Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/process_identity.h"
#include "base/result.h"
#include "base/time.h"
#include "protocol/client/call.h"
#include "protocol/words/operations.h"
#include "protocol/words/receipt.h"
#include "protocol/words/task_status.h"
#include "protocol/words/token_usage.h"

namespace teamster::hub {

// A member of one epoch, and where its token lies.
struct NewMember {
  std::string name;
  Epoch epoch;
  std::string token_file;
};

// How many tasks of each status, and how many messages of each receipt.
using TaskCounts = std::array<std::int64_t, kTaskStatuses.size()>;
using ReceiptCounts = std::array<std::int64_t, kReceipts.size()>;
inline std::int64_t count_of(const TaskCounts& counts, TaskStatus status) {
  return counts[static_cast<std::size_t>(status)];
}
inline std::int64_t count_of(const ReceiptCounts& counts, Receipt receipt) {
  return counts[static_cast<std::size_t>(receipt)];
}
TaskCounts read_task_counts(const Json& counts);

// Who a team goes with: a process, or whoever drives a run.
struct TeamOwner {
  std::int64_t pid = 0;
  bool is_alive = false;
  std::string run;  // empty: a process
};

struct TeamMember {
  std::string name;
  Epoch epoch;
  bool is_live = false;
  bool is_running = false;  // a turn
  bool is_native = false;   // teamster itself reads its mailbox
  std::int64_t turns = 0;
  TokenUsage usage;
  std::int64_t unread = 0;
  std::vector<TaskId> claimed;
  std::optional<WallTime> joined;
  std::optional<WallTime> left;

  // Turns and usage, as documents show them.
  Json usage_json() const;
};

// A team as lists show it.
struct ListedTeam {
  std::string team;
  std::string ref;      // names it among those of all projects
  std::string project;  // empty: it is of none
  std::optional<WallTime> created;
  std::int64_t live_members = 0;
  TaskCounts tasks{};
  std::optional<TeamOwner> owner;  // empty: made by hand
  bool is_orphan = false;
};

struct TeamStatus {
  std::string team;
  std::string ref;      // names it among those of all projects
  std::string project;  // empty: it is of none
  std::optional<WallTime> created;
  std::optional<TeamOwner> owner;
  bool is_orphan = false;
  bool is_shutting_down = false;
  std::vector<TeamMember> members;
  TaskCounts tasks{};
  ReceiptCounts messages{};

  // nullptr when there is none of that name, in any epoch.
  const TeamMember* member(const std::string& name) const;
  static Result<TeamStatus> read(const Json& status);
};

struct CreateTeam {
  static constexpr const char* kOperation = operation::kTeamCreate;
  static constexpr bool kWrites = true;
  struct Answer {
    std::string team;
    std::vector<NewMember> members;
  };

  std::string team;
  std::vector<std::string> members = {};
  // The team goes with this process, or with whoever drives this run; without both it is made by hand.
  std::optional<ProcessIdentity> owner = {};
  std::string run = {};
  std::string project = {};  // its directory, of a team of a project

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// A new member, or the next epoch of one.
struct JoinTeam {
  static constexpr const char* kOperation = operation::kTeamJoin;
  static constexpr bool kWrites = true;
  using Answer = NewMember;

  std::string team;
  std::string member;
  bool is_native = false;  // teamster itself reads its mailbox: no agent, nobody whom a shutdown waits for

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct LeaveTeam {
  static constexpr const char* kOperation = operation::kTeamLeave;
  static constexpr bool kWrites = true;
  struct Answer {
    std::string member;
    Epoch epoch;
    std::vector<TaskId> released;
  };

  std::string team;
  std::string member;
  std::optional<std::string> reason = {};
  std::optional<Epoch> epoch = {};

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// What came of a turn, as its host tells it and as whoever asks again is told it.
struct EndedTurn {
  // Of a text that was cut: what it was.
  struct WholeText {
    std::int64_t bytes = 0;
    std::string sha256;
  };

  std::string text;
  std::optional<WholeText> whole_text = {};  // empty: `text` is all of it
  std::string stop = {};
  std::string fault = {};  // empty: it ended well
  std::string error = {};
  std::optional<Json> result = {};
  TokenUsage usage = {};    // of this turn alone
  std::string prompt = {};  // the id of what it answers; empty: it had none, nor what follows
  TokenUsage spent = {};    // on all turns that the prompt took
  Duration took = {};       // and how long those took
  std::vector<std::string> restarts = {};

  Json json() const;
  static EndedTurn read(const Json& turn);
};

// A turn of a member began; or it ended, with what came of it and the messages that it dealt with.
struct SetTurn {
  static constexpr const char* kOperation = operation::kTeamTurn;
  static constexpr bool kWrites = true;
  using Answer = NoContent;

  std::string team;
  std::string member;
  std::optional<Epoch> epoch = {};
  std::optional<std::int64_t> turn = {};
  std::optional<EndedTurn> ended = {};  // empty: it runs
  std::vector<MessageId> messages = {};
  bool retries = false;  // its host tells again what it was told

  Json arguments() &&;
  static Result<Answer> read(const Json&) { return NoContent{}; }
};

// The end of the turn that answered a prompt; empty: it has not ended.
struct GetTurn {
  static constexpr const char* kOperation = operation::kTurnGet;
  static constexpr bool kWrites = false;
  using Answer = std::optional<EndedTurn>;

  std::string team;
  std::string prompt;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct ListTeams {
  static constexpr const char* kOperation = operation::kTeamList;
  static constexpr const char* kItems = "teams";
  static constexpr bool kWrites = false;
  using Answer = std::vector<ListedTeam>;

  Json arguments() && { return Json::object(); }
  static Result<Answer> read(const Json& answer);
};

struct GetTeamStatus {
  static constexpr const char* kOperation = operation::kTeamStatus;
  static constexpr bool kWrites = false;
  using Answer = TeamStatus;

  std::string team;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer) { return TeamStatus::read(answer); }
};

// Asks every member; waits with CallOptions::wait until all have gone or the deadline has passed.
struct ShutDownTeam {
  static constexpr const char* kOperation = operation::kTeamShutdown;
  static constexpr bool kWrites = true;
  struct Rejection {
    std::string name;
    std::string reason;
  };
  struct Answer {
    std::vector<std::string> approved;
    std::vector<Rejection> rejected;
    std::vector<std::string> forced;
  };

  std::string team;
  std::optional<std::string> reason = {};
  std::optional<Duration> deadline = {};

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct DeleteTeam {
  static constexpr const char* kOperation = operation::kTeamDelete;
  static constexpr bool kWrites = true;
  struct Answer {
    std::vector<std::string> forced;  // members whose epochs it ended
  };

  std::string team;
  bool force = false;
  bool only_orphan = false;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct Orphan {
  std::string team;
  std::string place;  // its directory in the home
  Duration age{};
  std::string reason;
  std::string ref = {};  // names it among those of all projects

  Json json() const;
  static Result<Orphan> read(const Json& orphan);
};

struct ListOrphans {
  static constexpr const char* kOperation = operation::kTeamOrphans;
  static constexpr const char* kItems = "orphans";
  static constexpr bool kWrites = false;
  using Answer = std::vector<Orphan>;

  Json arguments() && { return Json::object(); }
  static Result<Answer> read(const Json& answer);
};

}  // namespace teamster::hub
