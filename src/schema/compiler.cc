#include "schema/compiler.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "schema/pointer.h"
#include "schema/spot.h"
#include "schema/value_rules.h"

namespace teamster::schema {
namespace {

// Keywords that are refused, because to pass them by would accept what the author wants refused.
// What is neither here nor read below is ignored, as the standard says.
constexpr std::array kUnsupported = {"$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties"};

class Compiler {
 public:
  explicit Compiler(const Json& document) : document_(document) {}
  Result<Nodes> run();

 private:
  // Whether a schema inside another is for the same value or for a part of it.
  enum class For { same_value, part };

  Result<NodeNumber> node(const Json& schema, const std::string& place);
  Result<NodeNumber> inner(const Spot& spot, const Json& schema, const std::string& place, For what);
  Result<std::vector<NodeNumber>> list(const Spot& spot, const char* keyword, For what);
  Result<std::optional<NodeNumber>> optional(const Spot& spot, const char* keyword, For what);

  // Each reads some keywords, where they are.
  Result<void> read_unsupported(const Spot& spot) const;
  Result<void> read_properties(const Spot& spot);
  Result<void> read_items(const Spot& spot);
  Result<void> read_contains(const Spot& spot);
  Result<void> read_dependent(const Spot& spot);
  Result<void> read_combinations(const Spot& spot);
  Result<void> read_condition(const Spot& spot);
  Result<void> read_reference(const Spot& spot);
  Result<void> read_definitions(const Spot& spot);

  Result<const Json*> place_of(const std::string& reference, const std::string& from) const;
  Result<void> resolve_references();
  Result<std::size_t> levels_of(NodeNumber number, std::size_t above);
  void add(const Spot& spot, Rule rule) { nodes_[spot.number].rules.push_back(std::move(rule)); }

  struct Unresolved {
    NodeNumber from;
    std::size_t rule;
    std::string reference;
    std::string place;
  };

