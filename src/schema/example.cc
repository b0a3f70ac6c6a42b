#include "schema/example.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schema/pointer.h"
#include "schema/schema.h"

namespace teamster::schema {
namespace {

// What is to be chosen (anyOf, if) is chosen another way in each.
constexpr int kAttemptsMax = 8;
constexpr int kDepthMax = 24;
constexpr int kOptionalDepthMax = 6;
constexpr int kStepsMax = 2000;  // in all attempts
constexpr std::size_t kAmountMax = 100;

const Json* part(const Json& schema, const char* keyword) {
  const auto found = schema.find(keyword);
  return found == schema.end() ? nullptr : &*found;
}

std::size_t amount(const Json& schema, const char* keyword, std::size_t fallback) {
  const Json* given = part(schema, keyword);
  return given != nullptr && given->is_number_unsigned() ? std::min(given->get<std::size_t>(), kAmountMax) : fallback;
}

// Both must hold. Of two bounds the later one stays: it is checked afterwards.
void add_schema(Json& to, const Json& more) {
  for (const auto& [keyword, value] : more.items()) {
    if (keyword == "$defs" || keyword == "definitions") continue;
    Json& mine = to[keyword];
    if (keyword == "properties" && mine.is_object() && value.is_object()) {
      for (const auto& [name, each] : value.items())
        mine[name].is_object() && each.is_object() ? add_schema(mine[name], each) : void(mine[name] = each);
    } else if (keyword == "required" && mine.is_array() && value.is_array()) {
      for (const auto& each : value) mine.push_back(each);
    } else {
      mine = value;
    }
  }
}

Json number_of(const Json& schema, bool is_integer) {
  const auto bound = [&](const char* keyword) -> std::optional<double> {
    const Json* given = part(schema, keyword);
    if (given == nullptr || !given->is_number()) return std::nullopt;
    return given->get<double>();
  };
  const double step = bound("multipleOf").value_or(1);
  double number = 0;
  if (const auto most = bound("maximum")) number = std::min(number, std::floor(*most / step) * step);
  if (const auto below = bound("exclusiveMaximum"); below && number >= *below)
    number = (std::ceil(*below / step) - 1) * step;
  if (const auto least = bound("minimum"); least && number < *least) number = std::ceil(*least / step) * step;
  if (const auto above = bound("exclusiveMinimum"); above && number <= *above)
    number = (std::floor(*above / step) + 1) * step;
  // Between two numbers there may be no step of one.
  if (const auto most = bound("maximum"); !is_integer && most && number > *most) number = *most;
  if (std::abs(number) < 9e15 && number == std::floor(number)) return static_cast<std::int64_t>(number);
  return number;
}

class ExampleMaker {
 public:
  ExampleMaker(const Json& document, const ExampleOptions& options) : document_(document), options_(options) {}

  Json attempt(int number) {
    attempt_ = number;
    return make(document_, "", 0);
  }
  // Otherwise another attempt gives the same.
  bool can_choose() const { return can_choose_ && steps_ <= kStepsMax; }

 private:
  Json make(const Json& schema, const std::string& path, int depth) {
    if (!schema.is_object() || depth > kDepthMax || ++steps_ > kStepsMax) return Json::object();
    const Json whole = resolved(schema, depth);
    if (const Json* value = part(whole, "const")) return *value;
    if (const Json* values = part(whole, "enum"); values != nullptr && values->is_array() && !values->empty())
      return values->front();
    if (const Json* value = part(whole, "default")) return *value;
    const std::string type = type_of(whole);
    if (type == "object") return object(whole, path, depth);
    if (type == "array") return list(whole, path, depth);
    if (type == "integer" || type == "number") return number_of(whole, type == "integer");
    if (type == "boolean") return true;
    if (type == "null") return {};
    return text(whole, path);
  }

  // With what it refers to and what it is made of, in one.
  Json resolved(const Json& schema, int depth) {
    Json whole = Json::object();
    add_schema(whole, schema);
    if (depth > kDepthMax || ++steps_ > kStepsMax) return whole;
    if (const Json* reference = part(schema, "$ref"); reference != nullptr && reference->is_string()) {
      const std::string to = reference->get<std::string>();
      const Json* target = to.starts_with('#') ? find_by_pointer(document_, std::string_view(to).substr(1)) : nullptr;
      whole.erase("$ref");
      if (target != nullptr && target->is_object()) add_schema(whole, resolved(*target, depth + 1));
    }
    for (const Json& each : parts_of(schema))
      if (each.is_object()) add_schema(whole, resolved(each, depth + 1));
    return whole;
  }

  std::vector<Json> parts_of(const Json& schema) {
    std::vector<Json> parts;
    for (const char* keyword : {"anyOf", "oneOf", "if"}) can_choose_ = can_choose_ || schema.contains(keyword);
    if (const Json* all = part(schema, "allOf"); all != nullptr && all->is_array())
      parts.insert(parts.end(), all->begin(), all->end());
    for (const char* keyword : {"anyOf", "oneOf"})
      if (const Json* any = part(schema, keyword); any != nullptr && any->is_array() && !any->empty())
        parts.push_back((*any)[static_cast<std::size_t>(attempt_) % any->size()]);
    if (const Json* condition = part(schema, "if")) {
      const Json* branch = part(schema, attempt_ % 2 == 0 ? "then" : "else");
      if (attempt_ % 2 == 0) parts.push_back(*condition);
      if (branch != nullptr) parts.push_back(*branch);
    }
    return parts;
  }

