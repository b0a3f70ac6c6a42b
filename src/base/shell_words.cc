#include "base/shell_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster {
namespace {

constexpr std::string_view kBlanks = " \t\n";

bool is_plain_in_shell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
}

// Reads one word from `at` on, which stands at its first character, and moves `at` behind it.
Result<std::string> next_word(std::string_view text, std::size_t& at) {
  std::string word;
  char quote = 0;
  for (; at < text.size() && (quote != 0 || kBlanks.find(text[at]) == kBlanks.npos); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'' && at + 1 < text.size())
      word += text[++at];
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (quote != 0 && c == quote)
      quote = 0;
    else
      word += c;
  }
  if (quote == 0) return word;
  return fail(Code::invalid, fmt::format("a {} is not closed in {}", quote, quoted(text, 200)), "Close it");
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at < text.size(); at = text.find_first_not_of(kBlanks, at))
    words.push_back(TRY(next_word(text, at)));
  return words;
}

std::string as_shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain_in_shell)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  return word + "'";
}

}  // namespace teamster
