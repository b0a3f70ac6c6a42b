// What others can tell a run with `run.tell`: the word in its record `run.told`. The run acts on it by a record of its
// own. A word is added, never changed. Constants.
#pragma once

namespace teamster::told {

inline constexpr const char* kCancel = "cancel";
inline constexpr const char* kAnswer = "answer";
inline constexpr const char* kDecide = "decide";
inline constexpr const char* kAdjust = "adjust";
inline constexpr const char* kReopen = "reopen";  // the only one that a run can be told which has ended

}  // namespace teamster::told
