#include "cli/framework/exit_code.h"

namespace teamster::cli {

int exit_code(Code code) {
  switch (code) {
    case Code::invalid:
      return kExitUsage;
    case Code::refused:
      return kExitRefused;
    case Code::waiting:
      return kExitWaiting;
    case Code::internal:
      return kExitBug;
    case Code::not_found:
    case Code::failed:
    case Code::unavailable:
    case Code::unknown_outcome:
      return kExitNothing;
  }
  return kExitNothing;
}

}  // namespace teamster::cli
