#include "schema/dialect.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "schema/pattern.h"
#include "schema/pointer.h"

namespace teamster::schema {
namespace {

enum class Form {
  annotation,   // says nothing about validity here
  rule,         // looks at one value alone
  kept,         // understood by the checker as it is
  schema,       // one schema for the same value
  below,        // one schema for a part of the value
  list,         // schemas for the same value
  map_below,    // schemas by the name of a part
  definitions,  // schemas that are used by reference
  dependent,    // schemas or names, by the name of a property
  items,
  tuple,
  reference,
  unsupported,
};

struct Keyword {
  std::string_view name;
  Form form;
};

// What is not in this table is ignored, as the standard says.
constexpr std::array kKeywords{
    Keyword{"type", Form::rule},
    Keyword{"enum", Form::rule},
    Keyword{"const", Form::rule},
    Keyword{"pattern", Form::rule},
    Keyword{"minimum", Form::rule},
    Keyword{"maximum", Form::rule},
    Keyword{"exclusiveMinimum", Form::rule},
    Keyword{"exclusiveMaximum", Form::rule},
    Keyword{"multipleOf", Form::rule},
    Keyword{"minLength", Form::rule},
    Keyword{"maxLength", Form::rule},
    Keyword{"minItems", Form::kept},
    Keyword{"maxItems", Form::kept},
    Keyword{"minProperties", Form::kept},
    Keyword{"maxProperties", Form::kept},
    Keyword{"uniqueItems", Form::kept},
    Keyword{"required", Form::kept},
    Keyword{"allOf", Form::list},
    Keyword{"anyOf", Form::list},
    Keyword{"oneOf", Form::list},
    Keyword{"not", Form::schema},
    Keyword{"if", Form::schema},
    Keyword{"then", Form::schema},
    Keyword{"else", Form::schema},
    Keyword{"contains", Form::below},
    Keyword{"propertyNames", Form::below},
    Keyword{"additionalProperties", Form::below},
    Keyword{"properties", Form::map_below},
    Keyword{"patternProperties", Form::map_below},
    Keyword{"$defs", Form::definitions},
    Keyword{"definitions", Form::definitions},
    Keyword{"dependencies", Form::dependent},
    Keyword{"dependentRequired", Form::dependent},
    Keyword{"dependentSchemas", Form::dependent},
    Keyword{"items", Form::items},
    Keyword{"prefixItems", Form::tuple},
    Keyword{"$ref", Form::reference},
    Keyword{"$dynamicRef", Form::unsupported},
    Keyword{"$recursiveRef", Form::unsupported},
    Keyword{"unevaluatedItems", Form::unsupported},
    Keyword{"unevaluatedProperties", Form::unsupported},
    Keyword{"minContains", Form::unsupported},
    Keyword{"maxContains", Form::unsupported},
};

constexpr std::array<std::string_view, 7> kTypes = {"null",   "boolean", "object", "array",
                                                    "number", "integer", "string"};

Form form_of(std::string_view keyword) {
  const auto it =
      std::find_if(kKeywords.begin(), kKeywords.end(), [&](const Keyword& each) { return each.name == keyword; });
  return it == kKeywords.end() ? Form::annotation : it->form;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_type(const Json& value) {
  return value.is_string() &&
         std::find(kTypes.begin(), kTypes.end(), value.get_ref<const std::string&>()) != kTypes.end();
}

bool is_list_of_texts(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_string(); });
}

bool is_count(const Json& value) {
  return value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
}

// What a keyword of that name must hold, when it does not hold it.
const char* expected_instead(std::string_view name, const Json& value) {
  if (name == "type") {
    const bool is_list = value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_type);
    return is_list || is_type(value)
               ? nullptr
               : "one of null, boolean, object, array, number, integer, string, or a list of them";
  }
  if (name == "enum") return value.is_array() && !value.empty() ? nullptr : "a list of at least one value";
  if (name == "pattern") return value.is_string() ? nullptr : "a regular expression";
  if (name == "required") return is_list_of_texts(value) ? nullptr : "a list of names";
  if (name == "uniqueItems") return value.is_boolean() ? nullptr : "true or false";
  if (name == "multipleOf") return value.is_number() && value.get<double>() > 0 ? nullptr : "a number above 0";
  if (is_one_of(name, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}))
    return value.is_number() ? nullptr : "a number";
  if (name == "const") return nullptr;
  return is_count(value) ? nullptr : "a whole number from 0";
}

class Translator {
 public:
  explicit Translator(const Json& root) : root_(root) {}
  Result<Canonical> run();

 private:
  // A schema that references lead to; the whole document is the first.
  struct Target {
    const Json* node;
    std::string place;
    std::set<std::size_t> same_value;  // references to other targets for the value itself
  };
  struct Spot {
    std::string place;   // in the document, for errors
    bool is_same_value;  // whether the schema is for the value that the target is for
    Spot at(std::string_view keyword) const { return {place + "/" + escaped_token(keyword), is_same_value}; }
    Spot below(std::string_view keyword) const { return {place + "/" + escaped_token(keyword), false}; }
  };

