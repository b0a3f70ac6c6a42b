#include "project/short_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kQuotedMaxBytes = 80;

// "03": at least three digits, with zeros before them.
std::string padded(std::string words, std::string_view width) {
  if (width.size() != 2 || width[0] != '0' || width[1] < '1' || width[1] > '9') return words;
  const auto digits = static_cast<std::size_t>(width[1] - '0');
  if (words.size() < digits) words.insert(0, digits - words.size(), '0');
  return words;
}

}  // namespace

Result<std::string> render_short_text(std::string_view text, const SourceLookup& lookup) {
  std::string out;
  while (true) {
    const std::size_t open = text.find("{{");
    out += text.substr(0, open);
    if (open == text.npos) return out;
    const std::size_t close = text.find("}}", open);
    if (close == text.npos)
      return fail(Code::invalid, fmt::format("{} has no }}}}", quoted(text.substr(open), kQuotedMaxBytes)));
    const std::string_view inside = trimmed(text.substr(open + 2, close - open - 2));
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    auto words = lookup(inside.substr(0, colon));
    if (!words)
      return fail(Code::invalid,
                  fmt::format("there is nothing named {} for this text", quoted(inside, kQuotedMaxBytes)));
    out += padded(*std::move(words), inside.substr(std::min(colon + 1, inside.size())));
    text.remove_prefix(close + 2);
  }
}

}  // namespace teamster::engine
