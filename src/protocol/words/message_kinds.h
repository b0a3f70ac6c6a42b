// Kinds and priorities of messages, and who may send which: the one table that the hub's rules, the command line and
// the agents' tools take them from. A kind is added, never changed. Constants and pure functions.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace teamster {

namespace message_kind {
inline constexpr const char* kMessage = "message";
inline constexpr const char* kBroadcast = "broadcast";
inline constexpr const char* kTaskAssignment = "task_assignment";
inline constexpr const char* kIdle = "idle";
inline constexpr const char* kShutdownRequest = "shutdown_request";
inline constexpr const char* kShutdownResponse = "shutdown_response";
inline constexpr const char* kPlanApprovalRequest = "plan_approval_request";
inline constexpr const char* kPlanApprovalResponse = "plan_approval_response";
inline constexpr const char* kPermissionRequest = "permission_request";
inline constexpr const char* kPermissionResponse = "permission_response";
inline constexpr const char* kSignal = "signal";
inline constexpr const char* kQuestion = "question";
inline constexpr const char* kAnswer = "answer";
}  // namespace message_kind

struct MessageKind {
  std::string_view name;
  bool is_of_lead = false;  // only the lead and the operator may send it
  bool is_to_all = false;   // it has no single receiver
};

inline constexpr std::array kMessageKinds = {
    MessageKind{message_kind::kMessage},
    MessageKind{.name = message_kind::kBroadcast, .is_to_all = true},
    MessageKind{message_kind::kTaskAssignment},
    MessageKind{message_kind::kIdle},
    MessageKind{.name = message_kind::kShutdownRequest, .is_of_lead = true},
    MessageKind{message_kind::kShutdownResponse},
    MessageKind{message_kind::kPlanApprovalRequest},
    MessageKind{.name = message_kind::kPlanApprovalResponse, .is_of_lead = true},
    MessageKind{message_kind::kPermissionRequest},
    MessageKind{.name = message_kind::kPermissionResponse, .is_of_lead = true},
    MessageKind{message_kind::kSignal},
    MessageKind{message_kind::kQuestion},
    MessageKind{message_kind::kAnswer},
};

// nullptr when there is none of that name.
const MessageKind* find_message_kind(std::string_view name);
// Of messages to one receiver.
std::vector<std::string> kinds_to_one();
// Of messages to every member.
std::vector<std::string> kinds_to_all();

namespace priority {
inline constexpr const char* kNormal = "normal";
inline constexpr const char* kInterrupt = "interrupt";  // cuts the receiver's turn
}  // namespace priority

inline constexpr std::array<std::string_view, 2> kPriorities = {priority::kNormal, priority::kInterrupt};

}  // namespace teamster