  const Json& document_;
  Nodes nodes_;
  std::vector<std::string> places_;                  // by node
  std::vector<std::vector<NodeNumber>> same_value_;  // by node: those that look at the value it looks at
  std::vector<std::size_t> levels_;                  // by node: as levels_of, when known
  std::unordered_map<const Json*, NodeNumber> numbers_;
  std::unordered_map<std::string, const Json*> anchors_;
  std::vector<Unresolved> unresolved_;
};

Result<NodeNumber> Compiler::node(const Json& schema, const std::string& place) {
  if (const auto known = numbers_.find(&schema); known != numbers_.end()) return known->second;
  if (!schema.is_boolean() && !schema.is_object()) return refuse(place, "is neither an object nor true or false");
  const Spot spot{schema, place, nodes_.size()};
  numbers_.emplace(&schema, spot.number);
  nodes_.emplace_back();
  places_.push_back(place);
  same_value_.emplace_back();
  if (schema.is_boolean()) {
    if (!schema.get<bool>()) add(spot, Never{});
    return spot.number;
  }
  for (auto& rule : TRY(value_rules(spot))) add(spot, std::move(rule));
  for (const auto read : {&Compiler::read_properties, &Compiler::read_items, &Compiler::read_contains,
                          &Compiler::read_dependent, &Compiler::read_combinations, &Compiler::read_condition,
                          &Compiler::read_reference, &Compiler::read_definitions})
    TRY_VOID((this->*read)(spot));
  TRY_VOID(read_unsupported(spot));
  return spot.number;
}

Result<NodeNumber> Compiler::inner(const Spot& spot, const Json& schema, const std::string& place, For what) {
  const NodeNumber number = TRY(node(schema, place));
  if (what == For::same_value) same_value_[spot.number].push_back(number);
  return number;
}

Result<std::vector<NodeNumber>> Compiler::list(const Spot& spot, const char* keyword, For what) {
  const Json& schemas = spot.schema[keyword];
  const std::string place = spot.at(keyword);
  if (!schemas.is_array() || schemas.empty()) return refuse(place, "is not a list of at least one schema");
  std::vector<NodeNumber> numbers;
  for (const auto& each : schemas)
    numbers.push_back(TRY(inner(spot, each, place_in(place, std::to_string(numbers.size())), what)));
  return numbers;
}

Result<std::optional<NodeNumber>> Compiler::optional(const Spot& spot, const char* keyword, For what) {
  const Json* schema = find(spot.schema, keyword);
  if (schema == nullptr) return std::nullopt;
  return TRY(inner(spot, *schema, spot.at(keyword), what));
}

Result<void> Compiler::read_unsupported(const Spot& spot) const {
  for (const char* keyword : kUnsupported)
    if (spot.schema.contains(keyword))
      return refuse(spot.at(keyword), "this keyword is not supported", "Say it without, or leave it out");
  return {};
}

Result<void> Compiler::read_properties(const Spot& spot) {
  Properties properties;
  for (const char* keyword : {"properties", "patternProperties"}) {
    const Json* schemas = find(spot.schema, keyword);
    if (schemas == nullptr) continue;
    const std::string place = spot.at(keyword);
    if (!schemas->is_object()) return refuse(place, "is not an object of schemas");
    for (const auto& [name, each] : schemas->items()) {
      const NodeNumber number = TRY(node(each, place_in(place, name)));
      if (keyword == std::string_view("properties")) {
        properties.known.emplace(name, number);
        continue;
      }
      auto pattern = Pattern::compile(name);
      if (!pattern) return refuse(place, pattern.error().what, pattern.error().next);
      properties.matching.emplace_back(*std::move(pattern), number);
    }
  }
  properties.rest = TRY(optional(spot, "additionalProperties", For::part));
  if (!properties.known.empty() || !properties.matching.empty() || properties.rest) add(spot, std::move(properties));
  if (const auto names = TRY(optional(spot, "propertyNames", For::part))) add(spot, PropertyNames{*names});
  return {};
}

// Draft 7 has a list of schemas in items and the one for others in additionalItems, 2020-12 has
// them in prefixItems and items.
Result<void> Compiler::read_items(const Spot& spot) {
  Items items;
  const Json* schemas = find(spot.schema, "items");
  const bool is_list = schemas != nullptr && schemas->is_array();
  const auto additional = TRY(optional(spot, "additionalItems", For::part));
  if (spot.schema.contains("prefixItems")) {
    if (is_list) return refuse(spot.at("items"), "is a list beside prefixItems, expected a schema");
    items.first = TRY(list(spot, "prefixItems", For::part));
  }
  if (is_list) {
    items.first = TRY(list(spot, "items", For::part));
    items.rest = additional;
  } else {
    items.rest = TRY(optional(spot, "items", For::part));
  }
  if (!items.first.empty() || items.rest) add(spot, std::move(items));
  return {};
}

Result<void> Compiler::read_contains(const Spot& spot) {
  const auto contained = TRY(optional(spot, "contains", For::part));
  const std::size_t least = TRY(count_at(spot, "minContains", 1));
  const std::size_t most = TRY(count_at(spot, "maxContains", kUnbounded));
  if (contained) add(spot, Contains{*contained, least, most});
  return {};
}

Result<void> Compiler::read_dependent(const Spot& spot) {
  for (const std::string_view keyword : {"dependencies", "dependentRequired", "dependentSchemas"}) {
    const Json* all = find(spot.schema, keyword.data());
    if (all == nullptr) continue;
    const std::string place = spot.at(keyword);
    if (!all->is_object()) return refuse(place, "is not an object");
    for (const auto& [name, each] : all->items()) {
      const std::string inner_place = place_in(place, name);
      if (keyword != "dependentSchemas" && is_list_of_names(each)) {
        add(spot, Required{each.get<std::vector<std::string>>(), name});
      } else if (keyword == "dependentRequired") {
        return refuse_form(inner_place, each, "a list of names");
      } else {
        const NodeNumber number = TRY(inner(spot, each, inner_place, For::same_value));
        add(spot, Dependent{name, number});
      }
    }
  }
  return {};
}

Result<void> Compiler::read_combinations(const Spot& spot) {
  if (spot.schema.contains("allOf")) {
    auto nodes = TRY(list(spot, "allOf", For::same_value));
    add(spot, AllOf{std::move(nodes)});
  }
  if (spot.schema.contains("anyOf")) {
    auto nodes = TRY(list(spot, "anyOf", For::same_value));
    add(spot, AnyOf{std::move(nodes)});
  }
  if (spot.schema.contains("oneOf")) {
    auto nodes = TRY(list(spot, "oneOf", For::same_value));
    add(spot, OneOf{std::move(nodes)});
  }
  if (const auto refused = TRY(optional(spot, "not", For::same_value))) add(spot, Not{*refused});
  return {};
}

Result<void> Compiler::read_condition(const Spot& spot) {
  const auto condition = TRY(optional(spot, "if", For::same_value));
  const auto then = TRY(optional(spot, "then", For::same_value));
  const auto otherwise = TRY(optional(spot, "else", For::same_value));
  if (condition) add(spot, Condition{*condition, then, otherwise});
  return {};
}

Result<void> Compiler::read_reference(const Spot& spot) {
  if (const Json* anchor = find(spot.schema, "$anchor"); anchor != nullptr && anchor->is_string())
    anchors_.emplace(anchor->get<std::string>(), &spot.schema);
  const Json* reference = find(spot.schema, "$ref");
  if (reference == nullptr) return {};
  if (!reference->is_string()) return refuse(spot.at("$ref"), "is not a string");
  // What it leads to may come later.
  const std::size_t rule = nodes_[spot.number].rules.size();
  unresolved_.push_back({spot.number, rule, reference->get<std::string>(), spot.at("$ref")});
  add(spot, Reference{0});
  return {};
}

Result<void> Compiler::read_definitions(const Spot& spot) {
  for (const char* keyword : {"$defs", "definitions"}) {
    const Json* schemas = find(spot.schema, keyword);
    if (schemas == nullptr) continue;
    const std::string place = spot.at(keyword);
    if (!schemas->is_object()) return refuse(place, "is not an object of schemas");
    for (const auto& [name, each] : schemas->items()) TRY_VOID(node(each, place_in(place, name)));
  }
  return {};
}

Result<const Json*> Compiler::place_of(const std::string& reference, const std::string& from) const {
  if (!reference.starts_with('#'))
    return refuse(from, fmt::format("refers to another document ({})", quoted(reference, 100)),
                  "Copy what it needs into \"$defs\" and refer to \"#/$defs/…\"");
  const bool is_name = reference.size() > 1 && reference[1] != '/';
  const auto anchor = anchors_.find(reference.substr(1));
  if (is_name && anchor != anchors_.end()) return anchor->second;
  const Json* found = is_name ? nullptr : find_by_pointer(document_, std::string_view(reference).substr(1));
  if (found == nullptr) return refuse(from, fmt::format("refers to {}, which is not there", quoted(reference, 100)));
  return found;
}

// Compiles what is referred to but stands where no keyword looks, which may refer to more.
Result<void> Compiler::resolve_references() {
  while (!unresolved_.empty()) {
    const Unresolved next = std::move(unresolved_.back());
    unresolved_.pop_back();
    const Json* found = TRY(place_of(next.reference, next.place));
    const NodeNumber number = TRY(node(*found, next.reference.substr(0, kPlaceShownBytes)));
    nodes_[next.from].rules[next.rule] = Reference{number};
    same_value_[next.from].push_back(number);
  }
  return {};
}

// How many schemas for one and the same value lie within this one, itself included. One that
// comes back to itself that way would be checked without end.
Result<std::size_t> Compiler::levels_of(NodeNumber number, std::size_t above) {
  constexpr std::size_t kOnTheWay = kUnbounded;
  std::size_t& levels = levels_[number];
  if (levels == kOnTheWay) return refuse(places_[number], "refers to itself for the same value");
  const bool is_known = levels > 0;
  std::size_t deepest = 0;
  if (!is_known && above < limits::kSchemaLevelsMax) {
    levels = kOnTheWay;
    for (const NodeNumber each : same_value_[number]) deepest = std::max(deepest, TRY(levels_of(each, above + 1)));
  }
  if (!is_known) levels = deepest + 1;
  if (above + levels > limits::kSchemaLevelsMax)
    return refuse(places_[number],
                  fmt::format("more than {} schemas for one value lie within each other", limits::kSchemaLevelsMax));
  return levels;
}

Result<Nodes> Compiler::run() {
  TRY_VOID(node(document_, "#"));
  TRY_VOID(resolve_references());
  levels_.resize(nodes_.size());
  for (NodeNumber number = 0; number < nodes_.size(); ++number) TRY_VOID(levels_of(number, 0));
  return std::move(nodes_);
}

// Stops at the limits, with false.
bool is_within_limits(const Json& value, std::size_t depth, std::size_t& bytes) {
  bytes += value.is_string() ? value.get_ref<const std::string&>().size() + 2 : 2;
  if (depth > limits::kJsonMaxDepth || bytes > limits::kSchemaMaxBytes) return false;
  if (!value.is_structured()) return true;
  for (const auto& [name, each] : value.items()) {
    if (value.is_object()) bytes += name.size() + 2;
    if (!is_within_limits(each, depth + 1, bytes)) return false;
  }
  return true;
}

}  // namespace

Result<Nodes> compile_nodes(const Json& document) {
  std::size_t bytes = 0;
  if (!is_within_limits(document, 1, bytes))
    return fail(Code::invalid, fmt::format("the schema has more than {} bytes or {} levels", limits::kSchemaMaxBytes,
                                           limits::kJsonMaxDepth));
  return Compiler(document).run();
}

}  // namespace teamster::schema
