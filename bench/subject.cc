#include "bench/subject.h"

#include <unordered_set>

namespace teamster::bench {

std::string message_body() {
  std::string body;
  while (body.size() < kMessageBodyBytes) body += "The parser accepts the new form; two tests were added. ";
  body.resize(kMessageBodyBytes);
  return body;
}

std::uint64_t count_double(const Measured& measured) {
  std::unordered_set<std::int64_t> seen;
  std::uint64_t twice = 0;
  for (const auto& numbers : measured.numbers)
    for (const std::int64_t number : numbers)
      if (!seen.insert(number).second) ++twice;
  return twice;
}

}  // namespace teamster::bench
