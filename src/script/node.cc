#include "script/node.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster::script {
namespace {

constexpr std::size_t kShownMaxBytes = 60;

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace

tl::unexpected<Error> ScriptNode::wrong(std::string_view what, std::string_view next) const {
  const std::string where = pointer_.empty() ? std::string("at its top") : fmt::format("at {}", pointer_);
  return fail(Code::invalid, fmt::format("{} {}: {}", file_, where, what), std::string(next));
}

tl::unexpected<Error> ScriptNode::expected(std::string_view kind) const {
  return wrong(fmt::format("expected {}, got {}", kind, quoted(dump_json(*value_), kShownMaxBytes)));
}

ScriptNode ScriptNode::child(const Json& value, std::string_view key) const {
  return ScriptNode(value, fmt::format("{}/{}", pointer_, escaped(key)), file_);
}

Result<void> ScriptNode::check_keys(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) return expected("an object");
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto meant = closest(key, known);
    return wrong(fmt::format("unknown key {}", quoted(key, kShownMaxBytes)),
                 meant           ? fmt::format("Did you mean '{}'?", *meant)
                 : known.empty() ? "It takes none"
                                 : fmt::format("Known here: {}", join(known, ", ")));
  }
  return {};
}

bool ScriptNode::has(std::string_view key) const { return value_->is_object() && value_->find(key) != value_->end(); }

Result<ScriptNode> ScriptNode::member(std::string_view key) const {
  if (!value_->is_object()) return expected("an object");
  const auto it = value_->find(key);
  if (it == value_->end()) return wrong(fmt::format("key '{}' is missing", key));
  return child(*it, key);
}

Result<std::string> ScriptNode::only_key() const {
  if (!value_->is_object()) return expected("an object with one key");
  if (value_->size() != 1) return wrong(fmt::format("has {} keys, a step has exactly one", value_->size()));
  return value_->begin().key();
}

Result<std::vector<ScriptNode>> ScriptNode::elements() const {
  if (!value_->is_array()) return expected("a list");
  std::vector<ScriptNode> nodes;
  for (std::size_t i = 0; i < value_->size(); ++i) nodes.push_back(child((*value_)[i], std::to_string(i)));
  return nodes;
}

Result<std::string> ScriptNode::text() const {
  if (!value_->is_string()) return expected("a string");
  return value_->get<std::string>();
}

Result<std::int64_t> ScriptNode::integer(Bounds bounds) const {
  const bool fits = value_->is_number_integer() &&
                    !(value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{INT64_MAX});
  const std::int64_t number = fits ? value_->get<std::int64_t>() : 0;
  if (fits && number >= bounds.least && number <= bounds.most) return number;
  return expected(bounds.most == INT64_MAX ? fmt::format("a whole number from {}", bounds.least)
                                           : fmt::format("a whole number from {} to {}", bounds.least, bounds.most));
}

Result<double> ScriptNode::number() const {
  if (!value_->is_number() || value_->get<double>() < 0) return expected("a number from 0");
  return value_->get<double>();
}

Result<bool> ScriptNode::truth() const {
  if (!value_->is_boolean()) return expected("true or false");
  return value_->get<bool>();
}

Result<Duration> ScriptNode::duration() const {
  const auto words = TRY(text());
  const auto span = parse_duration(words);
  if (!span) return wrong(span.error().what, span.error().next);
  return *span;
}

Result<Json> ScriptNode::object() const {
  if (!value_->is_object()) return expected("an object");
  return *value_;
}

Result<std::string> ScriptNode::text_at(std::string_view key) const { return TRY(member(key)).text(); }

Result<std::string> ScriptNode::text_at(std::string_view key, std::string otherwise) const {
  if (!has(key)) return otherwise;
  return TRY(member(key)).text();
}

Result<std::int64_t> ScriptNode::integer_at(std::string_view key, Bounds bounds, std::int64_t otherwise) const {
  if (!has(key)) return otherwise;
  return TRY(member(key)).integer(bounds);
}

Result<std::optional<std::int64_t>> ScriptNode::optional_integer_at(std::string_view key, Bounds bounds) const {
  if (!has(key)) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(TRY(TRY(member(key)).integer(bounds)));
}

Result<bool> ScriptNode::truth_at(std::string_view key) const {
  if (!has(key)) return false;
  return TRY(member(key)).truth();
}

}  // namespace teamster::script
