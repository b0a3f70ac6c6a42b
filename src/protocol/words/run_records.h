// Bodies of the records about runs that the hub itself writes; see docs/formats/store.md and team_records.h, whose
// rules hold here. What the engine records of a run is its own (workflow/core/run_record.h). Values that borrow texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/process_identity.h"
#include "protocol/words/record_kinds.h"

namespace teamster {

// The number of the event is the run's id; the holder has lease 1.
struct RunStarted {
  static constexpr const char* kKind = teamster::kind::kRunStarted;
  std::string run;
  std::string workflow;
  std::optional<std::string> key = {};
  ProcessIdentity holder;
  std::int64_t lease_ms = 0;
  Json body = Json::object();  // the engine's

  Json json() &&;
  // All but the engine's body.
  static RunStarted read(const Json& record);
  // The engine's body; null where there is none.
  static const Json& body_in(const Json& record);
};

// Another process, or the same again, has the run from here on.
struct RunLeased {
  static constexpr const char* kKind = teamster::kind::kRunLeased;
  Lease lease;
  ProcessIdentity holder;
  std::int64_t lease_ms = 0;
  std::string why = {};

  Json json() &&;
  static RunLeased read(const Json& record);
  // Never throws; 0 where there is none.
  static Lease lease_in(const Json& record);
};

// The holder lives.
struct RunRenewed {
  static constexpr const char* kKind = teamster::kind::kRunRenewed;
  Lease lease;
  std::int64_t lease_ms = 0;

  Json json() &&;
  static std::int64_t lease_ms_in(const Json& record);
};

// Nobody has the run.
struct RunReleased {
  static constexpr const char* kKind = teamster::kind::kRunReleased;
  Lease lease;

  Json json() &&;
};

// Somebody asks something of the run.
struct RunTold {
  std::string what;  // a word of protocol/words/told.h
  Json body = Json::object();

  // Never throws: what is missing is as nothing.
  static RunTold read(const Json& record);
};
// The text of such a record; `body` is the text of an object.
std::string run_told_text(std::string_view what, std::string_view body);

// The last record of a run. Beside its status it holds what the engine adds.
struct RunEnded {
  static constexpr const char* kKind = teamster::kind::kRunEnded;
  std::string status;

  Json json() &&;
  static std::string status_in(const Json& record);
  // nullopt for a body without one.
  static std::optional<std::string> optional_status_in(const Json& record);
};

}  // namespace teamster
