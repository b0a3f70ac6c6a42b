#include "base/check.h"

#include <unistd.h>

#include <string>

namespace teamster {

void check_failed(std::string_view expression, std::string_view file, int line) {
  std::string text = "teamster: bug: expected ";
  text.append(expression).append(" at ").append(file).append(":").append(std::to_string(line));
  text.append(". Please report it with `teamster doctor --json`.\n");
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, text.data(), text.size());
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  __builtin_trap();  // so that the fuzzer keeps the input
#endif
  // _exit, not abort: no core handler, no destructor may touch a broken state.
  ::_exit(70);
}

}  // namespace teamster
