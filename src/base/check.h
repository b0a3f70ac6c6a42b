// CHECK: what cannot happen. Stays on in every build; prints the broken
// expectation on one line and ends the process with exit code 70 (a bug).
#pragma once

#include <string_view>

namespace teamster {
[[noreturn]] void check_failed(std::string_view expression, std::string_view file, int line);
}  // namespace teamster

#define CHECK(condition)                                        \
  do {                                                          \
    if (!(condition)) [[unlikely]]                              \
      ::teamster::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
