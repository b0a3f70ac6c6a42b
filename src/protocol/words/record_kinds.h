// Kinds of records that the hub itself writes into the journal; see docs/formats/store.md. A kind is added, never
// changed. Those of a run's engine are in workflow/core/events.h. Constants.
#pragma once

#include <string_view>

namespace teamster {

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

// Of a record in the journal of a run: whether it only says who holds the run, or what others told it.
bool is_of_hub_alone(std::string_view kind);

}  // namespace teamster
