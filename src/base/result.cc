#include "base/result.h"

#include <array>

namespace teamster {
namespace {

struct CodeName {
  Code code;
  std::string_view name;
};
constexpr std::array kNames{
    CodeName{Code::invalid, "invalid"},
    CodeName{Code::not_found, "not_found"},
    CodeName{Code::failed, "failed"},
    CodeName{Code::refused, "refused"},
    CodeName{Code::waiting, "waiting"},
    CodeName{Code::unavailable, "unavailable"},
    CodeName{Code::unknown_outcome, "unknown_outcome"},
    CodeName{Code::internal, "internal"},
};

}  // namespace

std::string_view to_string(Code code) {
  for (const auto& entry : kNames)
    if (entry.code == code) return entry.name;
  return "failed";
}

Code code_from_string(std::string_view name) {
  for (const auto& entry : kNames)
    if (entry.name == name) return entry.code;
  return Code::failed;
}

Error Error::within(std::string_view prefix) const { return Error{code, std::string(prefix) + ": " + what, next}; }

std::string Error::text() const { return next.empty() ? what : what + ". " + next; }

}  // namespace teamster
