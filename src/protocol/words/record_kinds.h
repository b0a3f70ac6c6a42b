// Kinds of records that the hub itself writes into the journal; see docs/formats/store.md. A kind is added, never
// changed. Those of a run's engine are in workflow/core/events.h. Constants.
#pragma once

#include <string_view>

namespace teamster {

namespace kind {
inline constexpr char kTeamCreated[] = "team.created";
inline constexpr char kTeamShutdown[] = "team.shutdown";
inline constexpr char kTeamDeleted[] = "team.deleted";
inline constexpr char kMemberJoined[] = "member.joined";
inline constexpr char kMemberLeft[] = "member.left";
inline constexpr char kMemberTurn[] = "member.turn";
inline constexpr char kMemberRejectedShutdown[] = "member.rejected_shutdown";
inline constexpr char kMessageSent[] = "message.sent";
inline constexpr char kMessageDelivered[] = "message.delivered";
inline constexpr char kMessageMarked[] = "message.marked";
inline constexpr char kMessageRequeued[] = "message.requeued";
inline constexpr char kMessageDead[] = "message.dead";
inline constexpr char kTaskCreated[] = "task.created";
inline constexpr char kTaskClaimed[] = "task.claimed";
inline constexpr char kTaskUpdated[] = "task.updated";
inline constexpr char kTaskReleased[] = "task.released";
inline constexpr char kRunStarted[] = "run.started";
inline constexpr char kRunLeased[] = "run.leased";
inline constexpr char kRunRenewed[] = "run.renewed";
inline constexpr char kRunReleased[] = "run.released";
inline constexpr char kRunTold[] = "run.told";
inline constexpr char kRunEnded[] = "run.ended";
inline constexpr char kStaleRefused[] = "stale.refused";
inline constexpr char kHistoryRemoved[] = "history.removed";
}  // namespace kind

// Of a record in the journal of a run: whether it only says who holds the run, or what others told it.
bool is_of_hub_alone(std::string_view kind);
// Of a record in the journal of a run: whether somebody else than its holder may have caused it, so that the holder
// listens for it.
bool is_from_others(std::string_view kind);
// Whether only the hub writes records of this kind: they say something about teams, or about a run as the hub sees it.
bool is_reserved_kind(std::string_view kind);

}  // namespace teamster
