// UsedKeys: which `properties` of a JSON Schema some document has used and where in it, to find those that no example
// shows. Follows references, and of alternatives those that fit. Tests only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "schema/pointer.h"
#include "schema/schema.h"

namespace teamster::workflow {

class UsedKeys {
 public:
  explicit UsedKeys(const Json& document) : document_(document) { collect(document_, "#"); }

  void look_at(const Json& value) { look("#", value, ""); }

  // By the place of the property in the schema ("#/$defs/role/else/properties/model"), those in the documents
  // ("/roles/writer/model"). A new document forgets nothing.
  const std::map<std::string, std::set<std::string>>& used() const { return used_; }
  const std::set<std::string>& all() const { return all_; }

  std::vector<std::string> unused() const {
    std::vector<std::string> left;
    for (const auto& place : all_)
      if (!used_.contains(place)) left.push_back(place);
    return left;
  }

 private:
  // Conditions are no keys of their own, and neither is what must not be.
  void collect(const Json& schema, const std::string& place) {
    if (schema.is_array())
      for (std::size_t i = 0; i < schema.size(); ++i) collect(schema[i], place + "/" + std::to_string(i));
    if (!schema.is_object()) return;
    const bool is_closed = schema.contains("additionalProperties") && schema["additionalProperties"] == false;
    for (const auto& [key, inner] : schema.items()) {
      const std::string here = place + "/" + key;
      if (key == "if" || key == "not" || key == "enum" || key == "required") continue;
      if (key == "properties" && is_closed)
        for (const auto& [name, property] : inner.items()) all_.insert(here + "/" + name);
      collect(inner, here);
    }
  }

  const Json& at(const std::string& place) const { return *schema::find_by_pointer(document_, place.substr(1)); }

  bool fits(const std::string& place, const Json& value) {
    auto known = compiled_.find(place);
    if (known == compiled_.end()) {
      auto compiled = schema::Schema::compile({{"$defs", document_["$defs"]}, {"allOf", Json::array({at(place)})}});
      EXPECT_TRUE(compiled) << place;
      if (!compiled) return false;
      known = compiled_.emplace(place, *std::move(compiled)).first;
    }
    return known->second.check(value).empty();
  }

  static std::string below(const std::string& pointer, const std::string& name) {
    std::string escaped;
    for (const char c : name) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return pointer + "/" + escaped;
  }

  // `pointer` is where the value stands in its document.
  void look(const std::string& place, const Json& value, const std::string& pointer) {
    const Json& schema = at(place);
    if (!schema.is_object()) return;
    if (schema.contains("$ref")) look(schema["$ref"].get<std::string>(), value, pointer);
    if (schema.contains("if")) {
      const std::string branch = fits(place + "/if", value) ? "/then" : "/else";
      if (schema.contains(branch.substr(1))) look(place + branch, value, pointer);
    }
    for (const std::string key : {"allOf", "anyOf", "oneOf"})
      if (schema.contains(key))
        for (std::size_t i = 0; i < schema[key].size(); ++i) {
          const std::string part = place + "/" + key + "/" + std::to_string(i);
          if (fits(part, value)) look(part, value, pointer);
        }
    if (value.is_array() && schema.contains("items"))
      for (std::size_t i = 0; i < value.size(); ++i)
        look(place + "/items", value[i], below(pointer, std::to_string(i)));
    if (!value.is_object()) return;
    for (const auto& [name, entry] : value.items()) {
      const std::string property = place + "/properties/" + name;
      if (schema.contains("properties") && schema["properties"].contains(name)) {
        used_[property].insert(below(pointer, name));
        look(property, entry, below(pointer, name));
      } else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
        look(place + "/additionalProperties", entry, below(pointer, name));
      }
    }
  }

  const Json& document_;
  std::set<std::string> all_;
  std::map<std::string, std::set<std::string>> used_;
  std::map<std::string, schema::Schema> compiled_;
};

}  // namespace teamster::workflow
