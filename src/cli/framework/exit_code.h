// Exit codes of the program: 0 done, 1 failed or nothing there, 2 usage, 3 refused,
// 4 waiting for a person, 70 a bug. Scripts rely on them.
#pragma once

#include "base/result.h"

namespace teamster::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitNothing = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitRefused = 3;
inline constexpr int kExitWaiting = 4;
inline constexpr int kExitBug = 70;

int exit_code(Code code);

}  // namespace teamster::cli