  Result<std::size_t> target_of(const std::string& reference, const Spot& from);
  Result<Json> schema(const Json& node, const Spot& spot);
  Result<void> keyword(const std::string& name, const Json& value, const Spot& spot, const Json& node, Json& out);
  Result<void> rule(const std::string& name, const Json& value, const Spot& spot, Json& out);
  Result<Json> list(const Json& value, const Spot& spot);
  Result<Json> map(const Json& value, const Spot& spot);
  Result<Json> dependent(const Json& value, const Spot& spot);
  Result<void> patterns_of_names(const Json& value, const Spot& spot);
  Result<std::size_t> chain(std::size_t from, std::vector<int>& known);
  tl::unexpected<Error> refuse(const Spot& spot, std::string_view what, std::string next = {}) const {
    return fail(Code::invalid, fmt::format("schema at {}: {}", quoted(spot.place, 200), what), std::move(next));
  }

  const Json& root_;
  Canonical out_;
  std::vector<Target> targets_;
  std::map<const Json*, std::size_t> numbers_;
  std::size_t current_ = 0;
};

Result<std::size_t> Translator::target_of(const std::string& reference, const Spot& from) {
  if (!reference.starts_with('#'))
    return refuse(from, fmt::format("refers to another document ({})", quoted(reference, 100)),
                  "Copy what it needs into \"$defs\" and refer to \"#/$defs/…\"");
  if (reference.size() > 1 && reference[1] != '/')
    return refuse(from, fmt::format("refers to {} by a name", quoted(reference, 100)),
                  "Refer to a place in the document, as in \"#/$defs/…\"");
  const Json* node = find_by_pointer(root_, std::string_view(reference).substr(1));
  if (node == nullptr) return refuse(from, fmt::format("refers to {}, which is not there", quoted(reference, 100)));
  const auto [it, is_new] = numbers_.emplace(node, targets_.size());
  if (!is_new) return it->second;
  if (targets_.size() == limits::kSchemaReferencesMax)
    return refuse(from, fmt::format("the schema refers to more than {} places", limits::kSchemaReferencesMax));
  targets_.push_back({node, reference, {}});
  return it->second;
}

Result<Json> Translator::list(const Json& value, const Spot& spot) {
  if (!value.is_array() || value.empty()) return refuse(spot, "is not a list of at least one schema");
  Json out = Json::array();
  for (const auto& each : value) out.push_back(TRY(schema(each, spot.at(std::to_string(out.size())))));
  return out;
}

Result<Json> Translator::map(const Json& value, const Spot& spot) {
  if (!value.is_object()) return refuse(spot, "is not an object of schemas");
  Json out = Json::object();
  for (const auto& [name, each] : value.items()) out[name] = TRY(schema(each, spot.at(name)));
  return out;
}

Result<Json> Translator::dependent(const Json& value, const Spot& spot) {
  if (!value.is_object()) return refuse(spot, "is not an object");
  Json out = Json::object();
  for (const auto& [name, each] : value.items())
    out[name] = is_list_of_texts(each) ? each : TRY(schema(each, spot.at(name)));
  return out;
}

Result<void> Translator::patterns_of_names(const Json& value, const Spot& spot) {
  for (const auto& [pattern, each] : value.items()) {
    if (auto compiled = Pattern::compile(pattern); !compiled) return refuse(spot, compiled.error().what);
    // The checker matches names by backtracking: a repeated group may take it exponential time.
    for (const char* repeated : {")*", ")+", "){"})
      if (pattern.find(repeated) != std::string::npos)
        return refuse(spot, fmt::format("{} repeats a group, which is not supported for names", quoted(pattern, 100)));
  }
  return {};
}

Result<void> Translator::rule(const std::string& name, const Json& value, const Spot& spot, Json& out) {
  if (name == "pattern")
    if (auto compiled = Pattern::compile(value.get<std::string>()); !compiled)
      return refuse(spot.at(name), compiled.error().what);
  out[kRules].push_back(out_.rules.size());
  out_.rules.push_back({name, value});
  return {};
}

