// Node: a value of a YAML file with its place. A value; made by parse_document and never changed.
// What was not quoted keeps its text as it stands there, so that whoever reads a field decides
// what may be written in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "yaml/problem.h"

namespace teamster::workflow {

struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  Place place = {};
  std::string text = {};         // of a scalar
  bool is_quoted = false;        // also as a block of text
  std::vector<Node> keys = {};   // of a map: scalars, all different
  std::vector<Node> items = {};  // of a list; of a map the values, in the order of their keys

  // Null when this is no map or has no such key.
  const Node* find(std::string_view key) const;
};

// What a scalar that is not quoted can be taken for.
enum class Plain {
  text,
  boolean,    // true, false
  number,     // 12, -1, 0.5
  ambiguous,  // what some reader of YAML takes for a number, a truth value or a date: 012, yes, 1e3
};
Plain plain_kind(std::string_view text);

// "a list", "the number 12": what stands there, for messages.
std::string describe(const Node& node);

// The same tree as JSON. What is ambiguous becomes a text.
Json to_json(const Node& node);

}  // namespace teamster::workflow
