// Shape: what a JSON Schema says about the fields of a value, to find out before a run that a
// condition can never hold or a prompt asks for a field that no answer has. Lenient where the
// schema is: what it leaves open can be anything. A value; shares the schema.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace teamster::workflow {

class Shape {
 public:
  explicit Shape(const Json& schema);
  // Of a list whose entries have this shape.
  static Shape list_of(const Json& schema);
  static Shape anything();

  // Nothing when the value has no such field. Of a list it is the list of what its entries have there.
  std::optional<Shape> field(std::string_view name) const;
  std::optional<Shape> field(std::span<const std::string> path) const;
  // Of the entries, if it can be a list.
  std::optional<Shape> entries() const;
  std::vector<std::string> field_names() const;
  bool can_be(const Json& value) const;

 private:
  Shape(std::shared_ptr<const Json> root, std::vector<const Json*> views)
      : root_(std::move(root)), views_(std::move(views)) {}
  std::optional<Shape> field_of_entries(std::string_view name) const;
  std::vector<std::string> field_names_of_entries() const;
  bool is_list_alone() const;
  Json with_definitions(Json schema) const;
  void add_view(const Json& schema, int depth);
  bool allows(const Json& view, std::string_view type) const;
  Shape below(const std::vector<const Json*>& schemas) const;

  std::shared_ptr<const Json> root_;
  std::vector<const Json*> views_;  // schemas that speak about the same value
};

}  // namespace teamster::workflow
