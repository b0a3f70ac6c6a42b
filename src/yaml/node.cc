#include "yaml/node.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster::workflow {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = count_digits(text);
  if (whole == 0 || whole > 15 || (whole > 1 && text[0] == '0')) return false;
  text.remove_prefix(whole);
  if (text.empty()) return true;
  return text[0] == '.' && text.size() > 1 && text.size() <= 16 && count_digits(text.substr(1)) == text.size() - 1;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// Digits with the marks of numbers, times and dates between them, or a number of base 2, 8, 16,
// or with an exponent.
bool looks_like_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text[0])) return false;
  const auto all_of = [](std::string_view part, std::string_view allowed) {
    return part.find_first_not_of(allowed) == std::string_view::npos;
  };
  if (all_of(text, "0123456789_.:-")) return true;
  const std::string word = lower(text);
  if (word.starts_with("0x")) return all_of(word.substr(2), "0123456789abcdef_");
  if (word.starts_with("0o") || word.starts_with("0b")) return all_of(word.substr(2), "01234567_");
  const std::size_t exponent = word.find('e');
  return exponent != std::string::npos && all_of(word.substr(0, exponent), "0123456789_.") &&
         exponent + 1 < word.size() && all_of(word.substr(exponent + 1), "0123456789+-");
}

bool looks_like_word_of_yaml(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kWords = {"y",    "yes",   "n",    "no",    "on",    "off",
                                                              "true", "false", ".inf", "-.inf", "+.inf", ".nan"};
  const std::string word = lower(text);
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

Json number_json(const std::string& text) {
  if (text.find('.') == std::string::npos) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size() && i < items.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

Plain plain_kind(std::string_view text) {
  if (text == "true" || text == "false") return Plain::boolean;
  if (is_number(text)) return Plain::number;
  if (looks_like_number(text) || looks_like_word_of_yaml(text)) return Plain::ambiguous;
  return Plain::text;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return node.items.empty() ? "an empty list" : "a list";
    case Node::Kind::map:
      return "a map of keys";
    case Node::Kind::scalar:
      break;
  }
  if (node.is_quoted) return fmt::format("the text {}", quoted(node.text, 60));
  switch (plain_kind(node.text)) {
    case Plain::boolean:
      return node.text;
    case Plain::number:
      return fmt::format("the number {}", node.text);
    case Plain::ambiguous:
    case Plain::text:
      break;
  }
  return quoted(node.text, 60);
}

Json to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return nullptr;
    case Node::Kind::list: {
      Json list = Json::array();
      for (const auto& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case Node::Kind::map: {
      Json object = Json::object();
      for (std::size_t i = 0; i < node.keys.size() && i < node.items.size(); ++i)
        object[node.keys[i].text] = to_json(node.items[i]);
      return object;
    }
    case Node::Kind::scalar:
      break;
  }
  if (node.is_quoted) return node.text;
  switch (plain_kind(node.text)) {
    case Plain::boolean:
      return node.text == "true";
    case Plain::number:
      return number_json(node.text);
    case Plain::ambiguous:
    case Plain::text:
      break;
  }
  return node.text;
}

}  // namespace teamster::workflow
