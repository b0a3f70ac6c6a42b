#include "workflow/format/shape.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "schema/pointer.h"
#include "schema/schema.h"

namespace teamster::workflow {
namespace {

constexpr int kDepthMax = 16;
constexpr std::size_t kViewsMax = 256;

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() ? nullptr : &*it;
}

}  // namespace

Shape::Shape(const Json& schema) : root_(std::make_shared<const Json>(schema)) { add_view(*root_, 0); }

Shape Shape::list_of(const Json& schema) {
  // The definitions stay where references look for them.
  Json list = Json::object();
  for (const char* name : {"$defs", "definitions"})
    if (const Json* definitions = member(schema, name)) list[name] = *definitions;
  list["type"] = "array";
  list["items"] = schema;
  return Shape(list);
}

Shape Shape::anything() { return Shape(Json(true)); }

// A schema, and all that it is put together from.
void Shape::add_view(const Json& schema, int depth) {
  if (depth > kDepthMax || views_.size() > kViewsMax) return;
  if (!schema.is_object()) {
    if (depth == 0) views_.push_back(&schema);
    return;
  }
  views_.push_back(&schema);
  if (const Json* reference = member(schema, "$ref"); reference != nullptr && reference->is_string()) {
    const auto text = reference->get<std::string>();
    const Json* target = text.starts_with('#') ? schema::find_by_pointer(*root_, text.substr(1)) : nullptr;
    if (target != nullptr) add_view(*target, depth + 1);
  }
  for (const char* name : {"allOf", "anyOf", "oneOf"})
    if (const Json* list = member(schema, name); list != nullptr && list->is_array())
      for (const auto& part : *list) add_view(part, depth + 1);
  for (const char* name : {"then", "else"})
    if (const Json* part = member(schema, name)) add_view(*part, depth + 1);
}

bool Shape::allows(const Json& view, std::string_view type) const {
  const Json* types = member(view, "type");
  if (types == nullptr) return true;
  if (types->is_string()) return types->get<std::string>() == type;
  return std::any_of(types->begin(), types->end(), [&](const Json& one) { return one == type; });
}

Shape Shape::below(const std::vector<const Json*>& schemas) const {
  Shape shape(root_, {});
  for (const Json* schema : schemas) shape.add_view(*schema, 0);
  return shape;
}

// A field of a list is the list of the fields of its entries, and of lists one after the other.
std::optional<Shape> Shape::field_of_entries(std::string_view name) const {
  const auto entry = entries();
  const auto inner = entry ? entry->field(name) : std::nullopt;
  if (!inner) return std::nullopt;
  if (inner->is_list_alone()) return inner;
  Json parts = Json::array();
  for (const Json* view : inner->views_)
    if (view->is_object()) parts.push_back(*view);
  Json whole = with_definitions({{"type", "array"}});
  if (!parts.empty()) whole["items"] = {{"anyOf", std::move(parts)}};
  return Shape(whole);
}

bool Shape::is_list_alone() const {
  return !views_.empty() && std::any_of(views_.begin(), views_.end(), [&](const Json* view) {
    return member(*view, "type") != nullptr && allows(*view, "array") && !allows(*view, "object");
  });
}

std::vector<std::string> Shape::field_names_of_entries() const {
  const auto entry = entries();
  return entry ? entry->field_names() : std::vector<std::string>();
}

Json Shape::with_definitions(Json schema) const {
  for (const char* name : {"$defs", "definitions"})
    if (const Json* definitions = member(*root_, name)) schema[name] = *definitions;
  return schema;
}

std::optional<Shape> Shape::field(std::string_view name) const {
  if (is_list_alone()) return field_of_entries(name);
  std::vector<const Json*> found;
  bool names_fields = false;
  for (const Json* view : views_) {
    if (!allows(*view, "object")) return std::nullopt;
    const Json* properties = member(*view, "properties");
    if (properties == nullptr || !properties->is_object()) continue;
    names_fields = true;
    if (const auto it = properties->find(std::string(name)); it != properties->end()) found.push_back(&*it);
  }
  if (!found.empty()) return below(found);
  if (names_fields) return std::nullopt;
  return anything();
}

std::optional<Shape> Shape::field(std::span<const std::string> path) const {
  Shape shape = *this;
  for (const auto& name : path) {
    auto next = shape.field(name);
    if (!next) return std::nullopt;
    shape = *std::move(next);
  }
  return shape;
}

std::optional<Shape> Shape::entries() const {
  std::vector<const Json*> found;
  for (const Json* view : views_) {
    if (!allows(*view, "array")) return std::nullopt;
    if (const Json* items = member(*view, "items"); items != nullptr && items->is_object()) found.push_back(items);
  }
  return found.empty() ? anything() : below(found);
}

std::vector<std::string> Shape::field_names() const {
  std::set<std::string> names;
  if (is_list_alone()) return field_names_of_entries();
  for (const Json* view : views_)
    if (const Json* properties = member(*view, "properties"); properties != nullptr && properties->is_object())
      for (const auto& [name, schema] : properties->items()) names.insert(name);
  return {names.begin(), names.end()};
}

bool Shape::can_be(const Json& value) const {
  for (const Json* view : views_) {
    Json document = *view;
    for (const char* name : {"$defs", "definitions"})
      if (const Json* definitions = member(*root_, name); definitions != nullptr && document.is_object())
        document[name] = *definitions;
    const auto compiled = schema::Schema::compile(document);
    // A schema that cannot be used is a problem of its own.
    if (!compiled || compiled->check(value).empty()) return true;
  }
  return views_.empty();
}

}  // namespace teamster::workflow
