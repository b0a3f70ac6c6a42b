// SqlText: a statement that is put together at compile time from literals and from the words of protocol/words, so that
// numbers of receipts and statuses and names of kinds stand once. The result has one address for the whole program, as
// the statement cache of Database needs. Constants.
#pragma once

#include <array>
#include <cstddef>

#include "protocol/words/receipt.h"
#include "protocol/words/task_status.h"

namespace teamster::store {

template <std::size_t N>
struct SqlPart {
  char text[N]{};  // with the zero at its end

  // NOLINTNEXTLINE(google-explicit-constructor): literals are parts.
  consteval SqlPart(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
  consteval explicit SqlPart(char digit) : text{digit, '\0'} {}
};
SqlPart(char)->SqlPart<2>;

// The number that the store keeps.
consteval SqlPart<2> number(Receipt receipt) { return SqlPart(static_cast<char>('0' + static_cast<char>(receipt))); }
consteval SqlPart<2> number(TaskStatus status) { return SqlPart(static_cast<char>('0' + static_cast<char>(status))); }

template <SqlPart... Parts>
struct SqlText {
  static constexpr std::size_t kSize = (sizeof(Parts.text) + ...) - sizeof...(Parts) + 1;
  static constexpr std::array<char, kSize> kText = [] {
    std::array<char, kSize> joined{};
    std::size_t at = 0;
    const auto add = [&](const auto& part) {
      for (std::size_t i = 0; i + 1 < sizeof(part.text); ++i) joined[at++] = part.text[i];
    };
    (add(Parts), ...);
    return joined;
  }();
};

template <SqlPart... Parts>
inline constexpr const char* sql = SqlText<Parts...>::kText.data();

// The same as a part of others.
template <SqlPart... Parts>
consteval auto concatenated() {
  char text[SqlText<Parts...>::kSize]{};
  for (std::size_t i = 0; i < SqlText<Parts...>::kSize; ++i) text[i] = SqlText<Parts...>::kText[i];
  return SqlPart(text);
}

}  // namespace teamster::store
