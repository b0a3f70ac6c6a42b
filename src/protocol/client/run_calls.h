// Calls about runs: start one or take one over, hold its lease, append to its journal, tell it something, read it.
// Rules and refusals are the hub's (team/run.h, team/run_lease.h). Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/process_identity.h"
#include "base/result.h"
#include "base/time.h"
#include "protocol/client/pages.h"
#include "protocol/words/operations.h"

namespace teamster::hub {

// The process that drives a run.
struct RunHolder {
  std::int64_t pid = 0;
  bool is_alive = false;
  std::optional<WallTime> until;  // when its lease ends without a sign of life
};

// A run as lists show it.
struct ListedRun {
  std::string run;  // its name
  std::string workflow;
  std::optional<std::string> key;
  std::optional<WallTime> started;
  std::optional<WallTime> ended;
  std::string status;  // what it ended with; empty while it goes on
  std::optional<RunHolder> holder;
  Lease lease;         // the newest
  std::int64_t n = 0;  // number of its last record

  bool has_ended() const { return ended.has_value(); }
  // Whether a living process has it.
  bool is_driven() const { return holder && holder->is_alive; }
};

// The right to append to a run, and the number of the record that says so.
struct GrantedLease {
  Lease lease;
  std::int64_t n = 0;
};

struct StartRun {
  static constexpr const char* kOperation = operation::kRunStart;
  static constexpr bool kWrites = true;
  using Answer = GrantedLease;

  std::string run;
  std::string workflow;
  std::string key = {};  // one run of a workflow and key at a time; empty: any number
  ProcessIdentity holder;
  Duration lease_time = limits::kRunLease;
  Json body = Json::object();

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct LeaseRun {
  static constexpr const char* kOperation = operation::kRunLease;
  static constexpr bool kWrites = true;
  using Answer = GrantedLease;

  std::string run;
  ProcessIdentity holder;
  Duration lease_time = limits::kRunLease;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct RenewLease {
  static constexpr const char* kOperation = operation::kRunRenew;
  static constexpr bool kWrites = true;
  struct Answer {
    Lease lease;
    std::optional<WallTime> until;
  };

  std::string run;
  Lease lease;
  Duration lease_time = limits::kRunLease;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct ReleaseLease {
  static constexpr const char* kOperation = operation::kRunRelease;
  static constexpr bool kWrites = true;
  using Answer = GrantedLease;

  std::string run;
  Lease lease;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// The number of the last record that a call wrote.
struct WrittenRecord {
  std::int64_t n = 0;
};

struct RecordToAppend {
  std::string kind;
  Json body = Json::object();
};

struct AppendToRun {
  static constexpr const char* kOperation = operation::kRunAppend;
  static constexpr bool kWrites = true;
  using Answer = WrittenRecord;

  std::string run;
  Lease lease;
  std::int64_t after = 0;  // number of the last record that the writer knows
  std::vector<RecordToAppend> records;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct TellRun {
  static constexpr const char* kOperation = operation::kRunTell;
  static constexpr bool kWrites = true;
  using Answer = WrittenRecord;

  std::string run;
  std::string what;  // a word of protocol/words/told.h
  Json body = Json::object();

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// A record of a run as it stands in the journal.
struct RunJournalEvent {
  std::int64_t n = 0;  // in its run, from 1
  Seq seq;
  WallTime at;
  std::string kind;
  Json body;
};

// Waits for more records with CallOptions::wait, as long as the run goes on.
struct ReadRun {
  static constexpr const char* kOperation = operation::kRunEvents;
  static constexpr bool kWrites = false;
  struct Answer : Page<RunJournalEvent> {
    bool has_ended = false;
    std::int64_t last = 0;  // number of the last of the items; without any, `after`
  };

  std::string run;
  std::int64_t after = 0;
  std::optional<std::int64_t> limit = {};
  bool from_others = false;  // only what others than its holder put in, and who took it over

  Json arguments() &&;
  static Result<Answer> read(Json answer);
};

// Those that have not ended, or all; oldest first. One page: ask_for_all reads every page.
struct ListRuns {
  static constexpr const char* kOperation = operation::kRunList;
  static constexpr const char* kItems = "runs";
  static constexpr bool kWrites = false;
  using Answer = Page<ListedRun>;

  bool all = false;
  std::int64_t after = 0;
  std::optional<std::int64_t> limit = {};

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
  static Result<ListedRun> read_item(const Json& item);
};

struct GetRun {
  static constexpr const char* kOperation = operation::kRunGet;
  static constexpr bool kWrites = false;
  struct Answer {
    ListedRun run;
    Json body;  // what it was started with
  };

  std::string run;

  Json arguments() &&;
  static Result<Answer> read(Json answer);
};

}  // namespace teamster::hub
