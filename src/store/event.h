// Event: one thing that happened, as the journal keeps it. Kinds and bodies are a
// format: see docs/formats/store.md. A kind is added, never changed. The engine has kinds of
// its own for the records of a run.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"

namespace teamster::store {

struct Event {
  Seq seq;
  WallTime at;
  std::string kind;
  TeamId team;        // 0: concerns no team
  std::string actor;  // "operator", "hub", or the member's name
  Json body;
  RunId run = {};      // 0: concerns no run
  std::int64_t n = 0;  // its number among the records of the run, from 1
  // The body where it was made as text; otherwise it is dumped from `body`. What the engine
  // records of a run is text alone: no projection looks into it.
  std::string text = {};
};

namespace kind {
inline constexpr const char* kTeamCreated = "team.created";
inline constexpr const char* kTeamShutdown = "team.shutdown";
inline constexpr const char* kTeamDeleted = "team.deleted";
inline constexpr const char* kMemberJoined = "member.joined";
inline constexpr const char* kMemberLeft = "member.left";
inline constexpr const char* kMemberTurn = "member.turn";
inline constexpr const char* kMemberRejectedShutdown = "member.rejected_shutdown";
inline constexpr const char* kMessageSent = "message.sent";
inline constexpr const char* kMessageDelivered = "message.delivered";
inline constexpr const char* kMessageMarked = "message.marked";
inline constexpr const char* kMessageRequeued = "message.requeued";
inline constexpr const char* kMessageDead = "message.dead";
inline constexpr const char* kTaskCreated = "task.created";
inline constexpr const char* kTaskClaimed = "task.claimed";
inline constexpr const char* kTaskUpdated = "task.updated";
inline constexpr const char* kTaskReleased = "task.released";
inline constexpr const char* kRunStarted = "run.started";
inline constexpr const char* kRunLeased = "run.leased";
inline constexpr const char* kRunRenewed = "run.renewed";
inline constexpr const char* kRunReleased = "run.released";
inline constexpr const char* kRunTold = "run.told";
inline constexpr const char* kRunEnded = "run.ended";
inline constexpr const char* kStaleRefused = "stale.refused";
inline constexpr const char* kHistoryRemoved = "history.removed";
}  // namespace kind

}  // namespace teamster::store
