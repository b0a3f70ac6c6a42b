#include "env/random.h"

#include <fmt/format.h>

namespace teamster::env {

std::string Random::hex(std::size_t bytes) {
  std::string out;
  while (out.size() < bytes * 2) out += fmt::format("{:016x}", next());
  out.resize(bytes * 2);
  return out;
}

}  // namespace teamster::env
