#include "env/temporary_name.h"

#include <fmt/format.h>

namespace teamster::env {
namespace {

constexpr std::size_t kRandomBytes = 8;

}  // namespace

std::string temporary_name(std::int64_t pid, Random& random) {
  return fmt::format(".tmp-{}-{}", pid, random.hex(kRandomBytes));
}

std::string temporary_name_glob() {
  std::string glob = ".tmp-[0-9]*-";
  for (std::size_t digit = 0; digit < 2 * kRandomBytes; ++digit) glob += "[0-9a-f]";
  return glob;
}

}  // namespace teamster::env