Result<void> Translator::keyword(const std::string& name, const Json& value, const Spot& spot, const Json& node,
                                 Json& out) {
  const Spot here = spot.at(name);
  switch (form_of(name)) {
    case Form::annotation:
      return {};
    case Form::unsupported:
      return refuse(here, "this keyword is not supported", "Say it without, or leave it out");
    case Form::rule:
    case Form::kept:
      if (const char* expected = expected_instead(name, value))
        return refuse(here, fmt::format("is {}, expected {}", quoted(dump_json(value), 60), expected));
      if (form_of(name) == Form::rule) return rule(name, value, spot, out);
      if (name == "uniqueItems") out_.has_unique_items = true;
      out[name] = value;
      return {};
    case Form::schema:
      out[name] = TRY(schema(value, here));
      return {};
    case Form::below:
      if (name == "propertyNames") out_.has_name_patterns = true;
      out[name] = TRY(schema(value, spot.below(name)));
      return {};
    case Form::list:
      // A $ref or a dependency may have begun it.
      for (auto& each : TRY(list(value, here))) out[name].push_back(std::move(each));
      return {};
    case Form::map_below:
      out[name] = TRY(map(value, spot.below(name)));
      if (name != "patternProperties") return {};
      out_.has_name_patterns = true;
      return patterns_of_names(value, here);
    case Form::definitions:
      // Translated for their errors; what is used of them is reached by reference.
      TRY_VOID(map(value, spot.below(name)));
      return {};
    case Form::dependent:
      out["allOf"].push_back({{"dependencies", TRY(dependent(value, here))}});
      return {};
    case Form::tuple:
      out["items"] = TRY(list(value, spot.below(name)));
      return {};
    case Form::items: {
      const Spot below = spot.below(name);
      if (value.is_array()) {
        out["items"] = TRY(list(value, below));
        if (node.contains("additionalItems"))
          out["additionalItems"] = TRY(schema(node["additionalItems"], spot.below("additionalItems")));
      } else {
        out[node.contains("prefixItems") ? "additionalItems" : "items"] = TRY(schema(value, below));
      }
      return {};
    }
    case Form::reference: {
      if (!value.is_string()) return refuse(here, "is not a string");
      const std::size_t target = TRY(target_of(value.get<std::string>(), here));
      if (spot.is_same_value) targets_[current_].same_value.insert(target);
      out["allOf"].push_back({{"$ref", fmt::format("#/{}/{}", kReferences, target)}});
      return {};
    }
  }
  return {};
}

Result<Json> Translator::schema(const Json& node, const Spot& spot) {
  Json out = Json::object();
  if (node.is_boolean()) {
    if (!node.get<bool>()) TRY_VOID(rule(kNever, node, spot, out));
    return out;
  }
  if (!node.is_object()) return refuse(spot, "is neither an object nor true or false");
  // Every schema has the list, so that the checker comes by and can end a run with too many problems.
  out[kRules] = Json::array();
  // The type comes first: where it is wrong, the other rules say nothing new.
  if (const auto type = node.find("type"); type != node.end()) TRY_VOID(keyword("type", *type, spot, node, out));
  for (const auto& [name, value] : node.items())
    if (name != "type") TRY_VOID(keyword(name, value, spot, node, out));
  return out;
}

// How many references for one and the same value follow each other at most. A schema that
// comes back to itself that way would be checked without end.
Result<std::size_t> Translator::chain(std::size_t from, std::vector<int>& known) {
  constexpr int kOnTheWay = -1;
  if (known[from] == kOnTheWay) return refuse({targets_[from].place, true}, "refers to itself for the same value");
  if (known[from] > 0) return static_cast<std::size_t>(known[from]);
  known[from] = kOnTheWay;
  std::size_t longest = 0;
  for (const std::size_t next : targets_[from].same_value) longest = std::max(longest, TRY(chain(next, known)));
  if (++longest > limits::kSchemaReferencesInARowMax)
    return refuse({targets_[from].place, true},
                  fmt::format("more than {} references follow each other", limits::kSchemaReferencesInARowMax));
  known[from] = static_cast<int>(longest);
  return longest;
}

Result<Canonical> Translator::run() {
  TRY_VOID(target_of("#", {"#", true}));
  Json references = Json::object();
  for (current_ = 0; current_ < targets_.size(); ++current_)
    references[std::to_string(current_)] = TRY(schema(*targets_[current_].node, {targets_[current_].place, true}));
  std::vector<int> known(targets_.size(), 0);
  for (std::size_t i = 0; i < targets_.size(); ++i) TRY_VOID(chain(i, known));
  out_.document[kReferences] = std::move(references);
  out_.document["$ref"] = fmt::format("#/{}/0", kReferences);
  return std::move(out_);
}

// Bytes that the document takes at least, or nothing when it is too deep. Stops at the limits.
bool is_within_limits(const Json& node, std::size_t depth, std::size_t& bytes) {
  bytes += node.is_string() ? node.get_ref<const std::string&>().size() + 2 : 2;
  if (depth > limits::kJsonMaxDepth || bytes > limits::kSchemaMaxBytes) return false;
  if (!node.is_structured()) return true;
  for (const auto& [name, each] : node.items()) {
    if (node.is_object()) bytes += name.size() + 2;
    if (!is_within_limits(each, depth + 1, bytes)) return false;
  }
  return true;
}

}  // namespace

Result<Canonical> canonical_schema(const Json& document) {
  std::size_t bytes = 0;
  if (!is_within_limits(document, 1, bytes))
    return fail(Code::invalid, fmt::format("the schema has more than {} bytes or {} levels", limits::kSchemaMaxBytes,
                                           limits::kJsonMaxDepth));
  return Translator(document).run();
}

}  // namespace teamster::schema
