#include "yaml/fields.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/pattern.h"
#include "base/text.h"

namespace teamster::workflow {
namespace {

bool is_placeholder_without_quotes(const Node& node) {
  return node.kind == Node::Kind::map && !node.keys.empty() && node.keys[0].kind == Node::Kind::map;
}

std::string shown(const std::vector<std::string>& words) {
  std::vector<std::string> quoted_words;
  for (const auto& word : words) quoted_words.push_back(fmt::format("`{}`", word));
  return join(quoted_words, ", ");
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

Fields::Fields(const Reading& reading, const Node& node, std::string what)
    : reading_(reading), node_(node), what_(std::move(what)) {
  if (node.kind != Node::Kind::map)
    reading_.problem(node.place, fmt::format("expected {} as a map of keys, found {}", what_, describe(node)));
}

bool Fields::has(std::string_view key) const { return node_.find(key) != nullptr; }

const Node* Fields::take(std::string_view key) {
  if (!contains(known_, key)) known_.emplace_back(key);
  return node_.find(key);
}

const Node* Fields::need(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr && node_.kind == Node::Kind::map)
    reading_.problem(node_.place, fmt::format("{} needs `{}`", what_, key));
  return node;
}

std::optional<std::string> Fields::text(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr) return std::nullopt;
  return read_text(reading_, *node, fmt::format("`{}` of {}", key, what_));
}

std::string Fields::need_text(std::string_view key) {
  if (need(key) == nullptr) return "";
  const auto found = text(key);
  if (found && found->empty()) reading_.problem(place_of(key), fmt::format("`{}` of {} is empty", key, what_));
  return found.value_or("");
}

std::vector<std::string> Fields::texts(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr) return {};
  return read_texts(reading_, *node, fmt::format("`{}` of {}", key, what_));
}

std::optional<std::int64_t> Fields::number(std::string_view key, std::int64_t from, std::int64_t to) {
  const Node* node = take(key);
  if (node == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* end = node->text.data() + node->text.size();
  const auto [stop, error] = std::from_chars(node->text.data(), end, number);
  const bool is_number = node->kind == Node::Kind::scalar && !node->is_quoted &&
                         plain_kind(node->text) == Plain::number && error == std::errc{} && stop == end;
  if (is_number && number >= from && number <= to) return number;
  reading_.problem(node->place, fmt::format("`{}` of {} must be a whole number from {} to {}, found {}", key, what_,
                                            from, to, describe(*node)));
  return std::nullopt;
}

std::optional<bool> Fields::flag(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind == Node::Kind::scalar && !node->is_quoted && plain_kind(node->text) == Plain::boolean)
    return node->text == "true";
  reading_.problem(node->place, fmt::format("`{}` of {} must be true or false, found {}", key, what_, describe(*node)));
  return std::nullopt;
}

Duration Fields::duration(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr) return {};
  if (node->kind == Node::Kind::scalar && plain_kind(node->text) == Plain::text) {
    const auto parsed = parse_duration(node->text);
    if (parsed && *parsed > Duration::zero()) return *parsed;
  }
  reading_.problem(node->place, fmt::format("`{}` of {} must be a length of time such as 30s, 5m or 2h, found {}", key,
                                            what_, describe(*node)));
  return {};
}

std::string Fields::choice(std::string_view key, const std::vector<std::string>& words) {
  const Node* node = take(key);
  if (node == nullptr) return words.front();
  if (node->kind == Node::Kind::scalar && contains(words, node->text)) return node->text;
  const auto meant = node->kind == Node::Kind::scalar ? closest(node->text, words) : std::nullopt;
  reading_.problem(node->place, fmt::format("`{}` of {} must be one of {}, found {}{}", key, what_, shown(words),
                                            describe(*node), meant ? fmt::format("; did you mean {}?", *meant) : ""));
  return words.front();
}

void Fields::finish(const std::vector<std::string>& elsewhere) const {
  if (node_.kind != Node::Kind::map) return;
  for (const auto& key : node_.keys) {
    if (contains(known_, key.text)) continue;
    if (contains(elsewhere, key.text)) {
      reading_.problem(key.place, fmt::format("{} has no `{}`, expected {}", what_, key.text, shown(known_)));
      continue;
    }
    const auto meant = closest(key.text, known_);
    reading_.problem(key.place, fmt::format("{} has no key {}{}", what_, quoted(key.text, 60),
                                            meant ? fmt::format(": did you mean `{}`?", *meant)
                                                  : fmt::format(", expected {}", shown(known_))));
  }
}

Place Fields::place_of(std::string_view key) const {
  const Node* node = node_.find(key);
  return node == nullptr ? node_.place : node->place;
}

std::optional<std::string> read_text(const Reading& reading, const Node& node, const std::string& what) {
  if (node.kind != Node::Kind::scalar) {
    reading.problem(node.place,
                    fmt::format("{} must be a text, found {}{}", what, describe(node),
                                is_placeholder_without_quotes(node) ? "; put it in quotes: '{{args/name}}'" : ""));
    return std::nullopt;
  }
  if (!node.is_quoted && plain_kind(node.text) != Plain::text) {
    const bool is_ambiguous = plain_kind(node.text) == Plain::ambiguous;
    reading.problem(node.place, fmt::format("{} must be a text, {}: write '{}'", what,
                                            is_ambiguous ? fmt::format("and some read {} as something else", node.text)
                                                         : fmt::format("found {}", describe(node)),
                                            node.text));
    return std::nullopt;
  }
  return node.text;
}

std::vector<std::string> read_texts(const Reading& reading, const Node& node, const std::string& what) {
  if (node.kind != Node::Kind::list) {
    reading.problem(node.place, fmt::format("{} must be a list of texts, found {}: write [ … ]", what, describe(node)));
    return {};
  }
  std::vector<std::string> texts;
  for (const auto& item : node.items)
    if (auto text = read_text(reading, item, "an entry of " + what)) texts.push_back(*std::move(text));
  return texts;
}

Json read_value(const Reading& reading, const Node& node) {
  if (node.kind == Node::Kind::scalar && !node.is_quoted && plain_kind(node.text) == Plain::ambiguous)
    reading.problem(node.place, fmt::format("{} is read differently by different readers: write '{}' for the text, or "
                                            "true, false or a plain number",
                                            node.text, node.text));
  for (const auto& item : node.items) read_value(reading, item);
  return to_json(node);
}

bool check_name(const Reading& reading, const Node& node, const std::string& what, bool may_have_underscores) {
  const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto is_next = [&](char c) { return is_first(c) || c == '-' || (c == '_' && may_have_underscores); };
  const std::string& text = node.text;
  const bool is_name = node.kind == Node::Kind::scalar && !text.empty() && text.size() <= limits::kNameMaxBytes &&
                       is_first(text[0]) && std::all_of(text.begin(), text.end(), is_next);
  if (!is_name)
    reading.problem(node.place, fmt::format("{} is no name of {}: use 1 to 64 of a-z, 0-9{} and '-', starting with a "
                                            "letter or digit",
                                            quoted(text, 80), what, may_have_underscores ? ", '_'" : ""));
  return is_name;
}

void check_pattern(const Reading& reading, Place place, const std::string& pattern, bool needs_group) {
  const auto compiled = Pattern::compile(pattern);
  if (!compiled) {
    reading.problem(place, compiled.error().what);
  } else if (needs_group && !compiled->has_group()) {
    reading.problem(place, fmt::format("{} has no group: put ( ) around what is wanted", quoted(pattern, 80)));
  }
}

}  // namespace teamster::workflow