  static std::string type_of(const Json& schema) {
    if (const Json* type = part(schema, "type")) {
      if (type->is_string()) return type->get<std::string>();
      if (type->is_array())
        for (const auto& each : *type)
          if (each.is_string() && each != "null") return each.get<std::string>();
      return "null";
    }
    for (const char* keyword : {"properties", "required", "minProperties", "additionalProperties"})
      if (schema.contains(keyword)) return "object";
    for (const char* keyword : {"items", "prefixItems", "minItems", "contains"})
      if (schema.contains(keyword)) return "array";
    for (const char* keyword : {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"})
      if (schema.contains(keyword)) return "number";
    return schema.contains("minLength") || schema.contains("pattern") ? "string" : "object";
  }

  Json object(const Json& schema, const std::string& path, int depth) {
    Json made = Json::object();
    const Json none = Json::object();
    const Json* given = part(schema, "properties");
    const Json& properties = given != nullptr && given->is_object() ? *given : none;
    const auto add = [&](const std::string& name) {
      if (made.contains(name)) return;
      const auto declared = properties.find(name);
      const std::string below = path.empty() ? name : path + "/" + name;
      made[name] = declared == properties.end() ? Json(name) : make(*declared, below, depth + 1);
    };
    if (const Json* required = part(schema, "required"); required != nullptr && required->is_array())
      for (const auto& name : *required)
        if (name.is_string()) add(name.get<std::string>());
    if (options_.has_optional && depth <= kOptionalDepthMax)
      for (const auto& [name, each] : properties.items())
        if (each != Json(false)) add(name);
    const std::size_t least = amount(schema, "minProperties", 0);
    for (const auto& [name, each] : properties.items())
      if (made.size() < least) add(name);
    for (std::size_t i = 1; made.size() < least; ++i) {
      const Json* rest = part(schema, "additionalProperties");
      made[fmt::format("field{}", i)] = rest == nullptr ? Json("text") : make(*rest, path, depth + 1);
    }
    return made;
  }

  Json list(const Json& schema, const std::string& path, int depth) {
    const Json anything = {{"type", "string"}};
    const Json* items = part(schema, "items");
    const Json* first = items != nullptr && items->is_array() ? items : part(schema, "prefixItems");
    const Json* rest = items != nullptr && items->is_array() ? part(schema, "additionalItems") : items;
    std::size_t least = amount(schema, "minItems", 0);
    if (least == 0 && options_.is_filled(path)) least = 1;
    Json made = Json::array();
    if (const Json* contained = part(schema, "contains"))
      for (std::size_t i = amount(schema, "minContains", 1); i > 0; --i)
        made.push_back(make(*contained, path, depth + 1));
    while (made.size() < least) {
      const bool is_first = first != nullptr && first->is_array() && made.size() < first->size();
      const Json& of = is_first ? (*first)[made.size()] : rest != nullptr && rest->is_object() ? *rest : anything;
      Json entry = make(of, path, depth + 1);
      if (schema.value("uniqueItems", Json(false)) == Json(true)) entry = another(made, of, std::move(entry));
      made.push_back(std::move(entry));
    }
    return made;
  }

  // One that the list does not have yet.
  static Json another(const Json& list, const Json& schema, Json entry) {
    const auto is_there = [&](const Json& each) { return std::find(list.begin(), list.end(), each) != list.end(); };
    if (const Json* values = part(schema, "enum"); values != nullptr && values->is_array())
      for (const auto& each : *values)
        if (!is_there(each)) return each;
    const Json base = entry;
    for (std::size_t i = 2; is_there(entry) && i < kAmountMax; ++i) {
      if (base.is_string()) entry = base.get<std::string>() + std::to_string(i);
      if (base.is_number_integer()) entry = base.get<std::int64_t>() + static_cast<std::int64_t>(i) - 1;
      if (base.is_object() && !base.empty()) {
        const std::string name = base.begin().key();
        entry[name] = another(Json::array({base.begin().value()}), Json::object(), base.begin().value());
        if (entry[name].is_string()) entry[name] = base.begin().value().get<std::string>() + std::to_string(i);
      }
    }
    return entry;
  }

  static Json text(const Json& schema, const std::string& path) {
    std::string made = path.empty() ? "text" : path.substr(path.rfind('/') + 1);
    if (const Json* pattern = part(schema, "pattern"); pattern != nullptr && pattern->is_string()) {
      const std::string expression = pattern->get<std::string>();
      const std::string like = text_like(expression);
      // One that asks for nothing in particular keeps the words.
      if (!like.empty()) made = like;
    }
    const std::size_t least = amount(schema, "minLength", 0);
    while (made.size() < least) made += 'x';
    return made.substr(0, amount(schema, "maxLength", made.size()));
  }

  const Json& document_;
  const ExampleOptions& options_;
  int attempt_ = 0;
  int steps_ = 0;
  bool can_choose_ = false;
};

}  // namespace

Result<Json> example_of(const Json& schema, const ExampleOptions& options) {
  const Schema compiled = TRY(Schema::compile(schema));
  std::vector<std::string> problems;
  ExampleMaker maker(schema, options);
  for (int attempt = 0; attempt < kAttemptsMax && (attempt == 0 || maker.can_choose()); ++attempt) {
    Json made = maker.attempt(attempt);
    auto wrong = compiled.check(made);
    if (wrong.empty()) return made;
    if (problems.empty()) problems = std::move(wrong);
  }
  return fail(Code::invalid, fmt::format("no example can be made for this schema: {}", join(problems, "; ")),
              "Write one by hand");
}

}  // namespace teamster::schema
