// Calls about the hub itself and what it keeps: how it does, its journal, its upkeep. They are answered by
// hub/executor.h and hub/server.h. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "protocol/client/pages.h"
#include "protocol/words/operations.h"

namespace teamster::hub {

struct HubStatus {
  std::int64_t pid = 0;
  std::string version;
  std::string home;
  Duration uptime{};
  std::int64_t connections = 0;
  std::int64_t parked = 0;
  std::int64_t requests = 0;
  std::int64_t commits = 0;
  std::int64_t rss_bytes = 0;
  std::int64_t store_format = 0;
  std::int64_t store_events = 0;  // ever recorded
  std::int64_t store_bytes = 0;
};

struct GetHubStatus {
  static constexpr const char* kOperation = operation::kHubStatus;
  static constexpr bool kWrites = false;
  using Answer = HubStatus;

  Json arguments() && { return Json::object(); }
  static Result<Answer> read(const Json& answer);
};

struct StopHub {
  static constexpr const char* kOperation = operation::kHubStop;
  static constexpr bool kWrites = false;
  using Answer = NoContent;

  Json arguments() && { return Json::object(); }
  static Result<Answer> read(const Json&) { return NoContent{}; }
};

struct CheckStore {
  static constexpr const char* kOperation = operation::kStoreCheck;
  static constexpr bool kWrites = false;
  struct Answer {
    bool is_ok = false;
    std::int64_t events = 0;
    std::vector<std::string> problems;
  };

  bool rebuild = false;  // make the projections again from the journal and compare

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// One event of the journal, of whatever it concerns.
struct JournalEvent {
  Seq seq;
  WallTime at;
  std::string kind;
  std::string team;  // empty: concerns none
  std::string actor;
  Json body;
  std::string run;     // empty: concerns none
  std::int64_t n = 0;  // its number in the run
};

// A page of one team may be empty and still not the last.
struct ReadJournal {
  static constexpr const char* kOperation = operation::kJournalRead;
  static constexpr const char* kItems = "events";
  static constexpr bool kWrites = false;
  struct Answer : Page<JournalEvent> {
    std::int64_t last = 0;  // how far it has looked
  };

  std::string team = {};
  std::int64_t after = 0;
  std::optional<std::int64_t> limit = {};

  Json arguments() &&;
  static Result<Answer> read(Json answer);
};

// An answer of ReadJournal or ReadRun for who passes its events on as they are.
struct EventDocuments {
  Json events;  // a list
  bool has_more = false;
  bool has_ended = false;  // the run
  std::int64_t last = 0;   // the `after` of the next page

  static Result<EventDocuments> read(Json answer);
};

// Removes a bounded amount; call again until it is done.
struct CollectGarbage {
  static constexpr const char* kOperation = operation::kGc;
  static constexpr bool kWrites = true;
  struct Answer {
    std::vector<std::string> teams;
    std::vector<std::string> runs;
    std::int64_t events = 0;
    bool is_done = false;
  };

  Duration older_than{};
  bool dry_run = false;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

}  // namespace teamster::hub
