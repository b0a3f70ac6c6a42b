// FieldReader and FieldWriter: the fields of a struct of a run's record, out of a JSON object and into one. Both are
// handed to the same `describe(fields, body)`, so that a field is named once and reading cannot differ from writing.
// Used by the codecs of commands.h and events.h alone. They live on the stack of one call.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::workflow {

// Takes what has the right shape out of the object, without a copy: a journal can have a million records. What it
// leaves there is unknown, or has another shape.
class FieldReader {
 public:
  using Object = Json::object_t;
  template <class Body>
  using Of = Body;

  explicit FieldReader(Object& object) : object_(object) {}

  template <class Value>
  void always(const char* name, Value& value) {
    const auto found = object_.find(name);
    if (found != object_.end() && read(found->second, value)) object_.erase(found);
  }
  template <class Value>
  void unless_empty(const char* name, Value& value) {
    always(name, value);
  }
  template <class Value>
  void when(bool, const char* name, Value& value) {
    always(name, value);
  }

  // The whole body. What is left of the fields becomes `more`.
  template <class Body>
  static Body body(Json fields) {
    Body body;
    (void)read(fields, body);
    return body;
  }

 private:
  static bool read(Json& from, Json& into) {
    into = std::move(from);
    return true;
  }
  static bool read(Json& from, std::string& into) {
    if (!from.is_string()) return false;
    into = std::move(from.get_ref<std::string&>());
    return true;
  }
  static bool read(Json& from, bool& into) {
    if (!from.is_boolean()) return false;
    into = from.get<bool>();
    return true;
  }
  static bool read(Json& from, std::int64_t& into) {
    if (!from.is_number_integer()) return false;
    into = from.get<std::int64_t>();
    return true;
  }
  static bool read(Json& from, double& into) {
    if (!from.is_number()) return false;
    into = from.get<double>();
    return true;
  }
  template <class Value>
  static bool read(Json& from, std::optional<Value>& into) {
    Value value{};
    if (!read(from, value)) return false;
    into = std::move(value);
    return true;
  }
  // Of lists and maps what fits is taken.
  template <class Value>
  static bool read(Json& from, std::vector<Value>& into) {
    if (!from.is_array()) return false;
    into.reserve(from.size());
    for (auto& each : from)
      if (Value value{}; read(each, value)) into.push_back(std::move(value));
    return true;
  }
  template <class Value>
  static bool read(Json& from, std::map<std::string, Value>& into) {
    if (!from.is_object()) return false;
    for (auto& [name, each] : from.get_ref<Object&>())
      if (Value value{}; read(each, value)) into.insert_or_assign(name, std::move(value));
    return true;
  }
  template <class Body>
  requires std::is_class_v<Body>
  static bool read(Json& from, Body& into) {
    if (!from.is_object()) return false;
    FieldReader fields(from.get_ref<Object&>());
    describe(fields, into);
    if (!from.empty()) into.more = std::move(from);
    return true;
  }

  Object& object_;
};

class FieldWriter {
 public:
  using Object = Json::object_t;
  template <class Body>
  using Of = const Body;

  explicit FieldWriter(Object& object) : object_(object) {}

  // What `more` has of this name is of a shape that could not be read, and stays.
  template <class Value>
  void always(const char* name, const Value& value) {
    object_.try_emplace(name, json_of(value));
  }
  template <class Value>
  void unless_empty(const char* name, const Value& value) {
    if (!is_empty(value)) always(name, value);
  }
  template <class Value>
  void when(bool is_so, const char* name, const Value& value) {
    if (is_so) always(name, value);
  }

  template <class Body>
  static Json body(const Body& body) {
    return json_of(body);
  }

 private:
  static bool is_empty(const Json& value) { return value.is_null(); }
  static bool is_empty(bool value) { return !value; }
  static bool is_empty(std::int64_t value) { return value == 0; }
  static bool is_empty(const std::string& value) { return value.empty(); }
  template <class Value>
  static bool is_empty(const std::optional<Value>& value) {
    return !value;
  }
  template <class Value>
  static bool is_empty(const std::vector<Value>& value) {
    return value.empty();
  }
  template <class Value>
  static bool is_empty(const std::map<std::string, Value>& value) {
    return value.empty();
  }

  static Json json_of(const Json& value) { return value; }
  static Json json_of(bool value) { return value; }
  static Json json_of(std::int64_t value) { return value; }
  static Json json_of(double value) { return value; }
  static Json json_of(const std::string& value) { return value; }
  template <class Value>
  static Json json_of(const std::optional<Value>& value) {
    return value ? json_of(*value) : Json();
  }
  template <class Value>
  static Json json_of(const std::vector<Value>& value) {
    Json list = Json::array();
    auto& entries = list.get_ref<Json::array_t&>();
    entries.reserve(value.size());
    for (const auto& each : value) entries.push_back(json_of(each));
    return list;
  }
  template <class Value>
  static Json json_of(const std::map<std::string, Value>& value) {
    Json map = Json::object();
    auto& entries = map.get_ref<Object&>();
    for (const auto& [name, each] : value) entries.emplace_hint(entries.end(), name, json_of(each));
    return map;
  }
  template <class Body>
  requires std::is_class_v<Body>
  static Json json_of(const Body& body) {
    Json json = body.more.is_object() ? body.more : Json::object();
    FieldWriter fields(json.get_ref<Object&>());
    describe(fields, body);
    return json;
  }

  Object& object_;
};

// --- Variants of bodies, the first of which is for the kinds that are not known.

template <class Unknown, class... Bodies>
std::string_view kind_in(const std::variant<Unknown, Bodies...>& body) {
  return std::visit(
      [](const auto& known) -> std::string_view {
        if constexpr (std::is_same_v<decltype(known), const Unknown&>)
          return known.kind;
        else
          return std::remove_cvref_t<decltype(known)>::kKind;
      },
      body);
}

template <class Unknown, class... Bodies>
Json fields_in(const std::variant<Unknown, Bodies...>& body) {
  return std::visit(
      [](const auto& known) -> Json {
        if constexpr (std::is_same_v<decltype(known), const Unknown&>)
          return known.fields;
        else
          return FieldWriter::body(known);
      },
      body);
}

template <class Unknown, class... Bodies>
void read_variant(std::string_view kind, Json fields, std::variant<Unknown, Bodies...>& into) {
  const auto take = [&]<class Body>(std::in_place_type_t<Body>) {
    if (kind != Body::kKind) return false;
    into.template emplace<Body>(FieldReader::body<Body>(std::move(fields)));
    return true;
  };
  if ((take(std::in_place_type<Bodies>) || ...)) return;
  into = Unknown{std::string(kind), std::move(fields)};
}

}  // namespace teamster::workflow
