// Names with a meaning of their own among members and actors of a team. No member can be called `operator` or `hub`.
// Constants.
#pragma once

namespace teamster {

// The user of the machine: an address in every team, and no member.
inline constexpr const char* kOperator = "operator";
// The member that decides, where a team has one.
inline constexpr const char* kLead = "lead";
// Whoever acts when a deadline passes: the hub itself.
inline constexpr const char* kHub = "hub";

}  // namespace teamster
