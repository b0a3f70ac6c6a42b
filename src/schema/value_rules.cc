#include "schema/value_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::schema {
namespace {

using Rules = std::vector<Rule>;

constexpr std::array<std::string_view, 7> kTypes = {"null",   "boolean", "object", "array",
                                                    "number", "integer", "string"};

bool is_type(const Json& value) {
  return value.is_string() &&
         std::find(kTypes.begin(), kTypes.end(), value.get_ref<const std::string&>()) != kTypes.end();
}

Result<void> read_types(const Spot& spot, Rules& rules) {
  const Json* type = find(spot.schema, "type");
  if (type == nullptr) return {};
  const bool is_list = type->is_array() && !type->empty() && std::all_of(type->begin(), type->end(), is_type);
  if (!is_list && !is_type(*type))
    return refuse_form(spot.at("type"), *type,
                       "one of null, boolean, object, array, number, integer, string, or a list of them");
  Types types;
  const auto add = [&](const std::string& name) {
    if (std::find(types.names.begin(), types.names.end(), name) == types.names.end()) types.names.push_back(name);
  };
  if (!is_list) add(type->get_ref<const std::string&>());
  if (is_list)
    for (const auto& name : *type) add(name.get_ref<const std::string&>());
  rules.emplace_back(std::move(types));
  return {};
}

Choice choice_of(std::vector<Json> values) {
  constexpr std::size_t kTextMaxBytes = limits::kSchemaProblemMaxBytes / 2;
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : ", ") + dump_json(value);
  if (text.size() > kTextMaxBytes) text = quoted(text, kTextMaxBytes);
  if (values.size() > 1) text = "one of " + text;
  return {std::move(values), std::move(text)};
}

Result<void> read_choice(const Spot& spot, Rules& rules) {
  if (const Json* values = find(spot.schema, "enum")) {
    if (!values->is_array() || values->empty())
      return refuse_form(spot.at("enum"), *values, "a list of at least one value");
    rules.emplace_back(choice_of(std::vector<Json>(values->begin(), values->end())));
  }
  if (const Json* value = find(spot.schema, "const")) rules.emplace_back(choice_of(std::vector<Json>(1, *value)));
  return {};
}

Result<void> read_bounds(const Spot& spot, Rules& rules) {
  constexpr std::array<std::pair<const char*, Bound::Kind>, 5> kBounds = {{
      {"minimum", Bound::Kind::minimum},
      {"maximum", Bound::Kind::maximum},
      {"exclusiveMinimum", Bound::Kind::exclusive_minimum},
      {"exclusiveMaximum", Bound::Kind::exclusive_maximum},
      {"multipleOf", Bound::Kind::multiple_of},
  }};
  for (const auto& [keyword, kind] : kBounds) {
    const Json* number = find(spot.schema, keyword);
    if (number == nullptr) continue;
    if (!number->is_number()) return refuse_form(spot.at(keyword), *number, "a number");
    if (kind == Bound::Kind::multiple_of && !(number->get<double>() > 0))
      return refuse_form(spot.at(keyword), *number, "a number above 0");
    rules.emplace_back(Bound{kind, *number});
  }
  return {};
}

Result<void> read_amounts(const Spot& spot, Rules& rules) {
  struct Keywords {
    Amount::Of of;
    const char* least;
    const char* most;
  };
  for (const auto& [of, least, most] :
       {Keywords{Amount::Of::characters, "minLength", "maxLength"}, Keywords{Amount::Of::items, "minItems", "maxItems"},
        Keywords{Amount::Of::properties, "minProperties", "maxProperties"}}) {
    const std::size_t lower = TRY(count_at(spot, least, 0));
    const std::size_t upper = TRY(count_at(spot, most, kUnbounded));
    if (lower > 0) rules.emplace_back(Amount{of, true, lower});
    if (upper < kUnbounded) rules.emplace_back(Amount{of, false, upper});
  }
  return {};
}

Result<void> read_unique(const Spot& spot, Rules& rules) {
  const Json* unique = find(spot.schema, "uniqueItems");
  if (unique == nullptr) return {};
  if (!unique->is_boolean()) return refuse_form(spot.at("uniqueItems"), *unique, "true or false");
  if (unique->get<bool>()) rules.emplace_back(UniqueItems{});
  return {};
}

Result<void> read_pattern(const Spot& spot, Rules& rules) {
  const Json* expression = find(spot.schema, "pattern");
  if (expression == nullptr) return {};
  if (!expression->is_string()) return refuse_form(spot.at("pattern"), *expression, "a regular expression");
  auto pattern = Pattern::compile(expression->get_ref<const std::string&>());
  if (!pattern) return refuse(spot.at("pattern"), pattern.error().what, pattern.error().next);
  rules.emplace_back(Matching{*std::move(pattern)});
  return {};
}

Result<void> read_required(const Spot& spot, Rules& rules) {
  const Json* names = find(spot.schema, "required");
  if (names == nullptr) return {};
  if (!is_list_of_names(*names)) return refuse_form(spot.at("required"), *names, "a list of names");
  rules.emplace_back(Required{names->get<std::vector<std::string>>(), std::nullopt});
  return {};
}

}  // namespace

Result<std::vector<Rule>> value_rules(const Spot& spot) {
  Rules rules;
  for (const auto read : {read_types, read_choice, read_bounds, read_amounts, read_unique, read_pattern, read_required})
    TRY_VOID(read(spot, rules));
  return rules;
}

}  // namespace teamster::schema
