// Names of what a client can ask of the hub; see docs/formats/hub-protocol.md. The hub finds the operation by its name
// (team/operation.cc, hub/executor.cc), typed calls send it (protocol/client/*_calls.h). Constants.
#pragma once

namespace teamster::operation {

inline constexpr const char* kTeamCreate = "team.create";
inline constexpr const char* kTeamJoin = "team.join";
inline constexpr const char* kTeamLeave = "team.leave";
inline constexpr const char* kTeamTurn = "team.turn";
inline constexpr const char* kTurnGet = "turn.get";
inline constexpr const char* kTeamList = "team.list";
inline constexpr const char* kTeamStatus = "team.status";
inline constexpr const char* kTeamShutdown = "team.shutdown";
inline constexpr const char* kTeamDelete = "team.delete";
inline constexpr const char* kTeamOrphans = "team.orphans";
inline constexpr const char* kMessageSend = "message.send";
inline constexpr const char* kMessageBroadcast = "message.broadcast";
inline constexpr const char* kMessageInbox = "message.inbox";
inline constexpr const char* kMessageWait = "message.wait";
inline constexpr const char* kMessageAck = "message.ack";
inline constexpr const char* kMessageReceipt = "message.receipt";
inline constexpr const char* kTaskCreate = "task.create";
inline constexpr const char* kTaskList = "task.list";
inline constexpr const char* kTaskGet = "task.get";
inline constexpr const char* kTaskClaim = "task.claim";
inline constexpr const char* kTaskUpdate = "task.update";
inline constexpr const char* kRunStart = "run.start";
inline constexpr const char* kRunLease = "run.lease";
inline constexpr const char* kRunRenew = "run.renew";
inline constexpr const char* kRunRelease = "run.release";
inline constexpr const char* kRunAppend = "run.append";
inline constexpr const char* kRunTell = "run.tell";
inline constexpr const char* kRunEvents = "run.events";
inline constexpr const char* kRunList = "run.list";
inline constexpr const char* kRunGet = "run.get";
inline constexpr const char* kJournalRead = "journal.read";
inline constexpr const char* kHubStatus = "hub.status";
inline constexpr const char* kHubStop = "hub.stop";
inline constexpr const char* kStoreCheck = "store.check";
inline constexpr const char* kGc = "gc";

}  // namespace teamster::operation
