// Bodies of the records about teams and their members; see docs/formats/store.md. Who writes a record fills its struct,
// who reads one asks it: a field's name stands here and nowhere else. `…_in` functions throw Json::exception where a
// field is missing, which only a damaged journal does; store::Projection::apply says so. Values that borrow texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/process_identity.h"
#include "base/time.h"
#include "protocol/words/record_kinds.h"

namespace teamster {

// Who a team goes with: a process, or whoever drives a run.
struct OwnerRecord {
  std::optional<ProcessIdentity> process = {};
  std::string run = {};

  Json json() const;
  // From the text of a row; nullopt for a team made by hand.
  static std::optional<OwnerRecord> parse(const std::string& text);
};

// The number of the event is the team's id, and the id of the operator's mailbox there.
struct TeamCreated {
  static constexpr const char* kKind = teamster::kind::kTeamCreated;
  std::string_view team;
  std::optional<OwnerRecord> owner = {};
  std::string_view project = {};  // its directory; empty: it is of none

  Json json() &&;
  static std::string project_in(const Json& body);
  static std::string_view team_in(const Json& body);
  // As text for a row; empty for a team made by hand.
  static std::string owner_text_in(const Json& body);
};

// Members were asked to shut down until `due`.
struct TeamShutdown {
  static constexpr const char* kKind = teamster::kind::kTeamShutdown;
  WallTime due;
  std::string_view reason;

  Json json() &&;
  // nullopt: the handshake is over.
  static std::optional<WallTime> due_in(const Json& body);
};

struct TeamShutdownOver {
  static constexpr const char* kKind = teamster::kind::kTeamShutdown;
  Json json() &&;
};

struct TeamDeleted {
  static constexpr const char* kKind = teamster::kind::kTeamDeleted;
  std::string_view team;
  std::vector<std::string> forced;  // members whose epochs it ended

  Json json() &&;
};

// In its first epoch a member's id is the number of this event.
struct MemberJoined {
  static constexpr const char* kKind = teamster::kind::kMemberJoined;
  std::string_view member;
  MemberId member_id;
  Epoch epoch;
  bool is_native = false;  // teamster itself reads its mailbox

  Json json() &&;
  static MemberJoined read(const Json& body);
};

struct MemberLeft {
  static constexpr const char* kKind = teamster::kind::kMemberLeft;
  std::string_view member;
  MemberId member_id;
  Epoch epoch;
  std::string_view reason;

  Json json() &&;
};

struct MemberRejectedShutdown {
  static constexpr const char* kKind = teamster::kind::kMemberRejectedShutdown;
  std::string_view member;
  MemberId member_id;
  std::string_view reason;

  Json json() &&;
};

// What the records that end or reject something have in common.
MemberId member_id_in(const Json& body);
std::string_view reason_in(const Json& body);

// What a turn has used. Money in whole millionths, so that sums are exact.
struct UsageRecord {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_read_tokens = 0;
  std::int64_t cache_write_tokens = 0;
  std::optional<std::int64_t> cost_microusd = {};
  std::optional<std::int64_t> duration_ms = {};

  Json json() const;
  static UsageRecord read(const Json& usage);
};

// What is known of a turn when it began or ended, beside whose it is.
struct TurnAccount {
  std::optional<std::int64_t> turn = {};
  std::optional<std::string> prompt = {};  // the id of the prompt that the end of the turn answers
  std::optional<std::string> stop = {};
  std::optional<std::string> fault = {};
  std::optional<std::string> error = {};
  std::optional<std::string> text = {};  // its beginning, where it is long; then also
  std::optional<std::int64_t> text_bytes = {};
  std::optional<std::string> text_sha256 = {};
  std::optional<Json> result = {};
  std::optional<std::vector<MessageId>> messages = {};
  std::optional<bool> retries = {};                       // its host tells again what it was told: nobody else need
  std::optional<std::vector<std::string>> restarts = {};  // of its agent, and why
  std::optional<UsageRecord> usage = {};                  // of this turn alone
  std::optional<UsageRecord> spent = {};                  // of all turns that the prompt took

  bool is_empty() const {
    return !(turn || prompt || stop || fault || error || text || text_bytes || text_sha256 || result || messages ||
             retries || restarts || usage || spent);
  }
};

// A turn began or ended: the redelivery clock stops or starts.
struct MemberTurn {
  static constexpr const char* kKind = teamster::kind::kMemberTurn;
  std::string member;
  MemberId member_id;
  Epoch epoch;
  bool is_running = false;
  TurnAccount account = {};

  Json json() &&;
  // Never throws: what is missing is as nothing. For readers outside the store.
  static MemberTurn read(const Json& body);
  static bool is_running_in(const Json& body);
  // Whether what was delivered and not seen is waited for, by the hub.
  static bool runs_clock_in(const Json& body);
  static std::optional<UsageRecord> usage_in(const Json& body);
  // Empty: it answers none.
  static std::string_view prompt_in(const Json& body);
};

// A write of an ended epoch, without effect.
struct StaleRefused {
  static constexpr const char* kKind = teamster::kind::kStaleRefused;
  std::string_view member;
  Epoch epoch;
  std::string_view operation;

  Json json() &&;
};

// A deleted team was taken out of journal and projections; and the same of a run that has ended.
struct TeamHistoryRemoved {
  static constexpr const char* kKind = teamster::kind::kHistoryRemoved;
  std::string_view team;
  TeamId team_id;
  std::int64_t events = 0;

  Json json() &&;
};
struct RunHistoryRemoved {
  static constexpr const char* kKind = teamster::kind::kHistoryRemoved;
  std::string_view run;
  RunId run_id;
  std::int64_t events = 0;

  Json json() &&;
};

}  // namespace teamster
