#include "cli/text/palette.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace teamster::cli {
namespace {

constexpr std::array<std::string_view, 4> kGood = {"done", "completed", "ready", "running"};
constexpr std::array<std::string_view, 4> kBad = {"failed", "blocked", "unknown", "orphan"};
constexpr std::array<std::string_view, 3> kNeedsSomebody = {"waiting", "waiting for a person", "interrupted"};

template <class Words>
bool is_among(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string Palette::status(std::string_view word) const {
  if (is_among(kGood, word)) return green(word);
  if (is_among(kBad, word)) return red(word);
  if (is_among(kNeedsSomebody, word)) return yellow(word);
  return std::string(word);
}

std::string Palette::styled(std::string_view text, std::string_view code) const {
  return is_on_ && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace teamster::cli
