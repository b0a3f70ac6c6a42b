#include "verify/manifest.h"

#include <algorithm>
#include <charconv>

namespace teamster::verify {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::bash:
      return "bash";
    case Method::subagent:
      return "subagent";
    case Method::covered:
      return "covered";
  }
  return "";
}

std::optional<std::size_t> Criterion::deliverable() const {
  if (!id.starts_with("AC-")) return std::nullopt;
  std::size_t number = 0;
  (void)std::from_chars(id.data() + 3, id.data() + id.size(), number);
  return number;
}

const Criterion* Manifest::find(std::string_view id) const {
  const auto found = std::ranges::find(criteria, id, &Criterion::id);
  return found == criteria.end() ? nullptr : &*found;
}

}  // namespace teamster::verify
