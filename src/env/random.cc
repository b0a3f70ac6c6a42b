#include "env/random.h"

#include <string_view>

namespace teamster::env {

std::string Random::hex(std::size_t bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kDigitsOfNumber = 16;
  std::string out(bytes * 2, '0');
  std::uint64_t rest = 0;
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (at % kDigitsOfNumber == 0) rest = next();
    out[at] = kDigits[rest >> 60U];
    rest <<= 4U;
  }
  return out;
}

}  // namespace teamster::env
